// Requests of one page to one origin that wait for a connection: first those that need a separate one, then the others
// by priority and order of arrival.

import type { Exchange } from '../exchange.ts';

export class WaitingRequests {
  /** Waiting requests that each need a connection of their own. */
  readonly lone: Exchange[] = [];
  /** Waiting requests that may share a connection with others. */
  readonly shared: Exchange[] = [];
  readonly #mayTolerate: boolean;
  #tolerates = false;

  /** @param mayTolerate Whether a malformed response may be requested again, to be read in spite of its faults. */
  constructor(mayTolerate = false) {
    this.#mayTolerate = mayTolerate;
  }

  /** Whether a request may be repeated to read its response in spite of faults that browsers tolerate. */
  isTolerable({ method, isTolerant }: Exchange): boolean {
    return this.#mayTolerate && !isTolerant && (method === 'GET' || method === 'HEAD');
  }

  /** Sends each GET and HEAD on its own connection from now on, as responses have faults that browsers tolerate. */
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

  /** Removes a request from those that wait for a connection. @returns Whether it was among them. */
  remove(exchange: Exchange): boolean {
    const list = exchange.alone ? this.lone : this.shared;
    const place = list.indexOf(exchange);
    if (place !== -1) list.splice(place, 1);
    return place !== -1;
  }

  /** All waiting requests in the order in which they are to be sent. */
  get all(): Exchange[] {
    return [...this.lone, ...this.shared];
  }
}
