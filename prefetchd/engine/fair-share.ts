// Limits what a single visitor can teach. A weight is a ratio of counts, so one client requesting a page a hundred
// thousand times would dilute everything that follows it, and one inventing as many URLs would evict real ones.
// Limits apply per address and day, because user agents can be invented:
//   repeat  a page counts a limited number of times, and so does each arc from or to it: a visit of A is followed by B
//           at most once (model/graph/windows.ts). Objects add to arcs of pages alone. A repeat is left out of both the
//           numerator and the denominator of a weight
//   flood   a limited number of accesses is learned
// Time is that of the accesses, not of the clock; a day begins with its first access, or with new pseudonyms. Of too
// many addresses, and of too many pages of addresses, those requested longest ago are forgotten.

import { LatestMap } from '../../process/latest-map.ts';
import { ownText } from '../../process/text-memo.ts';

export interface FairShareOptions {
  /** Limit on how often an access to the same page is learned per address and day. */
  maxRepeatsPerDay: number;
  /** Limit on the accesses learned per address and day. */
  maxAccessesPerDay: number;
}

const dayMs = 24 * 60 * 60 * 1000;
const maxAddresses = 50_000;
const maxPages = 200_000;

export class FairShare {
  readonly #options: FairShareOptions;
  /** Number of accesses of the day, by address. */
  readonly #accesses = new LatestMap<string, number>(maxAddresses);
  /** Number of accesses to a page that were learned this day (up to `maxRepeatsPerDay`), by address and page. */
  readonly #pages = new LatestMap<string, number>(maxPages);
  #sinceMs = Number.NaN;

  constructor(options: FairShareOptions) {
    this.#options = options;
  }

  /** Counts an access. @returns why it must not be learned, or null @param page hash of the page; null: an object */
  judge(address: string, page: number | null, timeMs: number): 'repeat' | 'flood' | null {
    const { maxRepeatsPerDay, maxAccessesPerDay } = this.#options;
    if (!(Math.abs(timeMs - this.#sinceMs) < dayMs)) {
      this.clear();
      this.#sinceMs = timeMs;
    }
    const count = (this.#accesses.peek(address) ?? 0) + 1;
    this.#accesses.set(address, count);
    if (count > maxAccessesPerDay) return 'flood';
    if (page === null) return null;
    const key = ownText(`${address} ${page}`);
    const repeats = this.#pages.get(key) ?? 0;
    if (repeats >= maxRepeatsPerDay) return 'repeat';
    this.#pages.set(key, repeats + 1);
    return null;
  }

  /** Forgets all addresses, because another day begins or pseudonyms change. */
  clear(): void {
    this.#accesses.clear();
    this.#pages.clear();
    this.#sinceMs = Number.NaN;
  }
}
