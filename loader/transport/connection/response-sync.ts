// Is a connection in step? HTTP/1.1 matches responses to requests by order alone, so one response too
// many or too few shifts every later body to a wrong URL. A response is certain only when it was the
// first of its connection and nothing else was asked when it came. Every other one is uncertain until
// the connection was seen to end, or to stay quiet, exactly after the last response. On a connection that
// never carried two requests at a time an answer is believed at its end, and doubted again when more came.

import type { Exchange } from '../exchange.ts';

export class ResponseSync {
  /** Ended, and not yet known to be in step. */
  #uncertain: Exchange[] = [];
  #last: Exchange | null = null;
  /** A request left before the one ahead of it was answered. */
  #pipelined = false;
  #surplus = false;

  /** @param waiting requests on the connection that are not answered yet, this one apart. */
  sent(waiting: number): void {
    if (waiting > 0) this.#pipelined = true;
  }

  /** @param waiting as in `sent`, when the response began. */
  isCertain(exchange: Exchange, waiting: number): boolean {
    return exchange.attempt.pipelineIndex === 0 && waiting === 0;
  }

  ended(exchange: Exchange): void {
    this.#last = exchange;
    exchange.attempt.inStep = !this.#surplus && (exchange.attempt.certain || !this.#pipelined);
    if (!exchange.attempt.certain) this.#uncertain.push(exchange);
  }

  /** Bytes came that answer nothing. */
  sawSurplus(): void {
    this.#surplus = true;
  }

  get hasSurplus(): boolean {
    return this.#surplus;
  }

  /** There is something that watching the connection can prove. */
  get isOpen(): boolean {
    return this.#uncertain.length > 0 || this.#last !== null;
  }

  /** How many ended, and are not yet known to be in step. */
  get uncertain(): number {
    return this.#uncertain.length;
  }

  /** The connection was quiet, with nothing under way. */
  proven(): void {
    if (this.#surplus) return;
    for (const exchange of this.#uncertain) exchange.attempt.inStep = true;
    this.#uncertain = [];
    this.#last = null;
  }

  /**
   * The connection has ended. @returns the ended responses that may stand under a wrong URL.
   * @param unanswered requests that left and got no whole answer.
   */
  suspects(unanswered: number): Exchange[] {
    const short = this.#pipelined && unanswered > 0;
    const suspects = this.#surplus || short ? [...this.#uncertain] : [];
    if (this.#surplus && this.#last !== null && !suspects.includes(this.#last)) {
      suspects.push(this.#last);
    }
    for (const exchange of this.#uncertain) exchange.attempt.inStep = !suspects.includes(exchange);
    this.#uncertain = []; // Who still waits for a proof has waited in vain.
    return suspects;
  }
}
