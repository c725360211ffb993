// Median and extremes of a few measured values: all that a bench says about a number.

export interface Spread {
  median: number;
  min: number;
  max: number;
  /** Values behind it. */
  runs: number;
}

/** @throws RangeError without values. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError('spreadOf needs a value at least');
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  const lower = sorted.length % 2 === 1 ? upper : (sorted[middle - 1] as number);
  return {
    median: (lower + upper) / 2,
    min: sorted[0] as number,
    max: sorted.at(-1) as number,
    runs: sorted.length,
  };
}

/** Round by round: what the machine did in a round is in both, and goes out. */
export function ratios(values: readonly number[], bases: readonly number[]): number[] {
  if (values.length !== bases.length) throw new RangeError('ratios needs as many bases as values');
  return values.map((value, round) => value / (bases[round] as number));
}

/** `6.61 (6.02-9.80)`: median, and from least to most. */
export function formatSpread({ median, min, max }: Spread, digits = 2): string {
  const text = (value: number) => value.toFixed(digits);
  if (text(min) === text(max)) return text(median);
  return `${text(median)} (${text(min)}-${text(max)})`;
}
