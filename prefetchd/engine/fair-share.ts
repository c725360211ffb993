// Limits what a single visitor can teach. A weight is a ratio of counts, so one client requesting a page a hundred
// thousand times would dilute everything that follows it, and one inventing as many URLs would evict real ones.
// Limits apply per address, because user agents can be invented:
//   repeat  a URL counts a limited number of times per hour, and at most twice in a row while nobody else requests
//           it, so that others have at least a third; not applied if one client may teach hints alone (k = 1)
//   flood   a limited number of accesses per hour is learned
// Time is that of the accesses. Repeats are counted in two rows of small counters, indexed by hashes of address and
// URL; the lower one counts (count-min, Cormode and Muthukrishnan 2005). It is never too low, and too high only on a
// double collision. A repeat is left out of both the numerator and the denominator of a weight.

import { textHash } from '../model/tables/texts.ts';
import { Runs } from './runs.ts';

export interface FairShareOptions {
  /** How often a URL counts per address and hour, 1..255. */
  maxRepeatsPerHour: number;
  /** Accesses learned per address and hour. */
  maxAccessesPerHour: number;
  /** k: distinct clients needed for a hint. */
  minClients: number;
}

const hourMs = 60 * 60 * 1000;
const maxAddresses = 50_000;
const counters = 2 ** 20;
const mostInARow = 2;

export class FairShare {
  readonly #options: FairShareOptions;
  readonly #rows = [new Uint8Array(counters), new Uint8Array(counters)] as const;
  /** Accesses in the current hour, by address. */
  readonly #counts = new Map<string, number>();
  /** null: one client may teach alone. */
  readonly #runs: Runs | null;
  #hour = Number.NaN;

  constructor(options: FairShareOptions) {
    this.#options = options;
    this.#runs = options.minClients > 1 ? new Runs() : null;
  }

  /** Count an access. @returns why it must not be learned, or null @param url its hash
   *  @param id of the URL in the graph; negative if new */
  judge(address: string, url: number, id: number, timeMs: number): 'repeat' | 'flood' | null {
    const { maxRepeatsPerHour, maxAccessesPerHour } = this.#options;
    const hour = Math.floor(timeMs / hourMs);
    // An access up to an hour late counts in the current hour; a clock set back further starts anew.
    if (hour !== this.#hour && hour !== this.#hour - 1) {
      this.#hour = hour;
      this.#clearHour();
    }
    const count = (this.#counts.get(address) ?? 0) + 1;
    if (this.#counts.size < maxAddresses || count > 1) this.#counts.set(address, count);
    if (count > maxAccessesPerHour) return 'flood';
    const [one, other] = this.#rows;
    const who = textHash(address);
    const mixed = Math.imul(who ^ Math.imul(url, 0x9e3779b1), 0x85ebca6b);
    const first = mixed >>> 12;
    const second = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> 12;
    const repeats = Math.min(one[first] as number, other[second] as number);
    if (repeats >= maxRepeatsPerHour) return 'repeat';
    if (id >= 0 && this.#runs?.lengthen(id, who, mostInARow) === false) return 'repeat';
    if (one[first] === repeats) one[first] = repeats + 1;
    if (other[second] === repeats) other[second] = repeats + 1;
    return null;
  }

  /** Forget all addresses, because pseudonyms change. */
  clear(): void {
    this.#clearHour();
    this.#runs?.clear();
  }

  #clearHour(): void {
    for (const row of this.#rows) row.fill(0);
    this.#counts.clear();
  }
}
