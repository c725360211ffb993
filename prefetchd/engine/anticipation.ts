// A page that is shown from a prefetch asks the server for nothing. Where no sign of it can be expected either, the
// prefetch counts as a part of a visit: as large as the visit was probable. So a hint that is followed neither lowers
// its own probability nor raises it.
//
// That would keep a probability as it was when the hint began. But who opens another page from the same one is seen,
// so the part is at most the share of the prefetches after which nobody did.

import { LRUCache } from 'lru-cache';

interface Outcomes {
  prefetches: number;
  /** After these another page was opened from the same one. */
  elsewhere: number;
}

const mostPairs = 16_384;
/** Prefetches before the first that nothing is known of. */
const prior = 2;

export class Anticipation {
  readonly #pairs = new LRUCache<string, Outcomes>({ max: mostPairs });

  /** The largest part that a prefetch counts, 0..1. @param page, url hashes */
  most(page: number, url: number): number {
    const { prefetches = 0, elsewhere = 0 } = this.#pairs.get(`${page} ${url}`) ?? {};
    return 1 - elsewhere / (prefetches + prior);
  }

  prefetched(page: number, url: number): void {
    const key = `${page} ${url}`;
    const outcomes = this.#pairs.get(key) ?? { prefetches: 0, elsewhere: 0 };
    outcomes.prefetches++;
    this.#pairs.set(key, outcomes);
  }

  /** Another page was opened from the same one. @returns true if that counts */
  elsewhere(page: number, url: number): boolean {
    const outcomes = this.#pairs.get(`${page} ${url}`);
    if (outcomes === undefined || outcomes.elsewhere >= outcomes.prefetches) return false;
    outcomes.elsewhere++;
    return true;
  }
}
