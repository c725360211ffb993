// The requests under way on one connection, oldest first, and the clock of each response. Responses of HTTP/1.x
// come in the order of their requests, so a clock runs from the moment its response is first in line; streams of
// HTTP/2 share the line, and each clock runs from the start.

import type { ResolvedOptions } from '../options.ts';
import { ResponseClock } from './deadlines.ts';
import type { Batch, Carrier, Exchange } from './exchange.ts';
import { LineProgress } from './line-progress.ts';

export class Line {
  /** Requests it was given to write. */
  sent = 0;
  /** Responses that came whole. */
  served = 0;
  readonly #connection: Pick<Carrier, 'httpVersion' | 'abort'>;
  readonly #options: Pick<ResolvedOptions, 'timeouts' | 'pipeline'>;
  readonly #underWay: Exchange[] = [];
  readonly #progress = new LineProgress();

  /** @param connection told to give up an exchange whose response is overdue. */
  constructor(
    connection: Pick<Carrier, 'httpVersion' | 'abort'>,
    options: Pick<ResolvedOptions, 'timeouts' | 'pipeline'>,
  ) {
    this.#connection = connection;
    this.#options = options;
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

  join(exchange: Exchange): void {
    const othersAt = this.#isShared ? () => this.#progress.othersAt(exchange) : null;
    exchange.clock = new ResponseClock(this.#options.timeouts, othersAt, (error) =>
      this.#connection.abort(exchange, error),
    );
    this.#underWay.push(exchange);
  }

  /** Its request is next to be written. */
  started(exchange: Exchange): void {
    exchange.pipelineIndex = this.sent++;
    if (this.#isShared || this.head === exchange) this.#startClock(exchange);
  }

  /** These requests leave. */
  wrote(batch: Batch): void {
    for (const exchange of batch.exchanges) {
      exchange.batch = batch;
      exchange.attempts++;
      exchange.handler.onSent?.(batch);
    }
    const { head } = this;
    if (head !== null && head.batch === batch) this.#startClock(head);
  }

  /** Something came for it. */
  progressed(exchange: Exchange): void {
    this.#progress.mark(exchange);
  }

  /** Its response came whole: the next is due. */
  ended(exchange: Exchange): void {
    this.leave(exchange);
    this.served++;
    const { head } = this;
    if (!this.#isShared && head !== null && head.batch !== null) this.#startClock(head);
  }

  /** It is not awaited any more. @returns whether it was. */
  leave(exchange: Exchange): boolean {
    const place = this.#underWay.indexOf(exchange);
    if (place === -1) return false;
    this.#underWay.splice(place, 1);
    exchange.clock?.stop();
    return true;
  }

  /** The connection ended. @returns those it leaves unanswered, oldest first. */
  leaveAll(): Exchange[] {
    const lost = this.#underWay.splice(0);
    for (const exchange of lost) exchange.clock?.stop();
    return lost;
  }

  get #isShared(): boolean {
    return this.#connection.httpVersion === 'h2';
  }

  #startClock(exchange: Exchange): void {
    const { responseMs } = this.#options.timeouts;
    const { stallMs } = this.#options.pipeline;
    // A server that served before and now says nothing to a pipeline may have dropped its rest.
    const stalls = !this.#isShared && this.served > 0 && this.length > 1;
    exchange.clock?.start(stalls ? Math.min(stallMs, responseMs) : responseMs);
  }
}
