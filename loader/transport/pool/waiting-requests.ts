// Requests of one page to one origin that wait for a connection: first those that need a separate one, then the
// others by priority and order of arrival.

import type { Exchange } from '../exchange.ts';

export class WaitingRequests {
  readonly #lone: Exchange[] = [];
  readonly #shared: Exchange[] = [];

  add(exchange: Exchange): void {
    if (exchange.alone) {
      this.#lone.push(exchange);
      return;
    }
    const list = this.#shared;
    let place = list.length;
    while (place > 0 && (list[place - 1] as Exchange).priority > exchange.priority) place--;
    list.splice(place, 0, exchange);
  }

  /** @returns Whether it was waiting here. */
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
