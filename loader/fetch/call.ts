// One request of a `fetch` function, answered by the transport or by a stored response. The answer resolves with the
// header section; the body streams decoded, as it is read, with about 64 KiB buffered at most. Bytes that the caller
// has received cannot be taken back: after the header section, a lost or desynchronized connection ends the body with
// an error, not a retry.

import { fieldValue } from '../../http/header-pairs.ts';
import { isSafe } from '../../http/methods.ts';
import { type CacheRequest, type CacheResponse, cacheResponse } from '../cache/entry.ts';
import type { CachedResponse, HttpCache, Validation } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import { boundBody } from '../response/body-limit.ts';
import { ContentDecoder, isDecodable } from '../response/content-coding.ts';
import { Exchange, type ExchangeHandler, type ResponseHead } from '../transport/exchange.ts';
import type { PageTransport } from '../transport/transport.ts';
import type { FetchRequest } from './fetch-request.ts';

/** Limit on decoded bytes buffered for the reader. A body up to this size frees its connection even if nobody reads. */
const mostAheadBytes = 64 * 1024;

/** A request, and what all calls of one `fetch` function share. */
export interface Asked extends FetchRequest {
  options: ResolvedOptions;
  share: PageTransport;
  /** The calls of this `fetch` function whose responses have not ended. */
  underWay: Set<Call>;
}

/** A request, and the cache that is told of its response. */
export interface CallOptions extends Asked {
  /** The request as the cache sees it, without the conditions that the cache adds. */
  key: CacheRequest;
  store: HttpCache | null;
  validation: Validation | null;
}

/** A call (request of `fetch` and its response) whose response's header section has arrived. */
export type Answer = Call & { readonly response: CacheResponse };

/** Returns the error for the caller: an aborted signal's reason, a TypeError caused by a LoaderError, or this error. */
export function explain(error: unknown, message: string, signal: AbortSignal | null): unknown {
  if (signal?.aborted) return signal.reason;
  return error instanceof LoaderError ? new TypeError(message, { cause: error }) : error;
}

export class Call implements ExchangeHandler {
  readonly exchange: Exchange;
  readonly answer = Promise.withResolvers<Answer>();
  /** Resolves when the call has ended, in success or failure. */
  readonly over = Promise.withResolvers<void>();
  response: CacheResponse | null = null;
  readonly #asked: CallOptions;
  /** Controller of the body's stream, which gets the decoded bytes; null once the call has ended. */
  #reader: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** Resumes the transport, which waits while the reader has enough. */
  #wake: () => void = () => {};
  /** Decodes the body; null before the header section, and once the body is unwanted: more bytes are then dropped. */
  #decoder: ContentDecoder | null = null;
  /** The chunks of the body as received; null: the cache does not store the body. */
  #gathered: Buffer[] | null = null;
  #encodedBytes = 0;
  #decodedBytes = 0;

  /** The body, with its content coding removed. */
  readonly body = new ReadableStream<Uint8Array>(
    {
      start: (reader) => {
        this.#reader = reader;
      },
      pull: () => {
        this.exchange.wait(true);
        this.#wake();
      },
      cancel: () => {
        this.#gathered = null;
        this.discard();
      },
    },
    // With a high-water mark of 0, `pull` is called only for a read while nothing is buffered.
    { highWaterMark: 0, size: (chunk) => chunk.byteLength },
  );

  /** @throws The signal's reason, if the signal has already fired. */
  constructor(asked: CallOptions) {
    const { url, method, body, signal, key, validation } = asked;
    signal?.throwIfAborted(); // a signal that has already fired does not notify new listeners
    const fields = [...key.headers, ...(validation?.conditions ?? [])].flat();
    this.exchange = new Exchange(url, fields, { urgent: true, priority: 0, method, body }, this);
    this.#asked = asked;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Answers with a stored response; nothing is sent. */
  replay({ body, ...head }: CachedResponse): Promise<Answer> {
    const read = async () => {
      this.onHeaders({ ...head, httpVersion: 'http/1.1', startedAt: performance.now() });
      if (body.length > 0) await this.onData(body);
      await this.onEnd();
    };
    read().catch((error) => this.fail(error));
    return this.answer.promise;
  }

  onHeaders(head: ResponseHead): void {
    this.exchange.cancel();
    // A coding that the loader cannot decode is not removed (Fetch Standard, "handle content codings").
    const coding = fieldValue(head.headers, 'content-encoding');
    const removed = isDecodable(coding) ? coding : '';
    const { store, key, cache, options } = this.#asked;
    this.#decoder = new ContentDecoder(removed, options.limits.maxCodings, this.#take);
    this.exchange.wait(false); // the caller waits for more only when it reads the body
    this.response = cacheResponse(head, this.exchange.attempt.batch?.sentAt);
    // Unsafe methods invalidate stored responses even before the response is known to belong to its request.
    if (!isSafe(key.method)) store?.observe(key, this.response);
    // A 304 has no body to store; it updates the stored response later, once it is known to belong to this request.
    if (head.status !== 304 && store?.mayStore(key, this.response, cache)) this.#gathered = [];
    this.answer.resolve(this as Answer);
  }

  onData(chunk: Buffer): void | Promise<void> {
    this.#encodedBytes += chunk.length;
    boundBody(this.#encodedBytes, this.#asked.options.limits);
    this.#gathered?.push(chunk);
    return this.#decoder?.write(chunk);
  }

  async onEnd(): Promise<void> {
    await this.#decoder?.end().catch((error) => this.fail(error));
    if (this.#reader === null || this.response === null) return;
    // The response is stored before the reader learns that the body has ended, so that its next request finds it.
    if (this.exchange.attempt.inStep) this.#store(this.response);
    if (this.#decoder !== null) this.#reader.close();
    this.#finish();
  }

  onRestart(): void {
    // If no header section has arrived, the caller has received nothing, and the response simply starts over.
    if (this.response === null) return;
    const { store, key } = this.#asked;
    store?.remove(store.stored(key.url).map(({ id }) => id));
  }

  /** Cancelling this request calls `fail` directly, so an `aborted` error of the transport is about another request. */
  onError(error: LoaderError): void {
    const message = 'its connection was closed because another request was cancelled';
    this.fail(error.code === 'aborted' ? new LoaderError('connection-lost', message) : error);
  }

  readonly #onAbort = (): void => this.fail(new LoaderError('aborted', 'aborted by its signal'));

  /** Fails the pending answer and the body: the reader gets the error instead of bytes that it has not read yet. */
  fail(error: LoaderError): void {
    this.#reader?.error(explain(error, 'terminated', this.#asked.signal));
    this.answer.reject(error);
    this.#finish();
    this.discard();
  }

  /** Drops the rest of the body, which is still received if the cache wants it. */
  discard(): void {
    this.#decoder?.destroy();
    this.#decoder = null;
    this.#wake();
    const error = new LoaderError('aborted', 'the rest of the body is not wanted');
    // The request is cancelled later, because the parser may be delivering its bytes right now.
    queueMicrotask(() => {
      if (this.#gathered !== null || this.exchange.done) return;
      this.#asked.share.cancel([this.exchange], error);
    });
  }

  readonly #take = (bytes: Buffer): void | Promise<void> => {
    const reader = this.#reader;
    if (this.#decoder === null || reader === null) return undefined;
    this.#decodedBytes += bytes.length;
    boundBody(this.#decodedBytes, this.#asked.options.limits);
    this.exchange.wait(false);
    // The reader gets a copy, which it may modify or transfer, because the original is also buffered or stored.
    reader.enqueue(new Uint8Array(bytes));
    if ((reader.desiredSize ?? 0) > -mostAheadBytes) return undefined;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  };

  /** Gives a complete response to the cache; its body only if length or chunks mark its end, as it may be truncated. */
  #store(response: CacheResponse): void {
    const { store, key, cache: mode, validation } = this.#asked;
    if (response.status === 304 && validation !== null) store?.freshen(key, validation, response);
    else if (isSafe(key.method)) store?.observe(key, response);
    if (!this.exchange.attempt.framed || this.#gathered === null) return;
    store?.store([{ request: key, response, body: Buffer.concat(this.#gathered), mode }]);
  }

  #finish(): void {
    this.#reader = this.#gathered = null;
    this.#asked.signal?.removeEventListener('abort', this.#onAbort);
    this.over.resolve();
  }
}
