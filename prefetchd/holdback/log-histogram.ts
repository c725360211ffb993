// Durations in buckets, each ending 5 % above the one before, with a count per bootstrap replicate. Quantiles are exact
// to the bucket and interpolated within it. One edge is at 100 ms, so the share of instant pages is exact.

import type { Statistic } from './comparison.ts';
import { columns } from './poisson-weights.ts';

/** Pages whose first byte came within this time are instant (RAIL), ms. */
export const instantMs = 100;
const growth = Math.log(1.05);
/** Exponent of the first bucket's upper edge; the buckets reach from 1 ms to 66 s. */
const lowest = -95;
const rows = 229;

const rowOf = (ms: number): number => {
  const row = ms <= 0 ? 0 : Math.ceil(Math.log(ms / instantMs) / growth) - lowest;
  return Math.min(Math.max(row, 0), rows - 1);
};
const upperEdge = (row: number) => instantMs * Math.exp((row + lowest) * growth);

export class LogHistogram {
  /** Counts by row and column, row by row. */
  readonly #counts: Uint32Array;

  /** @param counts The `counts` of another histogram */
  constructor(counts?: Uint32Array) {
    this.#counts = counts?.length === rows * columns ? counts : new Uint32Array(rows * columns);
  }

  get counts(): Uint32Array {
    return this.#counts;
  }

  add(ms: number, weights: Uint8Array): void {
    const start = rowOf(ms) * columns;
    for (let column = 0; column < columns; column++) {
      this.#counts[start + column] =
        (this.#counts[start + column] as number) + (weights[column] as number);
    }
  }

  /** Number of durations. */
  get size(): number {
    return this.totals()[0] as number;
  }

  /** Number of instant durations. */
  get instant(): number {
    return this.#sums(1 - lowest)[0] as number;
  }

  /** The sum of several histograms, which are not changed. */
  static sumOf(histograms: readonly LogHistogram[]): LogHistogram {
    const [first] = histograms;
    if (first !== undefined && histograms.length === 1) return first;
    const sum = new LogHistogram();
    for (const histogram of histograms) {
      for (const start of histogram.#rows(rows)) {
        for (let at = start; at < start + columns; at++) {
          sum.#counts[at] = (sum.#counts[at] as number) + (histogram.#counts[at] as number);
        }
      }
    }
    return sum;
  }

  /** Quantile of each column, ms; NaN if the column is empty. @param share 0..1 */
  quantiles(share: number): Statistic {
    const totals = this.totals();
    const wanted = totals.map((total) => share * total);
    const found = new Float64Array(columns).fill(Number.NaN);
    const before = new Float64Array(columns);
    for (const start of this.#rows(rows)) {
      const row = start / columns;
      const lower = row === 0 ? 0 : upperEdge(row - 1);
      const width = upperEdge(row) - lower;
      for (let column = 0; column < columns; column++) {
        const count = this.#counts[start + column] as number;
        const missing = (wanted[column] as number) - (before[column] as number);
        if (count === 0) continue;
        if (Number.isNaN(found[column]) && count >= missing) {
          found[column] = lower + (missing / count) * width;
        }
        before[column] = (before[column] as number) + count;
      }
    }
    return { values: found, totals };
  }

  /** Share of instant durations in each column; NaN if the column is empty. */
  instantShares(): Statistic {
    const totals = this.totals();
    const instant = this.#sums(1 - lowest);
    const values = totals.map((total, column) => (instant[column] as number) / total);
    return { values, totals };
  }

  totals(): Float64Array {
    return this.#sums(rows);
  }

  #sums(until: number): Float64Array {
    const sums = new Float64Array(columns);
    for (const start of this.#rows(until)) {
      for (let column = 0; column < columns; column++) {
        sums[column] = (sums[column] as number) + (this.#counts[start + column] as number);
      }
    }
    return sums;
  }

  /** Starts of the rows that have counts. */
  *#rows(until: number): Generator<number> {
    for (let start = 0; start < until * columns; start += columns) {
      if (this.#counts[start] !== 0) yield start;
    }
  }
}
