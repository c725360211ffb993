// A body on its way from the transport or the store to the reader of a Response. It removes the content coding and
// buffers no more than the reader lags behind. While the reader has enough, `write` returns a promise, and the
// transport stops reading the socket (on HTTP/2, the stream).

import { fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import { LoaderError } from '../errors.ts';
import type { Limits } from '../options.ts';
import { ContentDecoder } from '../response/content-coding.ts';

/** Limit on decoded bytes buffered for the reader; a body up to this size completes without a reader. */
const mostAheadBytes = 64 * 1024;

/** Events for the source of a body. */
export interface BodyEvents {
  /** The reader cancelled the stream. */
  onCancel(): void;
  /** Called when a reader begins or ceases to wait for bytes; at first none waits. */
  onWait(isWaiting: boolean): void;
}

export class BodyStream {
  /** The stream's high-water mark is 0, so that `pull` is called only for a read while nothing is buffered. */
  readonly readable: ReadableStream<Uint8Array>;
  readonly #maxBytes: number;
  readonly #signal: AbortSignal | null;
  readonly #events: BodyEvents | null;
  readonly #decoder: ContentDecoder;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #decodedBytes = 0;
  #over = false;
  #wake: () => void = () => {};

  /**
   * @param signal The caller's signal; once it is aborted, its reason replaces all errors.
   * @throws LoaderError `too-many-codings`
   */
  constructor(
    headers: HeaderPair[],
    { maxResourceBytes, maxCodings }: Limits,
    signal: AbortSignal | null,
    events: BodyEvents | null = null,
  ) {
    this.#maxBytes = maxResourceBytes;
    this.#signal = signal;
    this.#events = events;
    this.#decoder = openDecoder(headers, maxCodings, (bytes) => this.#take(bytes));
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          events?.onWait(true);
          this.#wake();
        },
        cancel: () => {
          this.discard();
          events?.onCancel();
        },
      },
      { highWaterMark: 0, size: (chunk) => chunk.byteLength },
    );
  }

  /** true once the body has ended, failed or been discarded; further bytes are ignored. */
  get over(): boolean {
    return this.#over;
  }

  /** @returns A promise that resolves when the reader has room again, or rejects if decoding fails. */
  write(chunk: Buffer): void | Promise<void> {
    return this.#over ? undefined : this.#decoder.write(chunk);
  }

  /**
   * Called after the last byte; resolves when the body is fully decoded.
   * @throws LoaderError `coding-broken`, `body-too-large`
   */
  async end(): Promise<void> {
    if (!this.#over) await this.#decoder.end();
  }

  /** Ends the stream after the bytes that the reader has not read yet. */
  close(): void {
    if (!this.#over) this.#controller.close();
    this.#over = true;
  }

  /** Fails the stream: the reader gets the error instead of the bytes it has not read yet, even of a complete body. */
  fail(error: LoaderError): void {
    this.#controller.error(explain(error, 'terminated', this.#signal));
    this.discard();
  }

  /** Called when the body will not be read; further bytes are dropped. */
  discard(): void {
    this.#over = true;
    this.#decoder.destroy();
    this.#wake();
  }

  #take(bytes: Buffer): void | Promise<void> {
    if (this.#over) return undefined;
    this.#decodedBytes += bytes.length;
    if (this.#decodedBytes > this.#maxBytes) throw bodyTooLarge(this.#maxBytes);
    this.#events?.onWait(false);
    // The reader gets a copy, which it may modify or transfer, because the original is also buffered or stored.
    this.#controller.enqueue(new Uint8Array(bytes));
    if ((this.#controller.desiredSize ?? 0) > -mostAheadBytes) return undefined;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

export function bodyTooLarge(maxResourceBytes: number): LoaderError {
  const message = `body over limits.maxResourceBytes (${maxResourceBytes})`;
  return new LoaderError('body-too-large', message);
}

/** The error for a caller of fetch: the signal's reason, or a TypeError with the cause. */
export function explain(error: unknown, message: string, signal: AbortSignal | null): unknown {
  if (signal?.aborted) return signal.reason;
  return error instanceof LoaderError ? new TypeError(message, { cause: error }) : error;
}

/** An unsupported content coding is not removed (Fetch Standard, "handle content codings"). */
function openDecoder(
  headers: HeaderPair[],
  maxCodings: number,
  take: (bytes: Buffer) => void | Promise<void>,
): ContentDecoder {
  try {
    return new ContentDecoder(fieldValue(headers, 'content-encoding'), maxCodings, take);
  } catch (error) {
    if ((error as LoaderError).code !== 'coding-unsupported') throw error;
    return new ContentDecoder('', maxCodings, take);
  }
}
