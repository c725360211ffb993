// Requests of one page to one origin that wait for a connection: first those that need a separate one, then the
// others by priority and order of arrival.

import type { Exchange } from '../exchange.ts';

/** Share of a page's requests that may be sent twice through no fault of theirs, before they are sent one at a time. */
const mostWasted = 0.2;
/** Number of checks after one break (recovery.ts) for which a part of that share is reserved. */
const checks = 3;
/** Share of a page's requests that may be sent twice if responses must be checked: all, because a server that answers a
 *  request twice may have misplaced any response. */
const mostChecked = 1;

export class WaitingRequests {
  /** Requests that need a separate connection. */
  readonly lone: Exchange[] = [];
  /** Requests that may share a connection. */
  readonly shared: Exchange[] = [];
  readonly #mayTolerate: boolean;
  #tolerates = false;

  /** @param mayTolerate Whether responses with faults may be requested again. */
  constructor(mayTolerate = false) {
    this.#mayTolerate = mayTolerate;
  }

  /** Whether a response with faults that browsers tolerate may be requested again and read. */
  isTolerable({ method, isTolerant }: Exchange): boolean {
    return this.#mayTolerate && !isTolerant && (method === 'GET' || method === 'HEAD');
  }

  /** Has each GET and HEAD, waiting or to come, sent alone, as the server has faults that browsers tolerate. */
  tolerate(): void {
    if (this.#tolerates) return;
    this.#tolerates = true;
    for (const exchange of this.shared.splice(0)) this.add(exchange);
  }

  add(exchange: Exchange): void {
    if (this.#tolerates && this.isTolerable(exchange)) exchange.alone = exchange.isTolerant = true;
    if (exchange.alone) {
      this.lone.push(exchange);
      return;
    }
    const list = this.shared;
    let place = list.length;
    while (place > 0 && (list[place - 1] as Exchange).priority > exchange.priority) place--;
    list.splice(place, 0, exchange);
  }

  /** Removes a request. @returns Whether it was waiting here. */
  remove(exchange: Exchange): boolean {
    const list = exchange.alone ? this.lone : this.shared;
    const place = list.indexOf(exchange);
    if (place !== -1) list.splice(place, 1);
    return place !== -1;
  }

  /** All requests in the order they are to be sent. */
  get all(): Exchange[] {
    return [...this.lone, ...this.shared];
  }
}

/**
 * Limits what a server that breaks connections costs a page. Requests that are lost because of another one are sent
 * again, so after the first break no more are in flight than may still be lost: a fifth of the page's requests in
 * total, and after that one at a time. Any other request that is resent failed by itself, which is limited separately.
 */
export class RequestBudget {
  #asked = 0;
  #wasted = 0;

  /** Counts a request of the page. @returns The number of requests so far. */
  ask(): number {
    return ++this.#asked;
  }

  /** Counts requests that are sent again although they did not break the connection. */
  waste(requests: number): void {
    this.#wasted += requests;
  }

  /** Whether this many more responses may be fetched again. */
  covers(requests: number): boolean {
    return this.#wasted + requests <= mostChecked * this.#asked;
  }

  /** Maximum number of requests in flight on a connection. */
  get depth(): number {
    if (this.#wasted === 0) return Number.POSITIVE_INFINITY;
    return 1 + Math.max(0, Math.floor(mostWasted * this.#asked) - this.#wasted - checks);
  }
}
