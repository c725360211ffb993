// Limits what a single visitor can teach. A weight is a ratio of counts, so one client requesting a page a hundred
// thousand times would dilute everything that follows it, and one inventing as many URLs would evict real ones.
// Limits apply per address and day, because user agents can be invented:
//   repeat  a page counts a limited number of times, and so does each arc from or to it: a visit of A is followed by B
//           at most once (model/graph/windows.ts). Objects add to arcs of pages alone
//   flood   a limited number of accesses is learned
// The time is that of the accesses; a day begins with its first access, or with new pseudonyms. Repeats are counted in
// two rows of small counters, indexed by hashes of address and URL; the lower counter is valid (count-min, Cormode and
// Muthukrishnan 2005). It is never too low, and too high only on a double collision: at 500,000 pages and addresses a
// day for one in 1,000. A repeat is left out of both the numerator and the denominator of a weight.

import { textHash } from '../text-hash.ts';

export interface FairShareOptions {
  /** How often a page counts per address and day, 1..255. */
  maxRepeatsPerDay: number;
  /** Accesses learned per address and day. */
  maxAccessesPerDay: number;
}

const dayMs = 24 * 60 * 60 * 1000;
const maxAddresses = 50_000;
const counterBits = 21;
const counters = 2 ** counterBits;

export class FairShare {
  readonly #options: FairShareOptions;
  /** null: nothing was counted yet. */
  #rows: readonly [Uint8Array, Uint8Array] | null = null;
  /** Accesses of the day, by address. */
  readonly #counts = new Map<string, number>();
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
    const count = (this.#counts.get(address) ?? 0) + 1;
    if (this.#counts.size < maxAddresses || count > 1) this.#counts.set(address, count);
    if (count > maxAccessesPerDay) return 'flood';
    if (page === null) return null;
    this.#rows ??= [new Uint8Array(counters), new Uint8Array(counters)];
    const [one, other] = this.#rows;
    const mixed = Math.imul(textHash(address) ^ Math.imul(page, 0x9e3779b1), 0x85ebca6b);
    const first = mixed >>> (32 - counterBits);
    const second = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> (32 - counterBits);
    const repeats = Math.min(one[first] as number, other[second] as number);
    if (repeats >= maxRepeatsPerDay) return 'repeat';
    if (one[first] === repeats) one[first] = repeats + 1;
    if (other[second] === repeats) other[second] = repeats + 1;
    return null;
  }

  /** Forgets all addresses, because pseudonyms change. */
  clear(): void {
    this.#rows = null;
    this.#counts.clear();
    this.#sinceMs = Number.NaN;
  }
}
