// The difference between two arms with a 95 % interval: the estimate, and on either side the standard deviation of the
// bootstrap's replicates times Student's t of that many.

import { columns } from './poisson-weights.ts';

export interface Comparison {
  /** Of visitors with hints, and of those held back; null: nothing was measured. */
  hinted: number | null;
  heldBack: number | null;
  /** hinted - heldBack; null if either is. */
  difference: number | null;
  /** Of the difference; null if there is none. */
  interval: readonly [low: number, high: number] | null;
}

/** Student's t, two-sided 95 %, with 199 degrees of freedom: the deviation is itself estimated, from 200 replicates. */
const ofStudent = 1.972;

/** @param hinted, heldBack the statistic by column */
export function compared(hinted: Float64Array, heldBack: Float64Array): Comparison {
  const [one = Number.NaN, other = Number.NaN] = [hinted[0], heldBack[0]];
  const difference = one - other;
  const differences: number[] = [];
  for (let column = 1; column < columns; column++) {
    const of = (hinted[column] as number) - (heldBack[column] as number);
    if (Number.isFinite(of)) differences.push(of);
  }
  const isKnown = Number.isFinite(difference) && differences.length > columns / 2;
  const half = ofStudent * deviationOf(differences);
  return {
    hinted: Number.isFinite(one) ? one : null,
    heldBack: Number.isFinite(other) ? other : null,
    difference: isKnown ? difference : null,
    interval: isKnown ? [difference - half, difference + half] : null,
  };
}

function deviationOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}
