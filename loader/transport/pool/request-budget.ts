// Limits what a server that breaks connections costs a page. Requests that are lost because of another one are sent
// again, so after the first break no more are in flight than may still be lost: a fifth of the page's requests in
// total, and after that one at a time. Any other request that is resent failed by itself, which is limited separately.

/** Most requests lost because of others, and responses checked, as a share of a page's requests. */
const mostWasted = 0.2;
/** Most checks after one break (doubts.ts). */
const checks = 3;
/** The same share including all checks, since a server that answers twice makes every response doubtful. */
const mostChecked = 1;

export class RequestBudget {
  #asked = 0;
  #wasted = 0;

  /** @returns The number of requests so far. */
  ask(): number {
    return ++this.#asked;
  }

  /** Counts requests that are sent again without being to blame. */
  waste(requests: number): void {
    this.#wasted += requests;
  }

  /** Whether this many responses may be fetched again. */
  covers(requests: number): boolean {
    return this.#wasted + requests <= mostChecked * this.#asked;
  }

  /** Maximum number of requests in flight on a connection. */
  get depth(): number {
    if (this.#wasted === 0) return Number.POSITIVE_INFINITY;
    return 1 + Math.max(0, Math.floor(mostWasted * this.#asked) - this.#wasted - checks);
  }
}
