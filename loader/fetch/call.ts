// One request of a `fetch` function over the transport. The answer resolves with the header section; the body streams
// as it is read. Bytes that the caller has received cannot be taken back: after the header section, a lost or
// desynchronized connection ends the body with an error instead of a retry.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { CacheResponse } from '../cache/entry.ts';
import { LoaderError } from '../errors.ts';
import type { Limits } from '../options.ts';
import { Exchange, type ExchangeHandler, type ResponseHead } from '../transport/exchange.ts';
import { BodyStream, bodyTooLarge } from './body-stream.ts';
import type { FetchRequest } from './fetch-request.ts';

/** Limit on bytes of an unwanted body that are still received, so that the connection can be reused. */
const mostDrainedBytes = 64 * 1024;

/** What is needed to create a Response or to follow a redirect. */
export interface FetchAnswer {
  status: number;
  statusText: string;
  /** Header fields as received. */
  headers: HeaderPair[];
  /** The body, with its content coding removed. */
  body: ReadableStream<Uint8Array> | null;
  /** Drops the body unread. */
  discard(): void;
}

export interface NetworkAnswer extends FetchAnswer {
  response: CacheResponse;
}

export interface CallSettings {
  /** @returns Whether to buffer the body for `onWhole`. */
  onResponse(response: CacheResponse): boolean;
  /** Called when the response is complete. @param body null if it was not buffered. */
  onWhole(response: CacheResponse, body: Buffer | null): void;
  /** Called when the bytes received so far may belong to another response. */
  onDoubt(): void;
  cancel(error: LoaderError): void;
  onOver(): void;
}

export class Call implements ExchangeHandler {
  readonly exchange: Exchange;
  readonly answer: Promise<NetworkAnswer>;
  readonly #signal: AbortSignal | null;
  readonly #limits: Limits;
  readonly #settings: CallSettings;
  #resolve!: (answer: NetworkAnswer) => void;
  #reject!: (error: LoaderError) => void;
  #requestedAtMs = Date.now();
  #response: CacheResponse | null = null;
  #body: BodyStream | null = null;
  #gathered: Buffer[] | null = null;
  #receivedBytes = 0;
  /** Bytes received of a body since it became unwanted; null while the body is wanted. */
  #drainedBytes: number | null = null;
  #over = false;

  constructor(
    { url, method, body, signal }: FetchRequest,
    fields: HeaderPair[],
    limits: Limits,
    settings: CallSettings,
  ) {
    const options = { urgent: true, priority: 0, method, body };
    this.exchange = new Exchange(url, fields.flat(), options, this);
    this.#signal = signal;
    this.#limits = limits;
    this.#settings = settings;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** true while the answer is awaited or the body is being read. */
  get isWanted(): boolean {
    return this.#body?.readable.locked ?? true;
  }

  cancel(error: LoaderError): void {
    this.#fail(error);
    this.#settings.cancel(error);
  }

  onSent(): void {
    this.#requestedAtMs = Date.now();
  }

  onHeaders({ status, statusText, headers }: ResponseHead): void {
    this.exchange.cancel();
    const requestedAtMs = this.#requestedAtMs;
    const received = { status, statusText, headers };
    const response = { ...received, requestedAtMs, receivedAtMs: Date.now() };
    const body = new BodyStream(headers, this.#limits, this.#signal, {
      // The rest of the body may take long, so it is not received.
      onCancel: () => {
        this.#gathered = null;
        this.#drain(Number.POSITIVE_INFINITY);
      },
      onWait: (isWaitedFor) => this.exchange.wait(isWaitedFor),
    });
    this.exchange.wait(false); // until the body is read
    this.#gathered = this.#settings.onResponse(response) ? [] : null;
    this.#response = response;
    this.#body = body;
    const discard = (): void => {
      body.discard();
      this.#drain(0);
    };
    this.#resolve({ ...received, body: body.readable, response, discard });
  }

  onData(chunk: Buffer): void | Promise<void> {
    this.#receivedBytes += chunk.length;
    const { maxResourceBytes } = this.#limits;
    if (this.#receivedBytes > maxResourceBytes) throw bodyTooLarge(maxResourceBytes);
    this.#gathered?.push(chunk);
    if (this.#drainedBytes !== null) this.#drain(chunk.length);
    return this.#body?.write(chunk);
  }

  async onEnd(): Promise<void> {
    try {
      await this.#body?.end();
    } catch (error) {
      this.#fail(error as LoaderError);
    }
    if (this.#over || this.#response === null) return;
    const bytes = this.#gathered === null ? null : Buffer.concat(this.#gathered);
    // The response is stored before the body ends, so that the caller's next request finds it.
    this.#settings.onWhole(this.#response, bytes);
    this.#body?.close();
    this.#finish();
  }

  onRestart(): void {
    // Before the header section the caller has received nothing, and the response simply starts over.
    if (this.#response !== null) this.#settings.onDoubt();
  }

  /** Cancelling this request fails it directly, so an `aborted` error of the transport is for another request. */
  onError(error: LoaderError): void {
    const message = 'its connection was closed because another request was cancelled';
    this.#fail(error.code === 'aborted' ? new LoaderError('connection-lost', message) : error);
  }

  readonly #onAbort = (): void => this.cancel(new LoaderError('aborted', 'aborted by its signal'));

  /** Fails the pending answer and the body. */
  #fail(error: LoaderError): void {
    this.#body?.fail(error);
    this.#reject(error);
    this.#finish();
  }

  /** Called for an unwanted body. A short rest, or a body that is buffered for the cache, is still received. */
  #drain(bytes: number): void {
    if (this.#over) return;
    this.#drainedBytes = (this.#drainedBytes ?? 0) + bytes;
    if (this.#gathered !== null || this.#drainedBytes <= mostDrainedBytes) return;
    const error = new LoaderError('aborted', 'the rest of the body is not wanted');
    // The parser may be delivering these bytes right now, so cancel later.
    queueMicrotask(() => this.#over || this.#settings.cancel(error));
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#gathered = null;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#settings.onOver();
  }
}
