// Bounds the cost of a server that breaks connections: transmissions never exceed twice the number of requests.

import type { Exchange } from '../exchange.ts';
import type { WaitingRequests } from './waiting-requests.ts';

export class RequestBudget {
  #asked = 0;
  #sent = 0;

  /** @returns The number of requests so far. */
  ask(): number {
    return ++this.#asked;
  }

  send(): void {
    this.#sent++;
  }

  /** These requests were never sent. */
  unsend(requests: number): void {
    this.#sent -= requests;
  }

  /** Whether the budget allows this many retries. */
  covers(requests: number): boolean {
    return this.#sent + requests <= 2 * this.#asked;
  }

  /** Waiting requests that exceed the budget; never one that is sent for the first time. */
  beyond(waiting: WaitingRequests): Exchange[] {
    const count = waiting.lone + waiting.shared;
    if (this.#sent + count <= this.#asked) return [];
    const again = waiting.all.filter(({ failure }) => failure !== null);
    const firsts = count - again.length;
    return again.slice(Math.max(0, 2 * this.#asked - this.#sent - firsts));
  }
}
