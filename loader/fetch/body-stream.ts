// A body on its way from the transport or the store to the reader of a Response. It removes the content coding and
// buffers no more than the reader lags behind. While the reader has enough, `write` returns a promise, and the
// transport stops reading the socket (on HTTP/2, the stream).

import { LoaderError } from '../errors.ts';
import type { LimitOptions } from '../options.ts';
import { ContentDecoder } from '../response/content-coding.ts';

/** Decoded bytes buffered for the reader: a body up to this size completes without one. */
const mostAheadBytes = 64 * 1024;

export interface BodyStreamSettings {
  /** Value of Content-Encoding; '' for none. */
  contentEncoding: string;
  limits: LimitOptions;
  /** Converts an error for the reader. */
  explain: (error: LoaderError) => unknown;
  /** The reader cancelled the stream. */
  onCancel: () => void;
  /** @param isBehind true: the reader has enough for now; false: it reads again. */
  onPace?: (isBehind: boolean) => void;
  /** Whether a reader waits for bytes has changed; at first none does. */
  onWait?: (isWaiting: boolean) => void;
}

export class BodyStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #settings: BodyStreamSettings;
  readonly #decoder: ContentDecoder;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #decodedBytes = 0;
  #over = false;
  #wake: () => void = () => {};

  /** @throws LoaderError `too-many-codings` */
  constructor(settings: BodyStreamSettings) {
    this.#settings = settings;
    this.#decoder = openDecoder(settings, (bytes) => this.#take(bytes));
    const arriving = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#wake(),
        cancel: () => {
          this.discard();
          settings.onCancel();
        },
      },
      { highWaterMark: mostAheadBytes, size: (chunk) => chunk.byteLength },
    );
    this.readable = onDemand(arriving, settings.onWait);
  }

  /** Further bytes are ignored. */
  get over(): boolean {
    return this.#over;
  }

  /** @returns A promise that settles when the reader has room again; it rejects where `take` throws. */
  write(chunk: Buffer): void | Promise<void> {
    if (this.#over) return undefined;
    if (this.#decoder.identity) return this.#take(chunk);
    return this.#decoder.write(chunk);
  }

  /**
   * Ends the body; resolves when it is fully decoded.
   * @throws LoaderError `coding-broken`, `body-too-large`
   */
  async end(): Promise<void> {
    if (this.#over) return;
    await this.#decoder.end();
    if (this.#over) return;
    this.#over = true;
    this.#controller.close();
  }

  /** The reader gets the error instead of the bytes it has not read yet, even if the body is complete. */
  fail(error: LoaderError): void {
    this.#over = true;
    this.#controller.error(this.#settings.explain(error));
    this.#decoder.destroy();
    this.#wake();
  }

  /** The body will not be read; further bytes are dropped. */
  discard(): void {
    this.#over = true;
    this.#decoder.destroy();
    this.#wake();
  }

  #take(bytes: Buffer): void | Promise<void> {
    if (this.#over) return undefined;
    this.#decodedBytes += bytes.length;
    const { maxResourceBytes } = this.#settings.limits;
    if (this.#decodedBytes > maxResourceBytes) throw bodyTooLarge(maxResourceBytes);
    // A copy, because the reader may modify or transfer it while these bytes are also buffered or stored.
    this.#controller.enqueue(new Uint8Array(bytes));
    if ((this.#controller.desiredSize ?? 0) > 0) return undefined;
    this.#settings.onPace?.(true);
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#settings.onPace?.(false);
        this.#wake = () => {};
        resolve();
      };
    });
  }
}

/** The same stream, which tells when a reader waits: without a buffer of its own it is pulled for a read alone. */
function onDemand(
  stream: ReadableStream<Uint8Array>,
  onWait: BodyStreamSettings['onWait'],
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        onWait?.(true);
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } finally {
          onWait?.(false);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

export function bodyTooLarge(maxResourceBytes: number): LoaderError {
  const message = `body over limits.maxResourceBytes (${maxResourceBytes})`;
  return new LoaderError('body-too-large', message);
}

/** An unsupported coding stays in place (Fetch Standard, "handle content codings"). */
function openDecoder(
  { contentEncoding, limits }: BodyStreamSettings,
  take: (bytes: Buffer) => void | Promise<void>,
): ContentDecoder {
  try {
    return new ContentDecoder(contentEncoding, limits.maxCodings, take);
  } catch (error) {
    if ((error as LoaderError).code !== 'coding-unsupported') throw error;
    return new ContentDecoder('', limits.maxCodings, take);
  }
}
