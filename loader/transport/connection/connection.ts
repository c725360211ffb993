// One connection, used once, from connecting to closing. It never reconnects by itself: undici would resend the rest of
// a broken pipeline at full depth, which RFC 9112 9.3.2 forbids. Requests in flight at its end go back to the pool.
// http1-client.ts and http2-client.ts speak on its socket, in-flight.ts knows its requests and whether responses are in
// sync with them (answer their own requests), response-reader.ts reads an arriving response. This file decides what a
// response means for the connection, when the connection is known to be in sync, and how it ends.

import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { HeaderPair } from '../../../http/header-pairs.ts';
import { LoaderError } from '../../errors.ts';
import type { Alpn } from '../connect/connect-faults.ts';
import { type Connect, newTimes } from '../connect/connector.ts';
import type { Carrier, Exchange, HttpVersion } from '../exchange.ts';
import type { TransportLimits, TransportOptions } from '../transport-options.ts';
import { explainLoss, isSurplus } from './explain-loss.ts';
import { Http1Client, loadClient } from './http1-client.ts';
import { Http2Client, loadHttp2 } from './http2-client.ts';
import { InFlight, type Pace, ResponseSync } from './in-flight.ts';
import { KeepAlive } from './keep-alive.ts';
import { type Pausable, type ResponseOwner, ResponseReader } from './response-reader.ts';

/** Events of a connection for its owner: a page's pool or, while it is idle, its KnownOrigin (only `onClosed`). */
export interface ConnectionEvents {
  onOpen?(): void;
  /** Called when a response has begun and none on the connection is complete yet; it tells the HTTP version. */
  onHead?(exchange: Exchange): void;
  /** Called on HTTP/2 if the server processed only `taken` of the streams that were sent to it. */
  onStreamLimit?(taken: number): void;
  /** Called when a response has ended, so there may be capacity for another request. */
  onFree?(exchange: Exchange): void;
  /** Called when one exchange failed and the connection continues: on HTTP/2, or if only the exchange is at fault. */
  onExchangeFailed?(exchange: Exchange, error: LoaderError): void;
  onClosed?(end: ConnectionEnd): void;
}

export interface ConnectionEnd {
  error: LoaderError;
  /** This side closed the connection, not the server. */
  byUs: boolean;
  /** The exchange that `error` is about; null: it is about none in particular. */
  culprit: Exchange | null;
  /** Exchanges in flight when the connection ended, oldest first. */
  lost: Exchange[];
  /** Complete responses that may answer other requests than those that they were matched with. */
  suspects: Exchange[];
  /** This side closed the connection because the pipeline fell silent when the response to `culprit` was due. */
  stalled: boolean;
  /** The server sent more responses than there were requests. */
  surplus: boolean;
  /** The connection had been open before it ended, so it did not fail to open. */
  opened: boolean;
  /** The server had announced that it closes the connection (Connection: close, HTTP/1.0, GOAWAY). */
  announced: boolean;
}

export class Connection implements Carrier, ResponseOwner {
  readonly id: number;
  readonly origin: URL;
  readonly times = newTimes();
  readonly limits: TransportLimits;
  readonly sync = new ResponseSync();
  readonly keepAlive: KeepAlive;
  httpVersion: HttpVersion = 'http/1.1';
  remoteAddress: string | null = null;
  endedAt: number | null = null;
  state: 'connecting' | 'open' | 'closed' = 'connecting';
  /** The connection accepts no more requests, because either side will close it. */
  draining = false;
  /** The connection carries a single request, which must not share it with others. */
  isLone = false;
  /** The server announced that it closes the connection (Connection: close, HTTP/1.0, GOAWAY). */
  announced = false;

  readonly #options: TransportOptions;
  readonly #inFlight: InFlight;
  readonly #pace: Pace;
  readonly #abortConnect: () => void;
  #socket: Socket | null = null;
  /** The HTTP client on the socket; null: the connection is not open yet. */
  #client: Http1Client | Http2Client | null = null;
  #isHeld = false;
  #events: ConnectionEvents = {};
  /** The error of the system or of undici that broke the connection; null: no error has. */
  #failure: Error | null = null;
  #reason: LoaderError | null = null;
  #culprit: Exchange | null = null;
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
    this.limits = options.limits;
    this.#options = options;
    this.#pace = pace;
    this.#inFlight = new InFlight(this, options, pace);
    const onOver = () => this.drain();
    const { keepAlive, protocol } = options;
    this.keepAlive = keepAlive?.(protocol === 'http1.0', onOver) ?? new KeepAlive(onOver);
    // The HTTP client (undici's or node:http2) is loaded while the connection opens, to be ready for the first request.
    const client = alpn === 'h2' ? loadHttp2() : loadClient();
    client.catch(() => {}); // the error is reported where the client is used
    const attempt = connect(origin, alpn, this.times, (error, socket) => {
      if (socket !== null) this.#open(socket, alpn);
      else {
        this.#reason ??= error;
        this.#closed();
      }
    });
    this.#abortConnect = attempt.abort;
  }

  async #open(socket: Socket, alpn: Alpn): Promise<void> {
    this.#socket = socket;
    this.remoteAddress = socket.remoteAddress ?? null;
    // Cleartext connections negotiate nothing; they use the protocol they were opened for.
    const negotiated = (socket as Socket & { alpnProtocol?: string | null }).alpnProtocol;
    if ((negotiated ?? alpn) === 'h2') this.httpVersion = 'h2';
    socket.on('error', (error) => {
      this.#failure ??= error;
      if (this.load === 0 && isSurplus(error)) this.sync.hasSurplus = true;
    });
    socket.once('close', () => {
      this.#closed();
      this.#client?.destroy();
    });
    const client =
      this.httpVersion === 'h2' ? await this.#http2(socket) : await this.#http1(socket);
    if (client === null) return;
    this.#client = client;
    if (this.#isHeld) client.writes.hold();
    this.state = 'open';
    this.#events.onOpen?.();
  }

  async #http1(socket: Socket): Promise<Http1Client | null> {
    const UndiciClient = await loadClient();
    if (this.state === 'closed') return null;
    return new Http1Client(UndiciClient, socket, this, this.#inFlight, this.#options, {
      onVersion10: () => {
        this.httpVersion = 'http/1.0';
      },
      onSurplus: () => {
        this.sync.hasSurplus = true;
      },
      onUnusable: (error, culprit) => this.destroy(error, culprit),
    });
  }

  async #http2(socket: Socket): Promise<Http2Client | null> {
    const http2 = await loadHttp2();
    if (this.state === 'closed') return null;
    const onHttp1Required = () => {
      this.draining = this.announced = true;
      this.#pace.requiresHttp1();
    };
    return new Http2Client(http2, socket, this, {
      onHttp1Required: this.#options.protocol === 'h2' ? null : onHttp1Required,
      onGoaway: (taken) => {
        this.draining = this.announced = true;
        if (taken < this.sent) this.#events.onStreamLimit?.(taken);
      },
      onSettings: () => this.#events.onOpen?.(),
    });
  }

  /** Sets the receiver of events, which changes when the connection passes from page to page. */
  attach(events: ConnectionEvents): void {
    this.#events = events;
  }

  /** Number of requests in flight. */
  get load(): number {
    return this.#inFlight.length;
  }

  /** The server's limit on concurrent streams of HTTP/2; 1 on HTTP/1.x, and until the connection is open. */
  get maxStreams(): number {
    return this.#client?.maxStreams ?? 1;
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

  /** Number of requests that the connection may carry in total, as announced by the server (Keep-Alive: max). */
  get mayCarry(): number {
    return this.keepAlive.mayCarry;
  }

  /** Whether the connection accepts requests. */
  get usable(): boolean {
    const isOpen = this.state === 'open' && !this.draining && this.#isAlive;
    // The timer that closes an idle connection may be late, so its time is checked as well.
    return isOpen && !this.keepAlive.isOver;
  }

  /** Whether neither side has destroyed the socket or the session on it. */
  get #isAlive(): boolean {
    return this.#socket?.destroyed === false && this.#client?.isAlive === true;
  }

  /** Shortest time to connect or to a response, roughly one round trip, ms; negative until connected. */
  get #roundTripMs(): number {
    return Math.min((this.times.connectedAt ?? 0) - this.times.startedAt, this.#quickestMs);
  }

  /**
   * Hands the exchange's request to the client (undici), which calls the response reader's `onStart` right before it
   * writes the request to the socket: by that call the BatchingSocket knows whose bytes it gathers next.
   * @param how `more`: other requests may follow. `last`: none will, and bytes after the response are checked. `close`:
   * none will, and the server is told so (Connection: close). `trial`: others may follow if this one is answered.
   */
  send(exchange: Exchange, how: 'more' | 'last' | 'close' | 'trial'): void {
    exchange.attempt.connection = this;
    const isLast = how === 'last' || how === 'close';
    this.sync.sent(this.load);
    if (this.load === 0 && this.httpVersion !== 'h2') this.keepAlive.sent(isLast);
    this.#inFlight.join(exchange, { isTrial: how === 'trial' });
    if (isLast) this.draining = true;
    this.isLone = exchange.alone;
    const { method, path, urgency, body } = exchange;
    const added = this.httpVersion === 'h2' ? [] : this.keepAlive.fields(isLast);
    exchange.attempt.added = added;
    const headers = [...exchange.headers, ...added.flat()];
    const request = { method, path, headers, urgency, body };
    const reader = new ResponseReader(exchange, this);
    this.#client?.dispatch(request, reader, exchange, how === 'close');
    this.waitedFor();
  }

  waitedFor(): void {
    if (this.load > 0) this.#client?.keep(this.#inFlight.isWaitedFor);
  }

  /** Keeps requests in the write buffer until `release`, because others follow that are to leave with them. */
  hold(): void {
    this.#isHeld = true;
    this.#client?.writes.hold();
  }

  release(): void {
    this.#isHeld = false;
    this.#client?.writes.release();
  }

  flush(): void {
    this.#client?.writes.flush();
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
    this.#events.onExchangeFailed?.(exchange, error);
  }

  /** Closes the connection now. @param culprit The exchange that `error` is about. */
  destroy(error: LoaderError, culprit: Exchange | null = null): void {
    if (this.state === 'closed') return;
    this.#reason ??= error;
    this.#culprit ??= culprit;
    this.draining = true;
    if (this.#socket === null) this.#abortConnect();
    else this.#socket.destroy();
    this.#client?.destroy();
    this.#closed();
  }

  /** Accepts no more requests, and closes the connection after the responses in flight. */
  drain(): void {
    this.draining = true;
    if (this.state === 'open' && this.load === 0) this.#retire();
  }

  /** Ends a connection on which no more requests are sent: the server may close it first, otherwise we close it. */
  #retire(): void {
    this.settle({ last: true }).then(() =>
      this.destroy(new LoaderError('connection-lost', 'ended')),
    );
  }

  /**
   * Resolves once the responses so far are known to answer their own requests, as the connection has ended or stayed
   * quiet. If surplus bytes arrive in the meantime, `onClosed` reports the responses as `suspects`.
   * @param last No more requests follow: this side half-closes the connection, and waits for the server to close it.
   */
  async settle({ last }: { last: boolean }): Promise<void> {
    if (this.state !== 'open' || this.httpVersion === 'h2') return;
    if (this.load > 0 || !this.sync.isOpen) return;
    if (last) return await this.#halfClose();
    if (this.sync.uncertain === 0) return;
    const { settleMs } = this.#options.pipeline;
    // The measured time may be too long: a process that has just started may notice late that it is connected.
    const roundTripMs = this.#roundTripMs;
    this.#settling ??= this.#watch(Math.min(settleMs, Math.max(1, roundTripMs))).finally(() => {
      this.#settling = null;
    });
    await this.#settling;
  }

  async #halfClose(): Promise<void> {
    this.draining = true;
    this.#socket?.end();
    await this.#watch(this.#options.pipeline.settleMs);
  }

  async #watch(waitMs: number): Promise<void> {
    const { signal } = this.#ended;
    await delay(waitMs, undefined, { signal }).catch(() => {});
    if (this.load === 0) this.sync.proven();
  }

  // The members from here on implement ResponseOwner: the connection owns its responses.

  get flow(): Pausable | null {
    return this.#client instanceof Http1Client ? this.#client : null;
  }

  awaits(exchange: Exchange): boolean {
    return this.#inFlight.has(exchange);
  }

  onStart(exchange: Exchange): void {
    this.#inFlight.started(exchange);
    this.#client?.writes.announce(exchange);
  }

  onUnasked(): void {
    this.sync.hasSurplus = true;
    this.destroy(new LoaderError('out-of-step', 'a response came before its request'));
  }

  onProgress(exchange: Exchange): void {
    this.#inFlight.progressed(exchange);
  }

  onHead(exchange: Exchange, closes: boolean, headers: readonly HeaderPair[]): void {
    this.#inFlight.answers(exchange);
    const { batch, startedAt } = exchange.attempt;
    if (batch !== null && startedAt !== null) {
      this.#quickestMs = Math.min(this.#quickestMs, startedAt - batch.sentAt);
      this.#inFlight.roundTripMs = this.#roundTripMs;
    }
    exchange.attempt.certain =
      this.httpVersion === 'h2' || this.sync.isCertain(exchange, this.load - 1);
    exchange.attempt.isLast = closes;
    if (closes) this.draining = this.announced = true;
    if (this.served === 0) this.#events.onHead?.(exchange);
    this.keepAlive.replied(headers, this.#inFlight.answered);
  }

  onEnd(exchange: Exchange): boolean {
    if (!exchange.attempt.framed && this.#failure !== null) return false; // the connection broke in the body
    this.#inFlight.ended(exchange);
    exchange.done = true;
    if (this.httpVersion === 'h2') {
      exchange.attempt.inStep = true; // HTTP/2 matches responses by stream id
    } else {
      const isOfAnother = this.sync.isOfAnother(exchange, this.#inFlight.all);
      this.sync.ended(exchange);
      if (isOfAnother) return this.#outOfOrder();
      if (this.load === 0 && !this.#staysUsable()) this.draining = true;
    }
    if (this.load === 0 && this.draining) this.#retire();
    queueMicrotask(() => this.#events.onFree?.(exchange));
    return true;
  }

  onLost(exchange: Exchange, error: Error): void {
    // This is deferred because on HTTP/1.1 the connection may be ending, which reports all exchanges in flight as lost.
    // If it is not, only this exchange fails.
    queueMicrotask(() => {
      if (!this.awaits(exchange) || !this.#isAlive) return;
      this.#inFlight.leave(exchange);
      this.#events.onExchangeFailed?.(exchange, explainLoss(error, exchange));
    });
  }

  /** Closes the connection, as its responses are out of order: any not `certain` may answer another request. */
  #outOfOrder(): false {
    this.#pace.mayNotPipeline();
    this.sync.hasSurplus = true;
    this.destroy(new LoaderError('out-of-step', 'a response was one to another request'));
    return false;
  }

  /** Lets the connection idle, as all responses have arrived. @returns Whether another request may follow on it. */
  #staysUsable(): boolean {
    const isKept = this.keepAlive.idle(this.#roundTripMs);
    return isKept && this.served < this.mayCarry;
  }

  #closed(): void {
    if (this.state === 'closed') return;
    const opened = this.state === 'open';
    const announced = this.announced && this.#reason === null;
    this.state = 'closed';
    this.keepAlive.closed();
    this.endedAt = performance.now();
    const lost = this.#inFlight.leaveAll();
    const error =
      this.#reason ?? explainLoss(this.#failure ?? new Error('closed'), lost[0] ?? null);
    const unanswered = lost.filter(({ attempt }) => attempt.batch !== null).length;
    const suspects = this.sync.suspects(unanswered);
    const [byUs, culprit] = [this.#reason !== null, this.#culprit];
    this.#events.onClosed?.({
      error,
      byUs,
      culprit,
      lost,
      suspects,
      opened,
      announced,
      stalled: culprit !== null && this.#inFlight.hasStalled(culprit),
      surplus: this.sync.hasSurplus,
    });
    this.#ended.abort();
  }
}
