// Mean, standard deviation and confidence interval, as Heidemann prints them (1996, Table 1).

export interface Deviation {
  mean: number;
  /** Standard deviation of the sample. */
  deviation: number;
  /** Half the interval in which the mean lies with 95 %: 1.96 standard errors. */
  confidence: number;
}

export function deviationOf(values: readonly number[]): Deviation {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / Math.max(1, count - 1));
  return { mean, deviation, confidence: (1.96 * deviation) / Math.sqrt(count) };
}
