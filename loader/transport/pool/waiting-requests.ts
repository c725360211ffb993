// Requests of one page to one origin that wait for a connection: those that must go alone on one of their own
// before all others, the others by priority, in the order in which they came.

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

  /** @returns whether it waited here. */
  remove(exchange: Exchange): boolean {
    const list = exchange.alone ? this.#lone : this.#shared;
    const place = list.indexOf(exchange);
    if (place !== -1) list.splice(place, 1);
    return place !== -1;
  }

  /** How many must go alone. */
  get lone(): number {
    return this.#lone.length;
  }

  /** How many may share a connection. */
  get shared(): number {
    return this.#shared.length;
  }

  /** All, in the order in which they are to go. */
  get all(): Exchange[] {
    return [...this.#lone, ...this.#shared];
  }

  takeLone(): Exchange | undefined {
    return this.#lone.shift();
  }

  takeShared(): Exchange | undefined {
    return this.#shared.shift();
  }
}
