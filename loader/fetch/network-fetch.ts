// One request over the transport. The answer resolves with the header section; the body streams as it is read. What
// the caller has received cannot be taken back: after the header section, a lost or desynchronized connection ends
// the body with an error instead of a retry.

import { fieldValue } from '../../http/header-pairs.ts';
import type { CacheResponse } from '../cache/entry.ts';
import { LoaderError } from '../errors.ts';
import type { LimitOptions } from '../options.ts';
import type { Exchange, ExchangeHandler, ResponseHead } from '../transport/exchange.ts';
import { BodyStream, bodyTooLarge } from './body-stream.ts';
import type { FetchAnswer } from './fetch-answer.ts';

/** Most bytes of an unwanted body that are read to its end, so that the connection can be reused. */
const mostDrainedBytes = 64 * 1024;

export interface NetworkFetchSettings {
  limits: LimitOptions;
  explain: (error: LoaderError) => unknown;
  /** @returns Whether to buffer the body for `onWhole`. */
  onResponse(response: CacheResponse): boolean;
  /** The response is complete. @param body null: not buffered. */
  onWhole(response: CacheResponse, body: Buffer | null): void;
  /** @param isBehind true: the reader has enough for now; false: it reads again. */
  onPace(isBehind: boolean): void;
  /** The bytes received so far may belong to another response. */
  onDoubt(): void;
  /** Cancels the request. */
  cancel(error: LoaderError): void;
  /** The request is over. */
  onOver(): void;
}

export interface NetworkAnswer extends FetchAnswer {
  response: CacheResponse;
  /** It came from a second try, which confirms nothing that is stored. */
  isTolerant: boolean;
}

export class NetworkFetch implements ExchangeHandler {
  readonly answer: Promise<NetworkAnswer>;
  readonly #settings: NetworkFetchSettings;
  #resolve!: (answer: NetworkAnswer) => void;
  #reject!: (error: LoaderError) => void;
  #exchange: Exchange | null = null;
  #requestedAtMs = Date.now();
  #response: CacheResponse | null = null;
  #body: BodyStream | null = null;
  #gathered: Buffer[] | null = null;
  #receivedBytes = 0;
  #discarded = false;
  #drainedBytes = 0;
  #over = false;

  constructor(settings: NetworkFetchSettings) {
    this.#settings = settings;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** The answer is awaited, or the body is being read. */
  get isWanted(): boolean {
    return this.#body?.readable.locked ?? true;
  }

  attach(exchange: Exchange): void {
    this.#exchange = exchange;
  }

  onSent(): void {
    this.#requestedAtMs = Date.now();
  }

  onHeaders({ status, statusText, headers }: ResponseHead): void {
    if (this.#exchange !== null) this.#exchange.cancel();
    const { limits, explain } = this.#settings;
    const response: CacheResponse = {
      status,
      statusText,
      headers,
      requestedAtMs: this.#requestedAtMs,
      receivedAtMs: Date.now(),
    };
    const body = new BodyStream({
      contentEncoding: fieldValue(headers, 'content-encoding'),
      limits,
      explain,
      onCancel: () => this.#cancelled(),
      onPace: (isBehind) => this.#settings.onPace(isBehind),
      onWait: (isWaitedFor) => this.#exchange?.wait(isWaitedFor),
    });
    this.#exchange?.wait(false); // until the body is read
    this.#gathered = this.#settings.onResponse(response) ? [] : null;
    this.#response = response;
    this.#body = body;
    this.#resolve({
      status,
      statusText,
      headers,
      body: body.readable,
      response,
      isTolerant: this.#exchange?.isTolerant ?? false,
      discard: () => {
        body.discard();
        this.#discard();
      },
    });
  }

  onData(chunk: Buffer): void | Promise<void> {
    this.#receivedBytes += chunk.length;
    const { maxResourceBytes } = this.#settings.limits;
    if (this.#receivedBytes > maxResourceBytes) throw bodyTooLarge(maxResourceBytes);
    this.#gathered?.push(chunk);
    if (this.#discarded) this.#drain(chunk.length);
    return this.#body?.write(chunk);
  }

  onEnd(): void {
    const body = this.#body as BodyStream;
    const response = this.#response as CacheResponse;
    body.end().then(
      () => {
        if (this.#over) return;
        const bytes = this.#gathered === null ? null : Buffer.concat(this.#gathered);
        this.#finish();
        this.#settings.onWhole(response, bytes);
      },
      (error: LoaderError) => this.fail(error),
    );
  }

  onRestart(): void {
    // Before the header section the caller has received nothing, and the response simply starts over.
    if (this.#response !== null) this.#settings.onDoubt();
  }

  /** Cancelling this request fails it directly, so an `aborted` from the transport is about another request. */
  onError(error: LoaderError): void {
    const message = 'its connection was closed because another request was cancelled';
    this.fail(error.code === 'aborted' ? new LoaderError('connection-lost', message) : error);
  }

  /** Fails the pending answer and the body. */
  fail(error: LoaderError): void {
    this.#body?.fail(error);
    this.#reject(error);
    this.#finish();
  }

  /** The body will not be read. A short remainder, or a body that is buffered for the cache, is still received. */
  #discard(): void {
    this.#discarded = true;
    this.#drain(0);
  }

  /** The reader cancelled; the remainder may take long, so it is not received. */
  #cancelled(): void {
    this.#gathered = null;
    this.#drain(Number.POSITIVE_INFINITY);
  }

  #drain(bytes: number): void {
    if (this.#over || this.#gathered !== null) return;
    this.#drainedBytes += bytes;
    if (this.#drainedBytes <= mostDrainedBytes) return;
    const error = new LoaderError('aborted', 'the rest of the body is not wanted');
    // The parser may be delivering these bytes right now, so cancel later.
    queueMicrotask(() => this.#over || this.#settings.cancel(error));
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#gathered = null;
    this.#settings.onOver();
  }
}
