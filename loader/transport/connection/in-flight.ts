// The requests under way on one connection, oldest first, and the clock of each response. Responses of HTTP/1.x
// come in the order of their requests, so a clock runs from the moment its response is first in line; streams of
// HTTP/2 share the line, and each clock runs from the start.

import type { Batch, Carrier, Exchange } from '../exchange.ts';
import type { TransportOptions } from '../transport-options.ts';
import { ResponseClock } from './deadlines.ts';
import { InFlightProgress } from './in-flight-progress.ts';

/** How long a server may take. */
export interface Pace {
  /** The longest it took from a response being due to its first byte, ms. */
  slowestMs: number;
}

export class InFlight {
  /** Requests it was given to write. */
  sent = 0;
  /** Responses of which the header section came. */
  answered = 0;
  /** Responses that came whole. */
  served = 0;
  readonly #connection: Pick<Carrier, 'httpVersion' | 'abort'>;
  readonly #options: Pick<TransportOptions, 'timeouts' | 'pipeline'>;
  readonly #underWay: Exchange[] = [];
  readonly #progress = new InFlightProgress();
  readonly #pace: Pace;
  /** Given less time than others, since the server may have dropped it with a pipeline; null: nobody is. */
  #hurried: Exchange | null = null;
  #stalled: Exchange | null = null;

  /**
   * @param connection told to give up an exchange whose response is overdue.
   * @param pace of the server's answers so far; noted here.
   */
  constructor(
    connection: Pick<Carrier, 'httpVersion' | 'abort'>,
    options: Pick<TransportOptions, 'timeouts' | 'pipeline'>,
    pace: Pace = { slowestMs: 0 },
  ) {
    this.#connection = connection;
    this.#options = options;
    this.#pace = pace;
  }

  /** Requests under way. */
  get length(): number {
    return this.#underWay.length;
  }

  /** The oldest: on HTTP/1.x its response is due; null: none is under way. */
  get head(): Exchange | null {
    return this.#underWay[0] ?? null;
  }

  has(exchange: Exchange): boolean {
    return this.#underWay.includes(exchange);
  }

  /** It was given up for a pipeline that says nothing, sooner than others would be. */
  hasStalled(exchange: Exchange): boolean {
    return exchange === this.#stalled;
  }

  /** @param isTrial it is sent to see whether the server serves one more. */
  join(exchange: Exchange, { isTrial }: { isTrial: boolean }): void {
    exchange.attempt.ahead = isTrial || this.#underWay.length > 0;
    const othersAt = this.#isShared ? () => this.#progress.othersAt(exchange) : null;
    exchange.attempt.clock = new ResponseClock(this.#options.timeouts, othersAt, (error) => {
      if (exchange === this.#hurried) this.#stalled = exchange;
      this.#connection.abort(exchange, error);
    });
    this.#underWay.push(exchange);
  }

  /** Its request is next to be written. */
  started(exchange: Exchange): void {
    exchange.attempt.pipelineIndex = this.sent++;
    if (this.#isShared || this.head === exchange) this.#startClock(exchange);
  }

  /** These requests leave. */
  wrote(batch: Batch): void {
    for (const exchange of batch.exchanges) {
      exchange.attempt.batch = batch;
      exchange.attempts++;
      exchange.handler.onSent?.(batch);
    }
    const { head } = this;
    if (head !== null && head.attempt.batch === batch) this.#startClock(head);
  }

  /** Something came for it. */
  progressed(exchange: Exchange): void {
    this.#progress.mark(exchange);
  }

  /** Its header section came. */
  answers({ attempt: { dueAt, startedAt } }: Exchange): void {
    this.#hurried = null;
    this.answered++;
    if (dueAt === null || startedAt === null) return;
    this.#pace.slowestMs = Math.max(this.#pace.slowestMs, startedAt - dueAt);
  }

  /** Its response came whole: the next is due. */
  ended(exchange: Exchange): void {
    this.leave(exchange);
    this.served++;
    const { head } = this;
    if (!this.#isShared && head !== null && head.attempt.batch !== null) this.#startClock(head);
  }

  /** It is not awaited any more. @returns whether it was. */
  leave(exchange: Exchange): boolean {
    const place = this.#underWay.indexOf(exchange);
    if (place === -1) return false;
    this.#underWay.splice(place, 1);
    exchange.attempt.clock?.stop();
    return true;
  }

  /** The connection ended. @returns those it leaves unanswered, oldest first. */
  leaveAll(): Exchange[] {
    const lost = this.#underWay.splice(0);
    for (const exchange of lost) exchange.attempt.clock?.stop();
    return lost;
  }

  get #isShared(): boolean {
    return this.#connection.httpVersion === 'h2';
  }

  #startClock(exchange: Exchange): void {
    exchange.attempt.dueAt ??= performance.now();
    const { responseMs } = this.#options.timeouts;
    // A server that served before and now says nothing to a pipeline may have dropped its rest.
    const isPipelined = exchange.attempt.ahead || this.length > 1;
    const stalls = !this.#isShared && this.served > 0 && isPipelined;
    if (stalls) this.#hurried = exchange;
    exchange.attempt.clock?.start(stalls ? Math.min(this.#stallMs, responseMs) : responseMs);
  }

  /** A server, or a line, that was slow before is given more time. */
  get #stallMs(): number {
    return Math.max(this.#options.pipeline.stallMs, 2 * this.#pace.slowestMs);
  }
}
