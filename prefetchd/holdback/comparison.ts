// Computes the difference of two arms' means and its 95 % interval: two standard errors either way (Welch 1947).
//
// The visits of one visitor resemble each other, so the standard error cannot be estimated from single visits. It is
// estimated from 100 groups, to which a hash assigns the visitors (the method of random groups: Wolter 2007,
// "Introduction to Variance Estimation", 2), and nothing is kept about any visitor.

import type { Comparison } from './report.ts';

export const groups = 100;

/** First the sum of values in each of the 100 groups of visitors, then the number of navigations or pages in each. */
export type GroupSums = number[];

export const emptySums = (): GroupSums => new Array(2 * groups).fill(0);

/** Returns the number of navigations or pages of all groups of visitors. */
export const countOf = (sums: GroupSums): number => total(sums.slice(groups));

export function added(all: readonly GroupSums[]): GroupSums {
  return emptySums().map((_, at) => total(all.map((one) => one[at] as number)));
}

export function compared(hinted: GroupSums, heldBack: GroupSums): Comparison {
  const [one, other] = [meanOf(hinted), meanOf(heldBack)];
  const difference = one.mean - other.mean;
  const half = standardErrors * Math.sqrt(one.variance + other.variance);
  return {
    hinted: known(one.mean),
    heldBack: known(other.mean),
    difference: known(difference),
    interval: Number.isFinite(half) ? [difference - half, difference + half] : null,
  };
}

/** Half the width of the 95 % interval, in standard errors: 1.96 if those are exact, more if they are estimated. */
const standardErrors = 2;

/** Estimates the mean of a measure per navigation or page, and the variance of that mean, from sums and counts of
 *  random groups of visitors (the linearised variance of a ratio). NaN: too little is known. */
function meanOf(sums: GroupSums): { mean: number; variance: number } {
  const count = countOf(sums);
  const mean = total(sums.slice(0, groups)) / count;
  const residuals = sums.slice(0, groups).map((sum, at) => sum - mean * (sums[groups + at] ?? 0));
  const used = sums.slice(groups).filter((n) => n > 0).length;
  const squares = total(residuals.map((residual) => residual ** 2));
  return { mean, variance: ((used / (used - 1)) * squares) / count ** 2 };
}

const known = (value: number) => (Number.isFinite(value) ? value : null);
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
