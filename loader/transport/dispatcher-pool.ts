// The requests of one page to one origin through a user's undici Dispatcher (a mock, a proxy, a configured pool), in
// place of our own connections. The dispatcher handles each request alone: nothing is batched, pipelined or resent
// here, the origin appears as one connection without times, and the dispatcher's matching of responses is trusted.

import type { Dispatcher } from 'undici';
import { LoaderError } from '../errors.ts';
import { explainConnectFailure } from './connect/connect-faults.ts';
import { newTimes } from './connect/connector.ts';
import { explainLoss } from './connection/explain-loss.ts';
import { type ResponseOwner, ResponseReader } from './connection/response-reader.ts';
import { type Carrier, type Exchange, ResponseClock } from './exchange.ts';
import type { TransportLimits, TransportOptions } from './transport-options.ts';

/** Matches the error codes that the system, undici and OpenSSL give a connection that could not be opened. */
const ofConnecting = /^(?:E[A-Z]+$|UND_ERR_CONNECT|CERT_|DEPTH_|UNABLE_|SELF_|ERR_TLS_|ERR_SSL_)/;

/** Stands for all connections of a user's dispatcher to one origin, which are not visible here; lasts for all pages. */
export class DispatchedOrigin implements Carrier {
  readonly id: number;
  readonly origin: URL;
  readonly endedAt = null;
  readonly httpVersion = 'http/1.1';
  readonly remoteAddress = null;
  readonly times = newTimes();

  constructor(id: number, origin: URL) {
    this.id = id;
    this.origin = origin;
  }

  abort(exchange: Exchange, error: LoaderError): void {
    exchange.attempt.controller?.abort(error);
  }
}

export class DispatcherPool implements ResponseOwner {
  readonly httpVersion = 'http/1.1';
  readonly limits: TransportLimits;
  /** Null because there is no connection to pause: undici's controller of a response pauses it. */
  readonly flow = null;
  readonly #dispatcher: Dispatcher;
  readonly #origin: DispatchedOrigin;
  readonly #options: TransportOptions;
  /** Exchanges whose response is incomplete. */
  readonly #underWay = new Set<Exchange>();

  constructor(dispatcher: Dispatcher, origin: DispatchedOrigin, options: TransportOptions) {
    this.#dispatcher = dispatcher;
    this.#origin = origin;
    this.#options = options;
    this.limits = options.limits;
  }

  submit(exchange: Exchange): void {
    this.#underWay.add(exchange);
    // The request is sent later because the caller has not recorded the exchange yet.
    queueMicrotask(() => {
      if (!exchange.told) this.#send(exchange);
    });
  }

  #send(exchange: Exchange): void {
    const { url, path, method, headers, body } = exchange;
    const reader = new ResponseReader(exchange, this);
    const request = { origin: url.origin, path, method, headers, body };
    try {
      // Undici's timeouts are turned off, as the clock of the exchange enforces the loader's.
      const options = { ...request, headersTimeout: 0, bodyTimeout: 0 };
      this.#dispatcher.dispatch(options as Dispatcher.DispatchOptions, reader);
    } catch (error) {
      this.onLost(exchange, error as Error);
    }
  }

  get isQuiet(): boolean {
    return this.#underWay.size === 0;
  }

  cancel(exchange: Exchange, error: LoaderError): void {
    this.abort(exchange, error);
  }

  leave(): void {
    this.close(new LoaderError('loader-closed', 'the page is over'));
  }

  /** Ends all exchanges with this error. The dispatcher stays open; its owner closes it. */
  close(error: LoaderError): void {
    for (const exchange of [...this.#underWay]) this.abort(exchange, error);
  }

  /** Ends the exchange; no further events follow. */
  abort(exchange: Exchange, error: LoaderError): void {
    this.#underWay.delete(exchange);
    if (exchange.told) return;
    const { controller } = exchange.attempt;
    exchange.fail(error);
    controller?.abort(error);
  }

  awaits(exchange: Exchange): boolean {
    return this.#underWay.has(exchange);
  }

  /** Starts the response's clock and reports the request as sent; called again if the dispatcher itself resends it. */
  onStart(exchange: Exchange): void {
    const { attempt, headers, path } = exchange;
    attempt.connection = this.#origin;
    attempt.certain = attempt.inStep = true;
    attempt.clock ??= new ResponseClock(this.#options.timeouts, null, (error) =>
      this.abort(exchange, error),
    );
    attempt.clock.start();
    if (attempt.batch !== null) return;
    exchange.attempts++;
    const bytes = path.length + headers.reduce((sum, part) => sum + part.length, 0);
    const sentAt = performance.now();
    attempt.batch = { connection: this.#origin, exchanges: [exchange], bytes, sentAt };
    exchange.handler.onSent?.(attempt.batch);
  }

  onEnd(exchange: Exchange): boolean {
    exchange.attempt.clock?.stop();
    exchange.done = true;
    this.#underWay.delete(exchange);
    return true;
  }

  onLost(exchange: Exchange, error: Error): void {
    const hasBegun = exchange.attempt.batch !== null;
    this.abort(exchange, hasBegun ? explainLoss(error, exchange) : explainUnsent(error, exchange));
  }
}

function explainUnsent(error: Error & { code?: string }, { url }: Exchange): LoaderError {
  if (error instanceof LoaderError) return error;
  if (ofConnecting.test(error.code ?? '')) {
    const origin = new URL(url.origin);
    const attempt = { origin, offered: 'http/1.1', certificate: null, nowMs: Date.now() } as const;
    return explainConnectFailure(error, attempt);
  }
  const message = `the dispatcher did not send it: ${error.message}`;
  return new LoaderError('connection-failed', message, { cause: error });
}
