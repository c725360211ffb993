// A page that is shown from a prefetch causes no request. If no sign of showing it can be expected either, the prefetch
// counts as a part of a visit, as large as the probability of the visit. So a hint that is followed neither lowers its
// own probability nor raises it.
//
// By this rule alone the probability would stay as it was when the hint was first given. But a client that opens
// another page from the same one is seen, so the part is at most the share of the prefetches after which no other page
// was opened.

import { LRUCache } from 'lru-cache';

interface Outcomes {
  prefetches: number;
  /** Prefetches after which another page was opened from the same one. */
  elsewhere: number;
}

const mostPairs = 16_384;
/** Prefetches with unknown outcome that are assumed before the first one. */
const prior = 2;

export class Anticipation {
  readonly #pairs = new LRUCache<string, Outcomes>({ max: mostPairs });

  /** The largest part of a visit that a prefetch counts, 0..1. @param page, url hashes */
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

  /** Counts that another page was opened from the same one. @returns false if there is no prefetch to count it for */
  elsewhere(page: number, url: number): boolean {
    const outcomes = this.#pairs.get(`${page} ${url}`);
    if (outcomes === undefined || outcomes.elsewhere >= outcomes.prefetches) return false;
    outcomes.elsewhere++;
    return true;
  }
}
