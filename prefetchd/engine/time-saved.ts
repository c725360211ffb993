// How long visitors waited less because a page had been prefetched, where the beacon tells how long each waited: of
// pages opened by a click, the mean time to the first byte of those that were not prefetched, less that of those that
// were, times the number of these.

import { LRUCache } from 'lru-cache';

/** A page that is open; longer ago than this many others, what its browser measured counts no more. */
const mostOpen = 10_000;

export class TimeSaved {
  /** By client and page: whether it had been prefetched. */
  readonly #open = new LRUCache<string, boolean>({ max: mostOpen });
  readonly #sums = { ahead: { count: 0, ms: 0 }, other: { count: 0, ms: 0 } };

  opened(client: string, page: number, isPrefetched: boolean): void {
    this.#open.set(`${client} ${page}`, isPrefetched);
  }

  measured(client: string, page: number, ttfbMs: number | null): void {
    const isPrefetched = this.#open.get(`${client} ${page}`);
    if (isPrefetched === undefined || ttfbMs === null) return;
    this.#open.delete(`${client} ${page}`);
    const sum = isPrefetched ? this.#sums.ahead : this.#sums.other;
    sum.count++;
    sum.ms += ttfbMs;
  }

  /** In ms; null: nothing to compare was measured. */
  get ms(): number | null {
    const { ahead, other } = this.#sums;
    if (ahead.count === 0 || other.count === 0) return null;
    return Math.max(0, Math.round((other.ms / other.count) * ahead.count - ahead.ms));
  }

  forgetClients(): void {
    this.#open.clear();
  }
}
