// Tracks whether responses are in sync with requests. HTTP/1.1 matches them by order alone, so one response
// too many or too few assigns every later body to a wrong URL. A response is certain if it is the first of its
// connection and no other request was outstanding. All others are uncertain until the connection ends or stays quiet
// exactly after the last response. On a connection without pipelining a response is accepted at its end, and becomes
// doubtful again if surplus bytes follow. Whether a server answers in the order of its requests (RFC 9112 9.3.2) is not
// visible here: two swapped responses count as in sync, unless their handlers find a contradiction.

import type { Exchange } from '../exchange.ts';

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
    this.#uncertain = []; // the rest can no longer be verified
    return suspects;
  }
}
