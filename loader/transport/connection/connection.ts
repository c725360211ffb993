// One connection, used once. It never reconnects by itself: undici would resend the rest of a broken pipeline at
// full depth, which RFC 9112 9.3.2 forbids. Requests in flight at its end go back to the pool. client-socket.ts
// manages its socket, in-flight.ts its requests, response-reader.ts an arriving response. This file decides what each
// response means for the connection, when it is known to be in sync (response-sync.ts), and how it ends.

import { setTimeout as delay } from 'node:timers/promises';
import type { HeaderPair } from '../../../http/header-pairs.ts';
import { LoaderError } from '../../errors.ts';
import type { Alpn, Connect } from '../connect/connector.ts';
import type { ConnectTimes } from '../connect/open-tcp.ts';
import type { Carrier, Exchange } from '../exchange.ts';
import type { TransportOptions } from '../transport-options.ts';
import { ClientSocket } from './client-socket.ts';
import { type ConnectionEvents, unheard } from './connection-events.ts';
import { explainLoss, isReset } from './explain-loss.ts';
import { InFlight, type Pace } from './in-flight.ts';
import { KeepAlive } from './keep-alive.ts';
import { type ResponseContext, ResponseReader } from './response-reader.ts';
import { ResponseSync } from './response-sync.ts';

export class Connection implements Carrier {
  readonly id: number;
  readonly origin: URL;
  endedAt: number | null = null;
  state: 'connecting' | 'open' | 'closed' = 'connecting';
  /** The connection accepts no more requests, because either side will close it. */
  draining = false;
  /** The connection carries a single request that must not share one. */
  isLone = false;
  /** The server announced the close (Connection: close, HTTP/1.0). */
  announced = false;

  readonly #options: TransportOptions;
  readonly #inFlight: InFlight;
  readonly #sync = new ResponseSync();
  readonly #socket: ClientSocket;
  readonly #line: KeepAlive;
  readonly #responses: ResponseContext;
  #events: ConnectionEvents = unheard;
  #reason: LoaderError | null = null;
  #culprit: Exchange | null = null;
  readonly #pace: Pace;
  readonly #ended = new AbortController();
  #settling: Promise<void> | null = null;
  /** Shortest time from a request to its response, ms; the round trip takes no longer. */
  #quickestMs = Number.POSITIVE_INFINITY;

  constructor(
    id: number,
    origin: URL,
    alpn: Alpn,
    connect: Connect,
    options: TransportOptions,
    pace: Pace,
  ) {
    this.id = id;
    this.origin = origin;
    this.#options = options;
    this.#pace = pace;
    this.#inFlight = new InFlight(this, options, pace);
    this.#responses = this.#responseContext();
    const onOver = () => this.drain();
    const { keepAlive, protocol } = options;
    this.#line = keepAlive?.(protocol === 'http1.0', onOver) ?? new KeepAlive(onOver);
    this.#socket = new ClientSocket(this, this.#inFlight, alpn, connect, options, {
      onOpen: () => {
        this.state = 'open';
        this.#events.onOpen();
      },
      onSettings: () => this.#events.onOpen(),
      onGoaway: (taken) => {
        this.draining = this.announced = true;
        if (taken < this.sent) this.#events.onStreamLimit(taken);
      },
      onHttp1Required: () => {
        this.draining = this.announced = true;
        pace.requiresHttp1(performance.now());
      },
      onSurplus: () => this.#sync.sawSurplus(),
      onUnusable: (error, culprit) => this.destroy(error, culprit),
      onClosed: (error) => {
        this.#reason ??= error;
        this.#closed();
      },
    });
  }

  /** Sets the receiver of events; connections pass from page to page. */
  attach(events: ConnectionEvents): void {
    this.#events = events;
  }

  get times(): ConnectTimes {
    return this.#socket.times;
  }

  get httpVersion(): 'http/1.0' | 'http/1.1' | 'h2' {
    return this.#socket.httpVersion;
  }

  get remoteAddress(): string | null {
    return this.#socket.remoteAddress;
  }

  /** Number of requests in flight. */
  get load(): number {
    return this.#inFlight.length;
  }

  /** HTTP/2: limit on concurrent streams. */
  get maxStreams(): number {
    return this.#socket.maxStreams;
  }

  /** Number of requests sent on the connection, including those in flight. */
  get sent(): number {
    return this.#inFlight.sent;
  }

  /** Number of responses whose header section has arrived. */
  get answered(): number {
    return this.#inFlight.answered;
  }

  /** Number of complete responses. */
  get served(): number {
    return this.#inFlight.served;
  }

  /** Number of responses that are not known to be in sync yet. */
  get unproven(): number {
    return this.#sync.uncertain;
  }

  /** See KeepAlive. */
  get mayHold(): boolean {
    return this.#line.mayHold;
  }

  /** Number of requests that the connection may carry in total, as announced by the server (Keep-Alive: max). */
  get mayCarry(): number {
    return this.#line.mayCarry;
  }

  /** Whether the connection accepts requests. */
  get usable(): boolean {
    const isOpen = this.state === 'open' && !this.draining && this.#socket.isAlive;
    // The timer that closes an idle connection may be late.
    return isOpen && !this.#line.isOver;
  }

  /**
   * @param how `more`: others may follow. `last`: none will, and bytes after the response are checked. `close`: none
   * will, and the server is told so (Connection: close). `trial`: others may follow if the server answers this one.
   */
  send(exchange: Exchange, how: 'more' | 'last' | 'close' | 'trial'): void {
    exchange.attempt.connection = this;
    const isLast = how === 'last' || how === 'close';
    this.#sync.sent(this.load);
    if (this.load === 0 && this.httpVersion !== 'h2') this.#line.sent(isLast);
    this.#inFlight.join(exchange, { isTrial: how === 'trial' });
    if (isLast) this.draining = true;
    this.isLone = exchange.alone;
    if (exchange.isTolerant) this.#socket.tolerate(exchange);
    const { method, path, urgency, body } = exchange;
    const added = this.httpVersion === 'h2' ? [] : this.#line.fields(isLast);
    exchange.attempt.added = added;
    const headers = [...exchange.headers, ...added.flat()];
    const request = { method, path, headers, urgency, body };
    const reader = new ResponseReader(exchange, this.#responses);
    this.#socket.dispatch(request, how === 'close', reader);
    this.waitedFor();
  }

  waitedFor(): void {
    if (this.load > 0) this.#socket.keep(this.#inFlight.isWaitedFor);
  }

  hold(): void {
    this.#socket.hold();
  }

  release(): void {
    this.#socket.release();
  }

  flush(): void {
    this.#socket.flush();
  }

  /** Cancels one exchange. On HTTP/1.1 this closes the connection, and the other exchanges are lost. */
  abort(exchange: Exchange, error: LoaderError): void {
    if (!this.#inFlight.has(exchange)) return;
    if (this.httpVersion !== 'h2') {
      this.destroy(error, exchange);
      return;
    }
    this.#inFlight.leave(exchange);
    exchange.attempt.controller?.abort(error);
    this.#events.onExchangeFailed(exchange, error);
  }

  /** Closes the connection now. @param culprit The exchange that `error` is about. */
  destroy(error: LoaderError, culprit: Exchange | null = null): void {
    if (this.state === 'closed') return;
    this.#reason ??= error;
    this.#culprit ??= culprit;
    this.draining = true;
    this.#socket.destroy();
    this.#closed();
  }

  /** Accepts no more requests, and closes the connection after the responses in flight. */
  drain(): void {
    this.draining = true;
    if (this.state === 'open' && this.load === 0) this.#retire();
  }

  /** Ends a connection that is used up: the server may close it first, otherwise we close it. */
  #retire(): void {
    this.settle({ last: true }).then(() =>
      this.destroy(new LoaderError('connection-lost', 'ended')),
    );
  }

  /**
   * Resolves once the responses so far are known to be in sync, because the connection has ended or stayed quiet.
   * Surplus bytes in the meantime make the responses suspects (`onClosed`).
   * @param last No more requests follow: the connection is half-closed, and its close by the server is the proof.
   */
  async settle({ last }: { last: boolean }): Promise<void> {
    if (this.state !== 'open' || this.httpVersion === 'h2') return;
    if (this.load > 0 || !this.#sync.isOpen) return;
    if (last) return await this.#halfClose();
    if (this.#sync.uncertain === 0) return;
    const { settleMs } = this.#options.pipeline;
    // A process that has just started may notice late that it is connected, so the measured time may be too long.
    const roundTripMs = Math.min(this.#socket.connectMs, this.#quickestMs);
    this.#settling ??= this.#watch(Math.min(settleMs, Math.max(1, roundTripMs))).finally(() => {
      this.#settling = null;
    });
    await this.#settling;
  }

  async #halfClose(): Promise<void> {
    this.draining = true;
    this.#socket.halfClose();
    await this.#watch(this.#options.pipeline.settleMs);
  }

  async #watch(waitMs: number): Promise<void> {
    const { signal } = this.#ended;
    await delay(waitMs, undefined, { signal }).catch(() => {});
    if (this.load === 0) this.#sync.proven();
  }

  #responseContext(): ResponseContext {
    const events = {
      onStart: (exchange: Exchange) => {
        this.#inFlight.started(exchange);
        this.#socket.announce(exchange);
      },
      onUnasked: () => {
        this.#sync.sawSurplus();
        this.destroy(new LoaderError('out-of-step', 'a response came before its request'));
      },
      onHead: (exchange: Exchange, closes: boolean, headers: readonly HeaderPair[]) => {
        this.#begun(exchange, closes);
        this.#line.replied(headers, this.answered);
      },
      onEnd: (exchange: Exchange) => this.#answered(exchange),
      onLost: (exchange: Exchange, error: Error) => {
        // On HTTP/1.1 the connection ends with everything in flight; on HTTP/2 only this exchange fails.
        queueMicrotask(() => this.#lost(exchange, error));
      },
    };
    const flow = () => (this.httpVersion === 'h2' ? null : this.#socket);
    return { connection: this, line: this.#inFlight, limits: this.#options.limits, flow, events };
  }

  #begun(exchange: Exchange, closes: boolean): void {
    this.#inFlight.answers(exchange);
    const { batch, startedAt } = exchange.attempt;
    if (batch !== null && startedAt !== null) {
      this.#quickestMs = Math.min(this.#quickestMs, startedAt - batch.sentAt);
    }
    exchange.attempt.certain =
      this.httpVersion === 'h2' || this.#sync.isCertain(exchange, this.load - 1);
    exchange.attempt.isLast = closes;
    if (closes) this.draining = this.announced = true;
    this.#socket.headComplete();
    // A server sends GOAWAY before it answers the last stream that it accepts.
    const hasAnsweredAll = this.httpVersion === 'h2' && this.#inFlight.answered === this.sent;
    if (this.served === 0 || hasAnsweredAll) this.#events.onHead(exchange);
  }

  #answered(exchange: Exchange): boolean {
    if (!exchange.attempt.framed && this.#socket.failure !== null) return false; // the body was truncated
    this.#inFlight.ended(exchange);
    exchange.done = true;
    if (this.httpVersion === 'h2') {
      exchange.attempt.inStep = true; // streams are matched by id, not by order
    } else {
      const isOfAnother = this.#sync.isOfAnother(exchange, this.#inFlight.all);
      this.#sync.ended(exchange);
      if (isOfAnother) return this.#outOfOrder();
      if (this.load === 0 && !this.#staysUsable()) this.draining = true;
    }
    if (this.load === 0 && this.draining) this.#retire();
    queueMicrotask(() => this.#events.onFree(exchange));
    return true;
  }

  /** Closes a connection that answered out of order; all responses that are not certain are in doubt. */
  #outOfOrder(): false {
    this.#pace.mayNotPipeline(performance.now());
    this.#sync.sawSurplus();
    this.destroy(new LoaderError('out-of-step', 'a response was one to another request'));
    return false;
  }

  /** Called when all responses have arrived. @returns Whether another request may follow */
  #staysUsable(): boolean {
    const roundTripMs = Math.min(this.#socket.connectMs, this.#quickestMs);
    const isKept = this.#line.idle(roundTripMs);
    return isKept && this.served < this.mayCarry;
  }

  #lost(exchange: Exchange, error: Error): void {
    if (!this.#inFlight.has(exchange) || !this.#socket.isAlive) return;
    this.#inFlight.leave(exchange);
    this.#events.onExchangeFailed(exchange, explainLoss(error, exchange));
  }

  #closed(): void {
    if (this.state === 'closed') return;
    const opened = this.state === 'open';
    const announced = this.announced && this.#reason === null;
    this.state = 'closed';
    this.#line.closed();
    this.endedAt = performance.now();
    const lost = this.#inFlight.leaveAll();
    const error =
      this.#reason ?? explainLoss(this.#socket.failure ?? new Error('closed'), lost[0] ?? null);
    const unanswered = lost.filter(({ attempt }) => attempt.batch !== null).length;
    const suspects = this.#sync.suspects(unanswered);
    const [byUs, culprit] = [this.#reason !== null, this.#culprit];
    this.#events.onClosed({
      error,
      byUs,
      culprit,
      lost,
      suspects,
      opened,
      announced,
      stalled: culprit !== null && this.#inFlight.hasStalled(culprit),
      surplus: this.#sync.hasSurplus,
      wasReset: isReset(this.#socket.failure),
    });
    this.#ended.abort();
  }
}
