// Requests of one page to one origin that wait for a connection: first those that need a separate one, then the
// others by priority and order of arrival.

import type { Exchange } from '../exchange.ts';

export class WaitingRequests {
  readonly #lone: Exchange[] = [];
  readonly #shared: Exchange[] = [];
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

  /** The server sends such responses, so requests that are waiting or still to come are sent alone from the start. */
  tolerate(): void {
    if (this.#tolerates) return;
    this.#tolerates = true;
    for (const exchange of this.#shared.splice(0)) this.add(exchange);
  }

  add(exchange: Exchange): void {
    if (this.#tolerates && this.isTolerable(exchange)) exchange.alone = exchange.isTolerant = true;
    if (exchange.alone) {
      this.#lone.push(exchange);
      return;
    }
    const list = this.#shared;
    let place = list.length;
    while (place > 0 && (list[place - 1] as Exchange).priority > exchange.priority) place--;
    list.splice(place, 0, exchange);
  }

  /** @returns Whether the request was waiting here. */
  remove(exchange: Exchange): boolean {
    const list = exchange.alone ? this.#lone : this.#shared;
    const place = list.indexOf(exchange);
    if (place !== -1) list.splice(place, 1);
    return place !== -1;
  }

  /** Number of requests that need a separate connection. */
  get lone(): number {
    return this.#lone.length;
  }

  /** Number of requests that may share a connection. */
  get shared(): number {
    return this.#shared.length;
  }

  /** All requests in the order they are to be sent. */
  get all(): Exchange[] {
    return [...this.#lone, ...this.#shared];
  }

  takeLone(): Exchange | undefined {
    return this.#lone.shift();
  }

  get nextShared(): Exchange | null {
    return this.#shared[0] ?? null;
  }

  takeShared(): Exchange | undefined {
    return this.#shared.shift();
  }
}
