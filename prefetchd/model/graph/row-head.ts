// Finds the first few arcs of a row, among equal arcs those to next pages and the latest (tieRank), without sorting the
// row. Many arcs have equal counts (all images of a page do), and each access changes which of them is first, so
// sorting on every request would dominate its cost.
//
// The head consists of the arcs from `start` to `end` for which `isIn` is true. All arcs beyond `end` count less; of
// those that count the same as the last arc of the head, only those with a rank of at least `since` are in.

import { type ArcChunk, tieRank } from './arc-pool.ts';

export class RowHead {
  end = 0;
  /** Count of the last arc of the head, if some of its equals are left out. */
  least = Number.NaN;
  since = Number.NEGATIVE_INFINITY;
  #first = new Float64Array(16);

  /** Find the first `most` of `length` arcs that begin at `start`. */
  find(chunk: ArcChunk, start: number, length: number, most: number): void {
    const { counts } = chunk;
    this.least = Number.NaN;
    this.since = Number.NEGATIVE_INFINITY;
    this.end = start + Math.min(most, length);
    if (length <= most || counts[this.end] !== counts[this.end - 1]) return;
    const least = counts[this.end] as number;
    let first = this.end - 1;
    while (first > start && counts[first - 1] === least) first--;
    while (this.end < start + length && counts[this.end] === least) this.end++;
    this.least = least;
    this.since = this.#nthRank(chunk, first, start + most - first);
  }

  isIn(chunk: ArcChunk, at: number): boolean {
    return chunk.counts[at] !== this.least || tieRank(chunk, at) >= this.since;
  }

  /** The n-th highest rank among the arcs from `first` to `end`. */
  #nthRank(chunk: ArcChunk, first: number, n: number): number {
    if (this.#first.length < n) this.#first = new Float64Array(n);
    const ranks = this.#first.fill(Number.NEGATIVE_INFINITY, 0, n);
    for (let at = first; at < this.end; at++) {
      const rank = tieRank(chunk, at);
      let place = n;
      while (place > 0 && (ranks[place - 1] as number) < rank) place--;
      if (place === n) continue;
      ranks.copyWithin(place + 1, place, n - 1);
      ranks[place] = rank;
    }
    return ranks[n - 1] as number;
  }
}
