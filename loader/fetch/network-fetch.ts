// One request over the transport: its answer as soon as the header section is there, its body as it is
// read. What was handed to the caller cannot be taken back: from its header section on a response is never
// asked for again, and a connection that breaks, or that turns out to be out of step, ends the body with
// an error.

import { fieldValue } from '../../http/header-pairs.ts';
import type { CacheResponse } from '../cache/entry.ts';
import { LoaderError } from '../errors.ts';
import type { LimitOptions } from '../options.ts';
import type { Exchange, ExchangeHandler, ResponseHead } from '../transport/exchange.ts';
import { BodyStream, bodyTooLarge } from './body-stream.ts';
import type { FetchAnswer } from './fetch-answer.ts';

/** Of a body nobody wants, read to its end so that its connection can be kept; bytes. */
const mostDrainedBytes = 64 * 1024;

export interface NetworkFetchSettings {
  limits: LimitOptions;
  explain: (error: LoaderError) => unknown;
  /** @returns whether its body, as it comes, is to be gathered for `onWhole`. */
  onResponse(response: CacheResponse): boolean;
  /** All of the response is there. @param body null: not gathered. */
  onWhole(response: CacheResponse, body: Buffer | null): void;
  /** @param isBehind whoever reads the body has enough for now; false: reads again. */
  onPace(isBehind: boolean): void;
  /** What came for it may be another's answer. */
  onDoubt(): void;
  /** Give it up. */
  cancel(error: LoaderError): void;
  /** Nothing more will come for it. */
  onOver(): void;
}

export interface NetworkAnswer extends FetchAnswer {
  response: CacheResponse;
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

  /** Its answer is awaited, or its body is being read. */
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
    });
    this.#gathered = this.#settings.onResponse(response) ? [] : null;
    this.#response = response;
    this.#body = body;
    this.#resolve({
      status,
      statusText,
      headers,
      body: body.readable,
      response,
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
    // Before its header section nothing was told to anybody: the same response comes again.
    if (this.#response !== null) this.#settings.onDoubt();
  }

  /** Whoever gave this one up knows it by now: one that comes from below is about another on the connection. */
  onError(error: LoaderError): void {
    const message = 'its connection ended with another request, which was given up';
    this.fail(error.code === 'aborted' ? new LoaderError('connection-lost', message) : error);
  }

  /** @param error for whoever waits for the answer, or reads its body. */
  fail(error: LoaderError): void {
    this.#body?.fail(error);
    this.#reject(error);
    this.#finish();
  }

  /** Nobody will read the body: the rest of a short one, or of one that is gathered, is still taken. */
  #discard(): void {
    this.#discarded = true;
    this.#drain(0);
  }

  /** The reader had enough: what is left may be long in coming. */
  #cancelled(): void {
    this.#gathered = null;
    this.#drain(Number.POSITIVE_INFINITY);
  }

  #drain(bytes: number): void {
    if (this.#over || this.#gathered !== null) return;
    this.#drainedBytes += bytes;
    if (this.#drainedBytes <= mostDrainedBytes) return;
    const error = new LoaderError('aborted', 'the rest of the body is not wanted');
    // Not from inside the parser that may be handing on these bytes.
    queueMicrotask(() => this.#over || this.#settings.cancel(error));
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#gathered = null;
    this.#settings.onOver();
  }
}
