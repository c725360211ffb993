// The first few arcs of a row, the latest first among equals, found without putting the row in order. Many arcs
// count the same (all pictures of a page do), and each access changes which of them came last: to sort them for
// every question takes longer than all else there is to do.
//
// The head are the arcs from `start` to `end` of which `isIn` holds: those behind count less, and of those that
// count as much as its last arc only those credited since `since` are in.

import type { ArcChunk } from './arc-pool.ts';

export class RowHead {
  end = 0;
  /** What the last arc of the head counts, if equals of it are left out. */
  least = Number.NaN;
  since = Number.NEGATIVE_INFINITY;
  #latest = new Float64Array(16);

  /** Find the first `most` of `length` arcs, which begin at `start`. */
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

  /** Of the arcs from `first` to `end`. */
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
