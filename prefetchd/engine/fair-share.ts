// No single visitor teaches more than a share. A weight is counts over accesses, so who asks for one page
// a hundred thousand times would thin out all that leads from it, and who invents as many URLs would
// push real ones out of a full table. Three limits, for each address (an address; user agents are free to
// invent):
//   repeat  a URL counts a limited number of times per hour, and twice while nobody else requests it, so that the
//           visits of others stay at least a third; not applied if one client may teach hints alone (k = 1)
//   flood   so many accesses an hour are learned in all
// Time is that of the accesses. An hour is enough where many ask; where few do, who comes back each hour of a
// day would be most of what is known of a page. With twice, the visits of others stay at least a third. Where
// one client may teach hints alone (k = 1), it may go on as it likes.
//
// Repeats are counted in two rows of small counters, found by hashes of address and URL, of which the lesser
// holds (count-min, Cormode and Muthukrishnan 2005): never too low, so nobody slips through by asking for
// much else, and too high only for the few that share both counters with others.

import { textHash } from '../model/tables/texts.ts';
import { Runs } from './runs.ts';

export interface FairShareOptions {
  /** Times a URL of one address counts in an hour, 1..255. */
  maxRepeatsPerHour: number;
  /** Accesses of one address that are learned in an hour. */
  maxAccessesPerHour: number;
  /** k: distinct clients behind a hint. */
  minClients: number;
}

const hourMs = 60 * 60 * 1000;
const maxAddresses = 50_000;
const counters = 2 ** 20;
const mostInARow = 2;

export class FairShare {
  readonly #options: FairShareOptions;
  readonly #rows = [new Uint8Array(counters), new Uint8Array(counters)] as const;
  /** Accesses of this hour. */
  readonly #counts = new Map<string, number>();
  /** null: one client may teach alone. */
  readonly #runs: Runs | null;
  #hour = Number.NaN;

  constructor(options: FairShareOptions) {
    this.#options = options;
    this.#runs = options.minClients > 1 ? new Runs() : null;
  }

  /** Counts an access; why it must not be learned, or null. @param url its hash @param id of the URL in the graph;
   *  below 0: it is new there */
  judge(address: string, url: number, id: number, timeMs: number): 'repeat' | 'flood' | null {
    const { maxRepeatsPerHour, maxAccessesPerHour } = this.#options;
    const hour = Math.floor(timeMs / hourMs);
    // An access that comes late counts in this hour; a clock set back by more begins anew.
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

  /** Forget everybody, as when pseudonyms change. */
  clear(): void {
    this.#clearHour();
    this.#runs?.clear();
  }

  #clearHour(): void {
    for (const row of this.#rows) row.fill(0);
    this.#counts.clear();
  }
}
