// In many logs, most visitors are robots that call themselves browsers. They read pages and nothing else; a browser
// also fetches what a page embeds. So a client that opens a page known to embed objects is not learned from until it
// has fetched an object, or the browser says that a person clicked (Sec-Fetch-User): until then its accesses wait here,
// in order. Pages that embed nothing of the site are learned at once.
//
// Bounded: a client that opens many pages without an object is a robot, and its accesses are dropped; so are those
// of the clients that have been silent longest when there are too many.

import { LRUCache } from 'lru-cache';

const mostHeld = 16;

export class UnprovenClients<Held> {
  /** For each client, the accesses that wait; `browser` or `robot` once that is known. */
  readonly #clients: LRUCache<string, Held[] | 'browser' | 'robot'>;
  readonly #onDropped: (count: number) => void;

  /** @param onDropped Called with the number of accesses that are never learned */
  constructor(maxClients: number, onDropped: (count: number) => void) {
    this.#onDropped = onDropped;
    this.#clients = new LRUCache({
      max: maxClients,
      dispose: (state, _, reason) => {
        if (reason === 'evict' && typeof state === 'object') onDropped(state.length);
      },
    });
  }

  /** True if an access to a page must wait. */
  waits(client: string, embedsObjects: boolean): boolean {
    const state = this.#clients.get(client);
    return state === undefined ? embedsObjects : state !== 'browser';
  }

  /** True if accesses of the client wait. */
  holds(client: string): boolean {
    return typeof this.#clients.get(client) === 'object';
  }

  hold(client: string, held: Held): void {
    const state = this.#clients.get(client);
    if (typeof state === 'object' && state.length < mostHeld) {
      state.push(held);
      return;
    }
    if (state === undefined) {
      this.#clients.set(client, [held]);
      return;
    }
    this.#onDropped(typeof state === 'object' ? state.length + 1 : 1);
    this.#clients.set(client, 'robot');
  }

  /** The client is a browser. @returns the accesses that waited for that */
  prove(client: string): readonly Held[] {
    const state = this.#clients.get(client);
    if (state !== 'browser') this.#clients.set(client, 'browser');
    return typeof state === 'object' ? state : [];
  }

  /** Forgets all clients, because pseudonyms change. */
  clear(): void {
    for (const state of this.#clients.values()) {
      if (typeof state === 'object') this.#onDropped(state.length);
    }
    this.#clients.clear();
  }
}
