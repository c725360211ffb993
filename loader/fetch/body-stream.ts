// A body on its way from the transport, or from the store, to whoever reads the Response: content coding
// off, and no more of it in memory than the reader is behind. Its answer to each piece is a promise when
// the reader has enough; the transport then stops reading the socket (one stream of it, on HTTP/2).

import { LoaderError } from '../errors.ts';
import type { LimitOptions } from '../options.ts';
import { ContentDecoder } from '../response/content-coding.ts';

/** Decoded bytes kept ready for the reader: a body up to this size comes whole without one. */
const mostAheadBytes = 64 * 1024;

export interface BodyStreamSettings {
  /** Value of Content-Encoding; '' for none. */
  contentEncoding: string;
  limits: LimitOptions;
  /** What the reader gets to see of an error. */
  explain: (error: LoaderError) => unknown;
  /** The reader wants no more. */
  onCancel: () => void;
  /** @param isBehind the reader has enough for now; false: it reads again. */
  onPace?: (isBehind: boolean) => void;
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
    this.readable = new ReadableStream<Uint8Array>(
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
  }

  /** Nobody takes what comes. */
  get over(): boolean {
    return this.#over;
  }

  /** @returns a promise that settles when the reader has room again; it rejects as `take` throws. */
  write(chunk: Buffer): void | Promise<void> {
    if (this.#over) return undefined;
    if (this.#decoder.identity) return this.#take(chunk);
    return this.#decoder.write(chunk);
  }

  /**
   * No more comes; resolves when it is decoded to its end.
   * @throws LoaderError `coding-broken`, `body-too-large`
   */
  async end(): Promise<void> {
    if (this.#over) return;
    await this.#decoder.end();
    if (this.#over) return;
    this.#over = true;
    this.#controller.close();
  }

  /** The reader gets the error in place of what it has not read yet, even when all had come. */
  fail(error: LoaderError): void {
    this.#over = true;
    this.#controller.error(this.#settings.explain(error));
    this.#decoder.destroy();
    this.#wake();
  }

  /** Nobody will read it: what still comes is dropped. */
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
    // A copy: the reader may write into it, or transfer it, and these bytes are also gathered, or stored.
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

export function bodyTooLarge(maxResourceBytes: number): LoaderError {
  const message = `body over limits.maxResourceBytes (${maxResourceBytes})`;
  return new LoaderError('body-too-large', message);
}

/** A coding that cannot be taken off stays on (Fetch Standard, "handle content codings"). */
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
