// Finds the first few arcs of a row, latest first among equals, without sorting the row. Many arcs have equal counts
// (all pictures of a page do), and each access changes which of them is latest, so sorting on every request would
// dominate its cost.
//
// The head consists of the arcs from `start` to `end` for which `isIn` is true. All arcs beyond `end` count less; of
// those that count the same as the last arc of the head, only those credited since `since` are in.

import type { ArcChunk } from './arc-pool.ts';

export class RowHead {
  end = 0;
  /** Count of the last arc of the head, if some of its equals are left out. */
  least = Number.NaN;
  since = Number.NEGATIVE_INFINITY;
  #latest = new Float64Array(16);

  /** Find the first `most` of `length` arcs that begin at `start`. */
  find({ counts, lasts }: ArcChunk, start: number, length: number, most: number): void {
    this.least = Number.NaN;
    this.since = Number.NEGATIVE_INFINITY;
    this.end = start + Math.min(most, length);
    if (length <= most || counts[this.end] !== counts[this.end - 1]) return;
    const least = counts[this.end] as number;
    let first = this.end - 1;
    while (first > start && counts[first - 1] === least) first--;
    while (this.end < start + length && counts[this.end] === least) this.end++;
    this.least = least;
    this.since = this.#nthLatest(lasts, first, start + most - first);
  }

  isIn({ counts, lasts }: ArcChunk, at: number): boolean {
    return counts[at] !== this.least || (lasts[at] as number) >= this.since;
  }

  /** Among the arcs from `first` to `end`. */
  #nthLatest(lasts: Float64Array, first: number, n: number): number {
    if (this.#latest.length < n) this.#latest = new Float64Array(n);
    const latest = this.#latest.fill(Number.NEGATIVE_INFINITY, 0, n);
    for (let at = first; at < this.end; at++) {
      const last = lasts[at] as number;
      let place = n;
      while (place > 0 && (latest[place - 1] as number) < last) place--;
      if (place === n) continue;
      latest.copyWithin(place + 1, place, n - 1);
      latest[place] = last;
    }
    return latest[n - 1] as number;
  }
}
