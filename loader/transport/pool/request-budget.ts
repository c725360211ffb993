// What a server that breaks connections may cost: requests on the wire never exceed twice the requests that
// were asked for.

import type { Exchange } from '../exchange.ts';
import type { WaitingRequests } from './waiting-requests.ts';

export class RequestBudget {
  #asked = 0;
  #sent = 0;

  /** @returns how many were asked for by now. */
  ask(): number {
    return ++this.#asked;
  }

  send(): void {
    this.#sent++;
  }

  /** They never left. */
  unsend(requests: number): void {
    this.#sent -= requests;
  }

  /** May so many be sent again? */
  covers(requests: number): boolean {
    return this.#sent + requests <= 2 * this.#asked;
  }

  /** Of those that wait the ones there is nothing left for: never one that goes for the first time. */
  beyond(waiting: WaitingRequests): Exchange[] {
    const count = waiting.lone + waiting.shared;
    if (this.#sent + count <= this.#asked) return [];
    const again = waiting.all.filter(({ failure }) => failure !== null);
    const firsts = count - again.length;
    return again.slice(Math.max(0, 2 * this.#asked - this.#sent - firsts));
  }
}
