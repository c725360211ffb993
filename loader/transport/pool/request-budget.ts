// Bounds what a server that breaks connections costs a page. Requests that are lost because of another one are sent
// again, so from the first break on no more are in flight than may still be lost: a fifth of the page's requests
// in all, then none, which is one at a time. Whatever else is sent again is so because of itself, at most a few times.

/** Requests lost through others, and checks of responses, to a page's requests. */
const mostWasted = 0.2;
/** Checks after one break, at most (doubts.ts). */
const checks = 3;
/** The same with all checks of responses: a server that answers twice makes each of them doubtful. */
const mostChecked = 1;

export class RequestBudget {
  #asked = 0;
  #wasted = 0;

  /** @returns The number of requests so far. */
  ask(): number {
    return ++this.#asked;
  }

  /** These requests are sent again without being to blame. */
  waste(requests: number): void {
    this.#wasted += requests;
  }

  /** Whether so many responses may be fetched again. */
  covers(requests: number): boolean {
    return this.#wasted + requests <= mostChecked * this.#asked;
  }

  /** Maximum requests in flight on a connection. */
  get depth(): number {
    if (this.#wasted === 0) return Number.POSITIVE_INFINITY;
    return 1 + Math.max(0, Math.floor(mostWasted * this.#asked) - this.#wasted - checks);
  }
}
