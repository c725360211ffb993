// The arcs of one row that an addition credits (merge.ts), as columns in their new state. Fingerprints stay packed as
// in a record: three of ten bits in each of two words, and `seen` in the bits above.

import { fingerprintsPerArc, mergedSeen, neverNext } from '../../model/delta/graph-delta.ts';

const bits = 10;
const inOneWord = 3;
const mask = 2 ** bits - 1;
const seenShift = bits * inOneWord;
const printsMask = 2 ** seenShift - 1;

export class Credited {
  length = 0;
  counts = new Float64Array(0);
  to = new Uint32Array(0);
  eras = new Uint32Array(0);
  lows = new Uint32Array(0);
  highs = new Uint32Array(0);
  #order = new Uint32Array(0);

  /** Clear the columns and make room for `room` arcs. */
  clear(room: number): void {
    this.length = 0;
    if (room <= this.counts.length) return;
    this.counts = new Float64Array(2 * room);
    this.to = new Uint32Array(2 * room);
    this.eras = new Uint32Array(2 * room);
    this.lows = new Uint32Array(2 * room);
    this.highs = new Uint32Array(2 * room);
    this.#order = new Uint32Array(2 * room);
  }

  /** Add an arc not credited so far. @param record its stored record; absent if it is new */
  add(to: number, record?: { view: DataView; start: number }): number {
    const own = this.length++;
    this.to[own] = to;
    this.counts[own] = record?.view.getFloat64(record.start, true) ?? 0;
    this.lows[own] = record?.view.getUint32(record.start + 8, true) ?? 0;
    this.highs[own] =
      record?.view.getUint32(record.start + 12, true) ?? neverNext << (seenShift - 2);
    this.eras[own] = record?.view.getUint32(record.start + 20, true) ?? 0;
    return own;
  }

  /** Add what a part of the arc's accesses say (graph-delta.ts). */
  see(own: number, part: number): void {
    const low = this.lows[own] as number;
    const high = this.highs[own] as number;
    const seen = mergedSeen(seenIn(low, high), part);
    this.lows[own] = (low & printsMask) | ((seen & 3) << seenShift);
    this.highs[own] = (high & printsMask) | ((seen >> 2) << seenShift);
  }

  /** Record a client; at most six are distinguished. */
  meet(own: number, era: number, print: number): void {
    if (this.eras[own] !== era) this.#beginEra(own, era);
    if (!addTo(this.lows, own, print)) addTo(this.highs, own, print);
  }

  /** Strongest first; equal arcs keep their order. */
  sorted(): Uint32Array {
    const order = this.#order.subarray(0, this.length);
    for (let at = 0; at < order.length; at++) order[at] = at;
    const { counts } = this;
    return order.sort((one, other) => (counts[other] as number) - (counts[one] as number));
  }

  /** Replace the fingerprints of the previous era by their number. */
  #beginEra(own: number, era: number): void {
    this.see(own, neverNext + clientsIn(this.lows[own] as number, this.highs[own] as number));
    this.lows[own] = (this.lows[own] as number) & ~printsMask;
    this.highs[own] = (this.highs[own] as number) & ~printsMask;
    this.eras[own] = era;
  }
}

const seenIn = (low: number, high: number): number =>
  (low >>> seenShift) + ((high >>> seenShift) << 2);

/** Number of fingerprints in the two words of an arc. */
function clientsIn(low: number, high: number): number {
  let clients = 0;
  while (clients < fingerprintsPerArc && printAt(low, high, clients) !== 0) clients++;
  return clients;
}

/** The two words of an arc after its era ended: no fingerprints, and `seen` raised to their number. */
export function withoutPrints(low: number, high: number): { low: number; high: number } {
  const seen = mergedSeen(seenIn(low, high), neverNext + clientsIn(low, high));
  return { low: (seen & 3) << seenShift, high: (seen >> 2) << seenShift };
}

function printAt(low: number, high: number, at: number): number {
  const word = at < inOneWord ? low : high;
  return (word >>> (bits * (at % inOneWord))) & mask;
}

/** False if the word is full. */
function addTo(words: Uint32Array, at: number, print: number): boolean {
  const word = words[at] as number;
  for (let shift = 0; shift < seenShift; shift += bits) {
    const held = (word >>> shift) & mask;
    if (held === print) return true;
    if (held !== 0) continue;
    words[at] = word | (print << shift);
    return true;
  }
  return false;
}
