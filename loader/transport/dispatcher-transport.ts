// Sends requests through a user's undici Dispatcher (a mock, a proxy, a configured pool) instead of our own
// connections. The dispatcher handles each request alone: nothing is batched, pipelined or resent here, each origin
// appears as one connection without times, and the dispatcher's matching of responses to requests is trusted.

import type { Dispatcher } from 'undici';
import { LoaderError } from '../errors.ts';
import { explainConnectFailure } from './connect/connector.ts';
import { BodyPace } from './connection/body-pace.ts';
import { ResponseClock } from './connection/deadlines.ts';
import { asLoaderError, explainLoss } from './connection/explain-loss.ts';
import { boundHeaders, framingOf, headerPairs } from './connection/head-semantics.ts';
import type { Carrier, Exchange } from './exchange.ts';
import type { PageTransport, Transport } from './transport.ts';
import type { TransportOptions } from './transport-options.ts';

/** Error codes of the system, undici and OpenSSL for failed connections. */
const ofConnecting = /^(?:E[A-Z]+$|UND_ERR_CONNECT|CERT_|DEPTH_|UNABLE_|SELF_|ERR_TLS_|ERR_SSL_)/;

type Controller = Dispatcher.DispatchController;

export class DispatcherTransport implements Transport {
  readonly #dispatcher: Dispatcher;
  readonly #options: TransportOptions;
  readonly #origins = new Map<string, DispatchedOrigin>();
  readonly #pages = new Set<DispatcherPage>();

  constructor(dispatcher: Dispatcher, options: TransportOptions) {
    this.#dispatcher = dispatcher;
    this.#options = options;
  }

  beginPage(): PageTransport {
    const page = new DispatcherPage(
      (exchange) => new Dispatched(exchange, this.#origin(exchange.url), this.#options),
      this.#dispatcher,
      () => this.#pages.delete(page),
    );
    this.#pages.add(page);
    return page;
  }

  /** The dispatcher stays open; its owner closes it. */
  close(error = new LoaderError('loader-closed', 'the loader was closed')): void {
    for (const page of this.#pages) page.close(error);
  }

  #origin(url: URL): DispatchedOrigin {
    const known = this.#origins.get(url.origin);
    if (known !== undefined) return known;
    const origin = new DispatchedOrigin(this.#origins.size + 1, new URL(url.origin));
    this.#origins.set(url.origin, origin);
    return origin;
  }
}

class DispatcherPage implements PageTransport {
  readonly #begin: (exchange: Exchange) => Dispatched;
  readonly #dispatcher: Dispatcher;
  readonly #onLeave: () => void;
  readonly #underWay = new Map<Exchange, Dispatched>();
  #closed: LoaderError | null = null;

  constructor(
    begin: (exchange: Exchange) => Dispatched,
    dispatcher: Dispatcher,
    onLeave: () => void,
  ) {
    this.#begin = begin;
    this.#dispatcher = dispatcher;
    this.#onLeave = onLeave;
  }

  submit(exchange: Exchange): void {
    const request = this.#begin(exchange);
    this.#underWay.set(exchange, request);
    request.onOver = () => this.#underWay.delete(exchange);
    // This is deferred because the caller has not recorded the exchange yet.
    queueMicrotask(() => {
      if (exchange.told) return;
      if (this.#closed === null) request.send(this.#dispatcher);
      else request.fail(this.#closed);
    });
  }

  preconnect(): void {} // the dispatcher opens its own connections

  /** Always true, because the dispatcher decides about its connections. */
  hasWayAround(): boolean {
    return true;
  }

  batch(scan: () => void): void {
    scan();
  }

  flush(): void {}

  cancel(exchanges: Exchange[], error: LoaderError): void {
    for (const exchange of exchanges) {
      exchange.cancel();
      this.#underWay.get(exchange)?.fail(error);
    }
  }

  stop(exchanges: Exchange[], error: LoaderError): void {
    this.cancel(exchanges, error);
  }

  async settle(): Promise<void> {}

  async rest(): Promise<void> {}

  leave(): void {
    this.close(new LoaderError('loader-closed', 'the page is over'));
    this.#onLeave();
  }

  close(error: LoaderError): void {
    this.#closed ??= error;
    for (const request of [...this.#underWay.values()]) request.fail(error);
  }
}

/** Represents the dispatcher's connections to one origin, which are unknown. */
class DispatchedOrigin implements Carrier {
  readonly id: number;
  readonly origin: URL;
  readonly endedAt = null;
  readonly httpVersion = 'http/1.1';
  readonly remoteAddress = null;
  readonly times = {
    startedAt: performance.now(),
    lookupEndedAt: null,
    connectedAt: null,
    securedAt: null,
    roundTripMs: null,
  };

  constructor(id: number, origin: URL) {
    this.id = id;
    this.origin = origin;
  }

  abort(exchange: Exchange, error: LoaderError): void {
    exchange.attempt.controller?.abort(error);
  }
}

/** One request that the dispatcher handles. */
class Dispatched implements Dispatcher.DispatchHandler {
  onOver: () => void = () => {};
  readonly #exchange: Exchange;
  readonly #origin: DispatchedOrigin;
  readonly #options: TransportOptions;
  readonly #pace: BodyPace;
  #controller: Controller | null = null;

  constructor(exchange: Exchange, origin: DispatchedOrigin, options: TransportOptions) {
    this.#exchange = exchange;
    this.#origin = origin;
    this.#options = options;
    this.#pace = new BodyPace(exchange, (error) => this.fail(asLoaderError(error)));
  }

  send(dispatcher: Dispatcher): void {
    const { url, path, method, headers, body } = this.#exchange;
    try {
      // Timeouts are enforced by this class.
      const limits = { headersTimeout: 0, bodyTimeout: 0 };
      dispatcher.dispatch(
        {
          origin: url.origin,
          path,
          method: method as Dispatcher.HttpMethod,
          headers,
          body,
          ...limits,
        },
        this,
      );
    } catch (error) {
      this.onResponseError(null, error as Error);
    }
  }

  /** Ends the request; no further events follow. */
  fail(error: LoaderError): void {
    if (this.#exchange.told) return;
    this.onOver();
    this.#exchange.fail(error);
    this.#controller?.abort(error);
  }

  /** Called again if the dispatcher itself resends the request. */
  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#isOver) {
      controller.abort(new LoaderError('aborted', 'given up'));
      return;
    }
    const exchange = this.#exchange;
    const { attempt, headers, path } = exchange;
    attempt.connection = this.#origin;
    attempt.controller = controller;
    attempt.certain = attempt.inStep = true;
    attempt.clock ??= new ResponseClock(this.#options.timeouts, null, (error) => this.fail(error));
    attempt.clock.start();
    if (attempt.batch !== null) return;
    exchange.attempts++;
    const bytes = path.length + headers.reduce((sum, part) => sum + part.length, 0);
    attempt.batch = {
      connection: this.#origin,
      exchanges: [exchange],
      bytes,
      sentAt: performance.now(),
    };
    exchange.handler.onSent?.(attempt.batch);
  }

  onResponseStart(controller: Controller, status: number, raw: unknown, statusText = ''): void {
    this.#guard(() => {
      const { attempt, handler, method } = this.#exchange;
      const headers = headerPairs(controller.rawHeaders ?? raw);
      boundHeaders(headers, this.#options.limits.maxHeaderBytes);
      if (status < 200) {
        handler.onInterim?.(status, headers);
        return;
      }
      const { httpVersion } = this.#origin;
      const { expected, framed } = framingOf(status, headers, httpVersion);
      const isHead = method === 'HEAD';
      attempt.expected = isHead ? null : expected;
      attempt.framed = framed || isHead;
      attempt.clock?.responded();
      attempt.startedAt = performance.now();
      attempt.head = { status, statusText, headers, httpVersion, startedAt: attempt.startedAt };
      handler.onHeaders(attempt.head);
    });
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#guard(() => {
      const { attempt } = this.#exchange;
      attempt.received += chunk.length;
      attempt.clock?.progress(chunk.length);
      this.#pace.take(chunk, controller);
    });
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    const { attempt } = this.#exchange;
    const { expected, received } = attempt;
    if (expected !== null && expected !== received) {
      const message = `a body of ${received} bytes where Content-Length says ${expected}`;
      this.fail(new LoaderError('length-mismatch', message));
      return;
    }
    attempt.clock?.stop();
    this.#exchange.done = true;
    this.onOver();
    this.#pace.end(performance.now());
  }

  onResponseError(_controller: unknown, error: Error & { code?: string }): void {
    const hasBegun = this.#exchange.attempt.batch !== null;
    this.fail(hasBegun ? explainLoss(error, this.#exchange) : this.#explainUnsent(error));
  }

  #explainUnsent(error: Error & { code?: string }): LoaderError {
    if (error instanceof LoaderError) return error;
    const { origin } = this.#exchange.url;
    if (ofConnecting.test(error.code ?? '')) {
      const attempt = { origin: new URL(origin), offered: 'http/1.1', certificate: null } as const;
      return explainConnectFailure(error, { ...attempt, nowMs: Date.now() });
    }
    const message = `the dispatcher did not send it: ${error.message}`;
    return new LoaderError('connection-failed', message, { cause: error });
  }

  get #isOver(): boolean {
    return this.#exchange.done;
  }

  #guard(work: () => void): void {
    if (this.#isOver) return;
    try {
      work();
    } catch (error) {
      this.fail(asLoaderError(error));
    }
  }
}
