// The line of fetch time over size, from durations that were measured (Padmanabhan 1995, 8.2.1): "minimizes
// the sum of squared errors, while ignoring outliers". An outlier is a sample whose error is more than
// three standard deviations, these estimated from the median error, which outliers do not move; fit and
// leave out are repeated until nothing changes.

import type { FetchTime } from './timing-model.ts';

export interface FetchSample {
  bytes: number;
  durationMs: number;
}

export interface FittedFetchTime extends FetchTime {
  /** Samples the line was fitted to. */
  samples: number;
  /** Samples left out. */
  outliers: number;
}

const rounds = 10;
/** Median absolute error times this is the standard deviation of a normal distribution. */
const deviationsPerMedian = 1.4826;

/** @returns null without at least two samples of different sizes, or when time falls with size. */
export function fitFetchTime(samples: readonly FetchSample[]): FittedFetchTime | null {
  let kept = samples.filter(
    ({ bytes, durationMs }) => Number.isFinite(bytes) && Number.isFinite(durationMs),
  );
  let line = leastSquares(kept);
  for (let round = 0; line !== null && round < rounds; round++) {
    const { latencyMs, perByteMs } = line;
    const errors = samples.map((sample) =>
      Math.abs(sample.durationMs - latencyMs - perByteMs * sample.bytes),
    );
    const limit = 3 * deviationsPerMedian * median(errors);
    const within = samples.filter((_, index) => (errors[index] as number) <= limit + 1e-9);
    if (within.length === kept.length) break;
    kept = within;
    line = leastSquares(kept);
  }
  if (line === null || line.perByteMs < 0) return null;
  return {
    latencyMs: Math.max(0, line.latencyMs),
    perByteMs: line.perByteMs,
    samples: kept.length,
    outliers: samples.length - kept.length,
  };
}

function leastSquares(samples: readonly FetchSample[]): FetchTime | null {
  const count = samples.length;
  const meanBytes = samples.reduce((sum, { bytes }) => sum + bytes, 0) / count;
  const meanMs = samples.reduce((sum, { durationMs }) => sum + durationMs, 0) / count;
  let [covariance, variance] = [0, 0];
  for (const { bytes, durationMs } of samples) {
    covariance += (bytes - meanBytes) * (durationMs - meanMs);
    variance += (bytes - meanBytes) ** 2;
  }
  if (!(variance > 0)) return null;
  const perByteMs = covariance / variance;
  return { latencyMs: meanMs - perByteMs * meanBytes, perByteMs };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[sorted.length >> 1] as number;
}
