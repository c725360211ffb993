// The requests in flight on one connection, oldest first, with the clock of each response. HTTP/1.x responses arrive
// in request order, so a clock starts when its response is first in line, and which request a response answers has to
// be proven (ResponseSync). HTTP/2 streams share the connection, and each clock starts at once.

import { type Batch, type Carrier, type Exchange, ResponseClock } from '../exchange.ts';
import type { TransportOptions } from '../transport-options.ts';

/** The part of a server's profile that its connections record; the pool records the rest (server-profile.ts). */
export interface Pace {
  /** Longest time so far from when a response became the next one due on its connection to its first byte, ms. */
  slowestMs: number;
  /** Records that requests to the server must not be pipelined. */
  mayNotPipeline(): void;
  /** Records that the server requires HTTP/1.1 instead of HTTP/2. */
  requiresHttp1(): void;
}

export class InFlight {
  /** All requests in flight, oldest first. */
  readonly all: Exchange[] = [];
  /** Number of requests of this connection that were handed over to be written. */
  sent = 0;
  /** Number of responses on this connection whose header section has arrived. */
  answered = 0;
  /** Number of complete responses on this connection. */
  served = 0;
  /** Shortest round trip on this connection so far, ms. */
  roundTripMs = 0;
  readonly #connection: Pick<Carrier, 'httpVersion' | 'abort'>;
  readonly #options: Pick<TransportOptions, 'timeouts' | 'pipeline'>;
  /** The exchange whose bytes came last, when they came, and when the last bytes of any other came (monotonic, ms). */
  #progress = {
    by: null as Exchange | null,
    at: Number.NEGATIVE_INFINITY,
    othersAt: Number.NEGATIVE_INFINITY,
  };
  readonly #pace: Pick<Pace, 'slowestMs'>;
  /** The exchange with the shorter timeout (`#stallMs`), as the server may have dropped its pipeline; null: none. */
  #hurried: Exchange | null = null;
  #stalled: Exchange | null = null;

  /**
   * @param connection Aborts an exchange whose response is overdue.
   * @param pace Holds the longest response time of the server so far, which is updated here.
   */
  constructor(
    connection: Pick<Carrier, 'httpVersion' | 'abort'>,
    options: Pick<TransportOptions, 'timeouts' | 'pipeline'>,
    pace: Pick<Pace, 'slowestMs'> = { slowestMs: 0 },
  ) {
    this.#connection = connection;
    this.#options = options;
    this.#pace = pace;
  }

  /** Number of requests in flight. */
  get length(): number {
    return this.all.length;
  }

  /** The oldest request, whose response is next on HTTP/1.x; null: none is in flight. */
  get head(): Exchange | null {
    return this.all[0] ?? null;
  }

  /** Whether a caller waits for the response to one of the requests in flight. */
  get isWaitedFor(): boolean {
    return this.all.some(({ isWaitedFor }) => isWaitedFor);
  }

  /** Bytes still to come of the response that is next; 0: none is due, or its length is unknown. */
  get missingBytes(): number {
    const attempt = this.head?.attempt;
    return attempt === undefined ? 0 : Math.max(0, (attempt.expected ?? 0) - attempt.received);
  }

  has(exchange: Exchange): boolean {
    return this.all.includes(exchange);
  }

  /** Whether the exchange was aborted by the shorter timeout that applies to a pipeline that fell silent. */
  hasStalled(exchange: Exchange): boolean {
    return exchange === this.#stalled;
  }

  /** Adds an exchange in flight. @param isTrial Whether it tests the guessed limit on requests per connection. */
  join(exchange: Exchange, { isTrial }: { isTrial: boolean }): void {
    exchange.attempt.ahead = isTrial || this.all.length > 0;
    // An HTTP/2 stream does not time out while other streams of its connection make progress.
    const othersAt = this.#isShared ? () => this.#othersAt(exchange) : null;
    exchange.attempt.clock = new ResponseClock(this.#options.timeouts, othersAt, (error) => {
      if (exchange === this.#hurried) this.#stalled = exchange;
      this.#connection.abort(exchange, error);
    });
    this.all.push(exchange);
  }

  /** Numbers an exchange right before its request is written; starts its timeouts if its response is due next. */
  started(exchange: Exchange): void {
    exchange.attempt.pipelineIndex = this.sent++;
    if (this.#isShared || this.head === exchange) this.#startClock(exchange);
  }

  /** Records that the requests of a batch (one write) are being sent, and tells their handlers. */
  wrote(batch: Batch): void {
    for (const exchange of batch.exchanges) {
      exchange.attempt.batch = batch;
      exchange.attempts++;
      exchange.handler.onSent?.(batch);
    }
    const { head } = this;
    if (head !== null && head.attempt.batch === batch) this.#startClock(head);
  }

  /** Records that bytes of the exchange's response have arrived. */
  progressed(exchange: Exchange): void {
    const { by, at, othersAt } = this.#progress;
    const isOther = by !== exchange;
    this.#progress = { by: exchange, at: performance.now(), othersAt: isOther ? at : othersAt };
  }

  #othersAt(exchange: Exchange): number {
    const { by, at, othersAt } = this.#progress;
    return by === exchange ? othersAt : at;
  }

  /** Counts the response of the exchange, whose header section has arrived, and learns how long it took. */
  answers({ attempt: { dueAt, startedAt } }: Exchange): void {
    this.#hurried = null;
    this.answered++;
    if (dueAt === null || startedAt === null) return;
    this.#pace.slowestMs = Math.max(this.#pace.slowestMs, startedAt - dueAt);
  }

  /** Removes the exchange, whose response is complete, and starts the timeouts of the response that is due next. */
  ended(exchange: Exchange): void {
    this.leave(exchange);
    this.served++;
    const { head } = this;
    if (!this.#isShared && head !== null && head.attempt.batch !== null) this.#startClock(head);
  }

  /** Removes one exchange from those in flight, and stops its timeouts. @returns Whether it was in flight. */
  leave(exchange: Exchange): boolean {
    const place = this.all.indexOf(exchange);
    if (place === -1) return false;
    this.all.splice(place, 1);
    exchange.attempt.clock?.stop();
    return true;
  }

  /** Removes all exchanges, as the connection has ended. @returns Those without a complete response, oldest first. */
  leaveAll(): Exchange[] {
    const lost = this.all.splice(0);
    for (const exchange of lost) exchange.attempt.clock?.stop();
    return lost;
  }

  get #isShared(): boolean {
    return this.#connection.httpVersion === 'h2';
  }

  #startClock(exchange: Exchange): void {
    exchange.attempt.dueAt ??= performance.now();
    const { responseMs } = this.#options.timeouts;
    // A server that answered before and is now silent may have dropped pipelined requests, so the timeout is shorter.
    const isPipelined = exchange.attempt.ahead || this.length > 1;
    const stalls = !this.#isShared && this.served > 0 && isPipelined;
    if (stalls) this.#hurried = exchange;
    exchange.attempt.clock?.start(stalls ? Math.min(this.#stallMs, responseMs) : responseMs);
  }

  /**
   * Timeout of a pipeline that may have stalled, ms. A server or network that was slow before gets more time, as does a
   * long pipeline over a long round trip: on a modem its requests take seconds to leave, and delay acknowledgments.
   */
  get #stallMs(): number {
    const { stallMs } = this.#options.pipeline;
    return Math.max(stallMs, 2 * this.#pace.slowestMs, (this.length * this.roundTripMs) / 2);
  }
}

/**
 * Tracks whether responses are in sync with requests. HTTP/1.1 matches them by order alone, so one response
 * too many or too few assigns every later body to a wrong URL. A response is certain if it is the first of its
 * connection and no other request was outstanding. All others are uncertain until the connection ends or stays quiet
 * exactly after the last response. On a connection without pipelining a response is accepted at its end, and becomes
 * doubtful again if surplus bytes follow. Whether a server answers in the order of its requests (RFC 9112 9.3.2) is not
 * visible here: two swapped responses count as in sync, unless their handlers find a contradiction.
 */
export class ResponseSync {
  /** Complete responses that are not yet known to answer their own requests. */
  #uncertain: Exchange[] = [];
  #last: Exchange | null = null;
  /** Whether some request was sent before the previous one was answered. */
  #pipelined = false;
  /** Whether bytes arrived that answer no request, or a response answered another request. */
  hasSurplus = false;

  /** Records that a request is sent. @param waiting Number of other unanswered requests on the connection. */
  sent(waiting: number): void {
    if (waiting > 0) this.#pipelined = true;
  }

  /** Whether a response that begins surely answers its request. @param waiting Number of other requests in flight. */
  isCertain(exchange: Exchange, waiting: number): boolean {
    return exchange.attempt.pipelineIndex === 0 && waiting === 0;
  }

  ended(exchange: Exchange): void {
    this.#last = exchange;
    const { attempt, isTolerant } = exchange;
    attempt.inStep = !this.hasSurplus && !isTolerant && (attempt.certain || !this.#pipelined);
    if (!exchange.attempt.certain) this.#uncertain.push(exchange);
  }

  /** Whether a complete response visibly answers another request. @param waiting The requests in flight. */
  isOfAnother({ attempt, handler }: Exchange, waiting: readonly Exchange[]): boolean {
    if (attempt.certain || !this.#pipelined || handler.contradicts === undefined) return false;
    return handler.contradicts(() =>
      [...this.#uncertain, ...waiting].map((other) => other.handler),
    );
  }

  /** Whether surplus bytes on the connection could still show that responses so far answered the wrong requests. */
  get isOpen(): boolean {
    return this.#uncertain.length > 0 || this.#last !== null;
  }

  /** Number of complete responses that are not yet known to answer their own requests. */
  get uncertain(): number {
    return this.#uncertain.length;
  }

  /** Records that all responses so far answer their requests, as nothing more arrived while nothing was in flight. */
  proven(): void {
    if (this.hasSurplus) return;
    for (const exchange of this.#uncertain) exchange.attempt.inStep = true;
    this.#uncertain = [];
    this.#last = null;
  }

  /**
   * Judges the responses when the connection has ended. @returns The complete ones that may belong to a different URL.
   * @param unanswered Number of requests that were sent and did not get a complete response.
   */
  suspects(unanswered: number): Exchange[] {
    const short = this.#pipelined && unanswered > 0;
    const suspects = this.hasSurplus || short ? [...this.#uncertain] : [];
    if (this.hasSurplus && this.#last !== null && !suspects.includes(this.#last)) {
      suspects.push(this.#last);
    }
    for (const exchange of this.#uncertain) exchange.attempt.inStep = !suspects.includes(exchange);
    this.#uncertain = []; // responses without proof by now never get one
    return suspects;
  }
}
