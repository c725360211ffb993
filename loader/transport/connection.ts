// One connection, used once: a socket with an undici client on it. It never reconnects by itself:
// undici would send the rest of a broken pipeline again at full depth, which RFC 9112 9.3.2 forbids.
// What was in flight when it ended goes back to the pool, which decides; step.ts says which ended
// responses may stand under a wrong URL.

import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import type { HeaderPair } from '../page-load.ts';
import { BatchingSocket } from './batching-socket.ts';
import { BodyPace } from './body-pace.ts';
import type { Alpn, Connect, ConnectTimes } from './connector.ts';
import { ResponseClock } from './deadlines.ts';
import type { Batch, Carrier, Exchange } from './exchange.ts';
import { asLoaderError, endsSession, explainLoss, isSurplus } from './explain-loss.ts';
import { H2Batch, LineProgress } from './h2-batch.ts';
import { watchHttp1 } from './http1-socket.ts';
import { oneSocketClient } from './one-socket-client.ts';
import { boundHeaders, framingOf, headerPairs } from './response-head.ts';
import { Step } from './step.ts';
import { loadClient } from './undici.ts';

export interface ConnectionEvents {
  onOpen(): void;
  /** The first response began: what the server speaks is known. */
  onHead(): void;
  /** A response ended: there may be room for more. */
  onFree(exchange: Exchange): void;
  /** One exchange failed and the connection goes on (HTTP/2), or the exchange alone is to blame. */
  onExchangeFailed(exchange: Exchange, error: LoaderError): void;
  /** The server is known to end connections after so many responses. */
  isKnownLimit(served: number): boolean;
  onClosed(end: ConnectionEnd): void;
}

export interface ConnectionEnd {
  error: LoaderError;
  /** We ended it, not the server. */
  byUs: boolean;
  /** Whom `error` is about; null: nobody in particular. */
  culprit: Exchange | null;
  /** In flight when it ended, oldest first. */
  lost: Exchange[];
  /** Ended responses that may stand under a wrong URL. */
  suspects: Exchange[];
  /** More was answered than asked. */
  surplus: boolean;
  /** It had been open. */
  opened: boolean;
  /** The server had said that it would close (Connection: close, HTTP/1.0). */
  announced: boolean;
}

type Controller = Dispatcher.DispatchController;

export class Connection implements Carrier {
  readonly id: number;
  readonly origin: URL;
  readonly times: ConnectTimes;
  endedAt: number | null = null;
  httpVersion: 'http/1.0' | 'http/1.1' | 'h2' = 'http/1.1';
  remoteAddress: string | null = null;
  state: 'connecting' | 'open' | 'closed' = 'connecting';
  /** No more requests: either side will close it. */
  draining = false;
  /** The server said that it will (Connection: close, HTTP/1.0). */
  announced = false;
  readonly inFlight: Exchange[] = [];
  sent = 0;
  served = 0;

  readonly #options: ResolvedOptions;
  readonly #abortConnect: () => void;
  readonly #step = new Step();
  readonly #progress = new LineProgress();
  #events: ConnectionEvents;
  #client: Client | null = null;
  #socket: Socket | null = null;
  /** Which requests leave together; null: no socket yet. */
  #batching: BatchingSocket | H2Batch | null = null;
  #headComplete: () => void = () => {};
  #socketError: Error | null = null;
  #reason: LoaderError | null = null;
  #culprit: Exchange | null = null;
  #held = false;
  readonly #closedWaiters = new Set<() => void>();
  #settling: Promise<void> | null = null;

  constructor(
    id: number,
    origin: URL,
    alpn: Alpn,
    connect: Connect,
    options: ResolvedOptions,
    events: ConnectionEvents,
  ) {
    this.id = id;
    this.origin = origin;
    this.#options = options;
    this.#events = events;
    this.times = {
      startedAt: performance.now(),
      lookupEndedAt: null,
      connectedAt: null,
      securedAt: null,
    };
    const client = loadClient();
    const attempt = connect(origin, alpn, this.times, (error, socket) => {
      if (error !== null || socket === null) {
        this.#reason ??= error;
        this.#closed();
        return;
      }
      this.#adopt(socket);
      client.then((Client) => this.#open(Client, socket));
    });
    this.#abortConnect = attempt.abort;
  }

  /** From now on these are told what happens: it goes from page to page. */
  attach(events: ConnectionEvents): void {
    this.#events = events;
  }

  /** Answers it gave that are not yet known to be in step. */
  get unproven(): number {
    return this.#step.uncertain;
  }

  /** It takes requests. */
  get usable(): boolean {
    return this.state === 'open' && !this.draining && this.#socket?.destroyed === false;
  }

  /**
   * Hand one request to the wire.
   * @param how `more`: others may follow; `last`: none will, and what comes behind the response is
   * looked at; `close`: none will, and the server is told (Connection: close).
   */
  send(exchange: Exchange, how: 'more' | 'last' | 'close'): void {
    exchange.connection = this;
    const shared = this.httpVersion === 'h2' ? () => this.#progress.othersAt(exchange) : null;
    exchange.clock = new ResponseClock(this.#options.timeouts, shared, (error) =>
      this.abort(exchange, error),
    );
    this.#step.sent(this.inFlight.length);
    this.inFlight.push(exchange);
    if (how !== 'more') this.draining = true;
    const { method, path, headers, body } = exchange;
    // undici ends a connection behind HEAD unless it is told not to.
    const reset = how === 'close';
    const dispatch = { method, path, headers, body, blocking: false, reset };
    this.#client?.dispatch(dispatch as Dispatcher.DispatchOptions, this.#handler(exchange));
  }

  hold(): void {
    this.#held = true;
    this.#batching?.hold();
  }

  release(): void {
    this.#held = false;
    this.#batching?.release();
  }

  flush(): void {
    this.#batching?.flush();
  }

  /** Give up one exchange. On HTTP/1.1 the connection ends with it, and the others are lost. */
  abort(exchange: Exchange, error: LoaderError): void {
    const place = this.inFlight.indexOf(exchange);
    if (place === -1) return;
    if (this.httpVersion !== 'h2') {
      this.destroy(error, exchange);
      return;
    }
    this.inFlight.splice(place, 1);
    exchange.clock?.stop();
    exchange.controller?.abort(error);
    this.#events.onExchangeFailed(exchange, error);
  }

  /** End it now. @param culprit whom `error` is about. */
  destroy(error: LoaderError, culprit: Exchange | null = null): void {
    if (this.state === 'closed') return;
    this.#reason ??= error;
    this.#culprit ??= culprit;
    this.draining = true;
    if (this.#socket === null) {
      this.#abortConnect();
      this.#closed();
    } else {
      this.#socket.destroy();
      this.#closed();
    }
    this.#client?.destroy().catch(() => {});
  }

  /** It has served what it can: let the server end it, and do so ourselves if it does not. */
  retire(): void {
    this.settle(true).then(() => this.destroy(new LoaderError('connection-lost', 'ended')));
  }

  /**
   * Wait until the responses so far are known to be in step: the connection has ended, or stayed
   * quiet. Surplus bytes meanwhile make suspects (`onClosed`).
   * @param last no more requests will follow: half-close, and the server's own end is the proof.
   */
  async settle(last: boolean): Promise<void> {
    if (this.state !== 'open' || this.httpVersion === 'h2') return;
    if (this.inFlight.length > 0 || !this.#step.isOpen) return;
    if (last) return await this.#settle(true);
    if (this.#step.uncertain === 0) return;
    this.#settling ??= this.#settle(false).finally(() => {
      this.#settling = null;
    });
    await this.#settling;
  }

  async #settle(last: boolean): Promise<void> {
    const { settleMs } = this.#options.pipeline;
    const roundTripMs = (this.times.connectedAt ?? 0) - this.times.startedAt;
    const waitMs = last ? settleMs : Math.min(settleMs, Math.max(1, roundTripMs));
    if (last) {
      this.draining = true;
      this.#socket?.end();
    }
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#closedWaiters.delete(done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      this.#closedWaiters.add(done);
    });
    if (this.inFlight.length === 0) this.#step.proven();
  }

  #adopt(socket: Socket): void {
    this.#socket = socket;
    this.remoteAddress = socket.remoteAddress ?? null;
    const alpn = (socket as Socket & { alpnProtocol?: string }).alpnProtocol;
    if (alpn === 'h2') this.httpVersion = 'h2';
    socket.on('error', (error) => {
      this.#socketError ??= error;
      if (this.inFlight.length === 0 && isSurplus(error)) this.#step.sawSurplus();
    });
    socket.once('close', () => this.#closed());
    if (this.httpVersion === 'h2') this.#batching = new H2Batch(this);
    else this.#batching = this.#watch(socket);
    if (this.#held) this.#batching.hold();
  }

  #watch(socket: Socket): BatchingSocket {
    const { maxHeaderBytes } = this.#options.limits;
    this.#headComplete = watchHttp1(socket, maxHeaderBytes, {
      waiting: () => this.inFlight.length,
      awaitsHead: () => this.inFlight[0]?.head === null,
      onVersion10: () => {
        this.httpVersion = 'http/1.0';
      },
      onSurplus: () => this.#step.sawSurplus(),
      onEndlessHead: () => {
        const message = `header section over limits.maxHeaderBytes (${maxHeaderBytes})`;
        const error = new LoaderError('headers-too-large', message);
        // undici is about to parse these bytes.
        queueMicrotask(() => this.destroy(error, this.inFlight[0] ?? null));
      },
    });
    return new BatchingSocket(socket, this, this.#options.batch, (batch) => this.#onBatch(batch));
  }

  #open(UndiciClient: typeof Client, socket: Socket): void {
    if (this.state === 'closed') return;
    this.#client = oneSocketClient(UndiciClient, this.origin, socket, {
      maxHeaderBytes: this.#options.limits.maxHeaderBytes,
      allowH2: this.httpVersion === 'h2',
      onOver: (error) => this.destroy(error),
    });
    this.state = 'open';
    this.#events.onOpen();
  }

  #handler(exchange: Exchange): Dispatcher.DispatchHandler {
    const current = () => exchange.connection === this && this.inFlight.includes(exchange);
    const fail = (error: unknown): void => this.abort(exchange, asLoaderError(error));
    const guard = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        fail(error);
      }
    };
    const pace = new BodyPace(exchange, { onError: fail, isCurrent: current });
    return {
      onRequestStart: (controller: Controller) => {
        if (!current()) return controller.abort(new LoaderError('connection-lost', 'ended'));
        exchange.controller = controller;
        exchange.pipelineIndex = this.sent++;
        this.#batching?.announce(exchange);
        if (this.httpVersion === 'h2' || this.inFlight[0] === exchange) this.#startClock(exchange);
      },
      onResponseStarted: () => {
        exchange.startedAt = performance.now();
      },
      onResponseStart: (controller, status, headers, statusText) => {
        if (!current()) return;
        if (exchange.batch === null) {
          this.#step.sawSurplus(); // an answer to what was not asked yet
          return this.destroy(new LoaderError('out-of-step', 'a response came before its request'));
        }
        this.#progress.mark(exchange);
        const pairs = headerPairs(controller.rawHeaders ?? headers);
        if (status < 200) guard(() => this.#interim(exchange, status, pairs));
        else guard(() => this.#begin(exchange, status, statusText ?? '', pairs));
      },
      onResponseData: (controller, chunk) => {
        // undici resumes a paused parser with an empty chunk: answered like any other, it would pause
        // and resume in microtasks for ever, and no deadline could fire.
        if (!current() || chunk.length === 0) return;
        exchange.received += chunk.length;
        this.#progress.mark(exchange);
        exchange.clock?.progress(chunk.length);
        guard(() => pace.take(chunk, controller));
      },
      onResponseEnd: () => {
        if (!current()) return;
        const endedAt = performance.now();
        if (!exchange.framed && this.#socketError !== null) return; // cut, not ended: `close` follows
        const { expected, received } = exchange;
        if (expected !== null && expected !== received) {
          const message = `a body of ${received} bytes where Content-Length says ${expected}`;
          return this.abort(exchange, new LoaderError('length-mismatch', message));
        }
        this.#finish(exchange);
        pace.end(endedAt);
      },
      onResponseError: (_controller, error) => {
        // With the connection goes all that is in flight; else this exchange alone is to blame.
        queueMicrotask(() => {
          if (!current() || this.state === 'closed' || this.#socket?.destroyed) return;
          const reason = explainLoss(error, exchange);
          if (endsSession(error)) return this.destroy(reason, exchange);
          this.inFlight.splice(this.inFlight.indexOf(exchange), 1);
          exchange.clock?.stop();
          this.#events.onExchangeFailed(exchange, reason);
          // undici gives up the whole session over one body of another length than it declared.
          if (reason.code === 'length-mismatch') {
            this.destroy(new LoaderError('connection-lost', 'HTTP/2: the session was given up'));
          }
        });
      },
    };
  }

  #interim(exchange: Exchange, status: number, headers: HeaderPair[]): void {
    const { maxInterimResponses } = this.#options.limits;
    if (++exchange.interims > maxInterimResponses) {
      const message = `more than ${maxInterimResponses} interim (1xx) responses`;
      this.abort(exchange, new LoaderError('too-many-interim-responses', message));
      return;
    }
    boundHeaders(headers, this.#options.limits.maxHeaderBytes);
    exchange.handler.onInterim?.(status, headers);
  }

  #begin(exchange: Exchange, status: number, statusText: string, headers: HeaderPair[]): void {
    boundHeaders(headers, this.#options.limits.maxHeaderBytes);
    const { expected, framed, closes } = framingOf(status, headers, this.httpVersion);
    exchange.expected = exchange.method === 'HEAD' ? null : expected;
    exchange.framed = framed || exchange.method === 'HEAD';
    exchange.certain =
      this.httpVersion === 'h2' || this.#step.isCertain(exchange, this.inFlight.length - 1);
    if (closes) this.draining = this.announced = true;
    this.#headComplete();
    if (this.served === 0) this.#events.onHead();
    exchange.clock?.responded();
    const startedAt = exchange.startedAt ?? performance.now();
    const { httpVersion } = this;
    exchange.head = { status, statusText, headers, httpVersion, startedAt };
    exchange.handler.onHeaders(exchange.head);
  }

  #finish(exchange: Exchange): void {
    this.inFlight.splice(this.inFlight.indexOf(exchange), 1);
    exchange.clock?.stop();
    exchange.done = true;
    this.served++;
    if (this.httpVersion !== 'h2') {
      this.#step.ended(exchange);
      const [head] = this.inFlight;
      if (head !== undefined && head.batch !== null) this.#startClock(head);
      if (head === undefined && this.draining && !this.announced) this.retire();
    } else {
      exchange.inStep = true; // streams have numbers
    }
    queueMicrotask(() => this.#events.onFree(exchange));
  }

  #startClock(exchange: Exchange): void {
    const { responseMs } = this.#options.timeouts;
    const { stallMs } = this.#options.pipeline;
    // A server that served before and now says nothing to a pipeline may have dropped its rest.
    const stalls = this.httpVersion !== 'h2' && this.served > 0 && this.inFlight.length > 1;
    exchange.clock?.start(stalls ? Math.min(stallMs, responseMs) : responseMs);
  }

  #onBatch(batch: Batch): void {
    for (const exchange of batch.exchanges) {
      exchange.batch = batch;
      exchange.attempts++;
      exchange.handler.onSent?.(batch);
    }
    const [head] = this.inFlight;
    if (head !== undefined && head.batch === batch) this.#startClock(head);
  }

  #closed(): void {
    if (this.state === 'closed') return;
    const opened = this.state === 'open';
    const announced = this.announced && this.#reason === null;
    this.state = 'closed';
    this.endedAt = performance.now();
    const lost = this.inFlight.splice(0);
    for (const exchange of lost) exchange.clock?.stop();
    const error =
      this.#reason ?? explainLoss(this.#socketError ?? new Error('closed'), lost[0] ?? null);
    const unanswered = lost.filter(({ batch }) => batch !== null).length;
    const limitKnown = announced && this.#events.isKnownLimit(this.served);
    const suspects = this.#step.suspects(unanswered, limitKnown);
    const [byUs, culprit] = [this.#reason !== null, this.#culprit];
    const surplus = this.#step.hasSurplus;
    this.#events.onClosed({ error, byUs, culprit, lost, suspects, surplus, opened, announced });
    for (const wake of this.#closedWaiters) wake();
    this.#client?.destroy().catch(() => {});
  }
}
