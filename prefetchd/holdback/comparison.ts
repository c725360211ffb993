// The difference between two arms with a 95 % interval: the estimate plus and minus the standard deviation of the
// bootstrap's replicates times Student's t.
//
// A bootstrap of few visitors underestimates the variance: of n equal visitors it finds (n - 1) / n of it. The totals
// of its replicates tell how many visitors there are: they vary by the sum of the squares of what each visitor counts
// (the weights have variance 1), so N^2 / variance is n if all count the same, and less otherwise.

import { columns, replicates } from './poisson-weights.ts';
import { studentsT } from './students-t.ts';

export interface Comparison {
  /** Estimate for visitors with hints, and for visitors held back; null: nothing was measured. */
  hinted: number | null;
  heldBack: number | null;
  /** hinted - heldBack; null if either is. */
  difference: number | null;
  /** Interval of the difference; null if there is none. */
  interval: readonly [low: number, high: number] | null;
}

/** Values by column: the estimate, then one value per replicate. */
export interface Statistic {
  values: Float64Array;
  /** The numbers of observations that the values are computed from. */
  totals: Float64Array;
}

/** The variance is itself estimated from the replicates, which limits its degrees of freedom. */
const ofReplicates = replicates - 1;

export function compared(hinted: Statistic, heldBack: Statistic): Comparison {
  const [one = Number.NaN, other = Number.NaN] = [hinted.values[0], heldBack.values[0]];
  const difference = one - other;
  const errors = [errorOf(hinted), errorOf(heldBack)];
  const variance = errors.reduce((sum, error) => sum + error.variance, 0);
  const isKnown = Number.isFinite(difference) && Number.isFinite(variance);
  const half = isKnown ? Math.sqrt(variance) * studentsT(freedomOf(errors, variance)) : Number.NaN;
  return {
    hinted: Number.isFinite(one) ? one : null,
    heldBack: Number.isFinite(other) ? other : null,
    difference: isKnown ? difference : null,
    interval: isKnown ? [difference - half, difference + half] : null,
  };
}

interface ArmError {
  /** Variance of the estimate; NaN: not known. */
  variance: number;
  /** Degrees of freedom of the variance. */
  freedom: number;
}

function errorOf({ values, totals }: Statistic): ArmError {
  const found = values.subarray(1).filter(Number.isFinite);
  const visitors = (totals[0] as number) ** 2 / varianceOf(totals.subarray(1));
  if (!(visitors > leastVisitors) || found.length <= columns / 2) {
    return { variance: Number.NaN, freedom: Number.NaN };
  }
  return { variance: (varianceOf(found) * visitors) / (visitors - 1), freedom: visitors - 1 };
}

/** With no more visitors than this, nothing can be said. */
const leastVisitors = 3;

/** Degrees of freedom after Welch (1947), with the contribution of the replicates. */
function freedomOf(errors: readonly ArmError[], variance: number): number {
  if (variance === 0) return ofReplicates;
  const parts = errors.map(({ variance: own, freedom }) => (own / variance) ** 2 / freedom);
  return 1 / (parts.reduce((sum, part) => sum + part, 0) + 1 / ofReplicates);
}

function varianceOf(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
