// One request of a `fetch` function, answered by the transport or by a stored response. The answer resolves with the
// header section; the body streams as it is read, decoded, and buffers no more than the reader lags behind. Bytes that
// the caller has received cannot be taken back: after the header section, a lost or desynchronized connection ends the
// body with an error, not a retry.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { CacheResponse } from '../cache/entry.ts';
import type { CachedResponse } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import type { Limits } from '../options.ts';
import type { ContentDecoder } from '../response/content-coding.ts';
import { Exchange, type ExchangeHandler, type ResponseHead } from '../transport/exchange.ts';
import type { PageTransport } from '../transport/transport.ts';
import { bodyLimit, decoderOf, explain } from './bodies.ts';
import type { FetchRequest } from './fetch-request.ts';

/**
 * Most decoded bytes buffered for the reader, and most bytes of an unwanted body that are still received. A body up to
 * this size leaves its connection to others without a reader.
 */
const mostAheadBytes = 64 * 1024;

/** Bytes of a stored body that are decoded at a time. */
const pieceBytes = 16 * 1024;

export interface Answer extends CacheResponse {
  /** The body, with its content coding removed. */
  body: ReadableStream<Uint8Array>;
  /** Drops the body unread. */
  discard(): void;
}

/** What the cache observes of a response. */
export interface Observer {
  /** Called after the header section. @returns whether to buffer the body */
  gathers(response: CacheResponse): boolean;
  /**
   * Called when the response is complete and is known to belong to this request.
   * @param body The body as received, with content coding; null if it was not buffered, or if its length is unknown,
   * so that it may be truncated.
   */
  onProven(response: CacheResponse, body: Buffer | null): void;
  /** Called when the response may belong to another request after all. */
  onDoubt(): void;
}

export class Call implements ExchangeHandler {
  readonly exchange: Exchange;
  readonly answer = Promise.withResolvers<Answer>();
  /** Resolves when the call has ended, in success or failure. */
  readonly over = Promise.withResolvers<void>();
  readonly #signal: AbortSignal | null;
  readonly #limits: Limits;
  readonly #share: PageTransport;
  readonly #observer: Observer | null;
  readonly #count: (bytes: number) => void;
  #requestedAtMs = Date.now();
  #answered: Answer | null = null;
  #reader: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** Resumes the transport, which waits while the reader has enough. */
  #wake: () => void = () => {};
  /** null before the header section, and once the body is not wanted any more: further bytes are then dropped. */
  #decoder: ContentDecoder | null = null;
  /** The body as received, if the cache wants it. */
  #gathered: Buffer[] | null = null;
  /** Bytes of an unwanted body that are still received before the request is cancelled. */
  #drainableBytes = Number.POSITIVE_INFINITY;
  #isOver = false;

  /**
   * @param observer null if nothing is told to the cache.
   * @throws The signal's reason.
   */
  constructor(
    { url, method, body, signal }: FetchRequest,
    fields: HeaderPair[],
    limits: Limits,
    share: PageTransport,
    observer: Observer | null,
  ) {
    signal?.throwIfAborted(); // a signal that has already fired does not notify new listeners
    const options = { urgent: true, priority: 0, method, body };
    this.exchange = new Exchange(url, fields.flat(), options, this);
    this.#signal = signal;
    this.#limits = limits;
    this.#share = share;
    this.#observer = observer;
    this.#count = bodyLimit(limits);
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** true while the answer is awaited or the body is being read. */
  get isWanted(): boolean {
    return this.#answered?.body.locked ?? true;
  }

  cancel(error: LoaderError): void {
    this.#fail(error);
    this.#share.cancel([this.exchange], error);
  }

  /** Answers with a stored response; the exchange is not submitted to the transport. */
  async replay({ body, ...head }: CachedResponse): Promise<void> {
    try {
      this.onHeaders({ ...head, httpVersion: 'http/1.1', startedAt: 0 });
      for (let at = 0; at < body.length; at += pieceBytes) {
        await this.onData(body.subarray(at, at + pieceBytes));
      }
      await this.onEnd();
    } catch (error) {
      this.#fail(error as LoaderError);
    }
  }

  onSent(): void {
    this.#requestedAtMs = Date.now();
  }

  onHeaders({ status, statusText, headers }: ResponseHead): void {
    this.exchange.cancel();
    this.#decoder = decoderOf(headers, this.#limits, (bytes) => this.#take(bytes));
    this.exchange.wait(false); // until the body is read
    this.#answered = {
      status,
      statusText,
      headers,
      requestedAtMs: this.#requestedAtMs,
      receivedAtMs: Date.now(),
      body: this.#openBody(),
      discard: () => this.#drain(mostAheadBytes),
    };
    if (this.#observer?.gathers(this.#answered)) this.#gathered = [];
    this.answer.resolve(this.#answered);
  }

  onData(chunk: Buffer): void | Promise<void> {
    this.#count(chunk.length);
    this.#gathered?.push(chunk);
    if (this.#decoder !== null) return this.#decoder.write(chunk);
    this.#drain(this.#drainableBytes - chunk.length);
  }

  async onEnd(): Promise<void> {
    try {
      await this.#decoder?.end();
    } catch (error) {
      this.#fail(error as LoaderError);
    }
    if (this.#isOver || this.#answered === null) return;
    const { framed, inStep } = this.exchange.attempt;
    const body = framed && this.#gathered !== null ? Buffer.concat(this.#gathered) : null;
    // The response is stored before the body ends, so that the caller's next request finds it.
    if (inStep) this.#observer?.onProven(this.#answered, body);
    if (this.#decoder !== null) this.#reader?.close();
    this.#finish();
  }

  onRestart(): void {
    // Before the header section the caller has received nothing, and the response simply starts over.
    if (this.#answered !== null) this.#observer?.onDoubt();
  }

  /** Cancelling this request fails it directly, so an `aborted` error of the transport is for another request. */
  onError(error: LoaderError): void {
    const message = 'its connection was closed because another request was cancelled';
    this.#fail(error.code === 'aborted' ? new LoaderError('connection-lost', message) : error);
  }

  readonly #onAbort = (): void => this.cancel(new LoaderError('aborted', 'aborted by its signal'));

  #openBody(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (reader) => {
          this.#reader = reader;
        },
        pull: () => {
          this.exchange.wait(true);
          this.#wake();
        },
        // The rest of the body may take long, so it is not received.
        cancel: () => {
          this.#gathered = null;
          this.#drain(-1);
        },
      },
      // `pull` is called only for a read while nothing is buffered.
      { highWaterMark: 0, size: (chunk) => chunk.byteLength },
    );
  }

  #take(bytes: Buffer): void | Promise<void> {
    const reader = this.#reader;
    if (this.#decoder === null || reader === null) return undefined;
    this.exchange.wait(false);
    // The reader gets a copy, which it may modify or transfer, because the original is also buffered or stored.
    reader.enqueue(new Uint8Array(bytes));
    if ((reader.desiredSize ?? 0) > -mostAheadBytes) return undefined;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Fails the pending answer and the body: the reader gets the error instead of bytes that it has not read yet. */
  #fail(error: LoaderError): void {
    this.#reader?.error(explain(error, 'terminated', this.#signal));
    this.answer.reject(error);
    this.#finish();
    this.#drain(0);
  }

  /** Called for an unwanted body. A short rest, or a body that is buffered for the cache, is still received. */
  #drain(mostBytes: number): void {
    this.#decoder?.destroy();
    this.#decoder = null;
    this.#wake();
    this.#drainableBytes = mostBytes;
    if (this.#isOver || this.#gathered !== null || mostBytes >= 0) return;
    const error = new LoaderError('aborted', 'the rest of the body is not wanted');
    // The parser may be delivering these bytes right now, so cancel later.
    queueMicrotask(() => this.#isOver || this.#share.cancel([this.exchange], error));
  }

  #finish(): void {
    this.#isOver = true;
    this.#gathered = null;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.over.resolve();
  }
}
