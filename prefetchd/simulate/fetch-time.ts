// Computes how long a fetch takes: a latency plus a time per byte. The paper's regression over about 230 fetches gave
// 1.13 s and 5.36e-5 s a byte (Padmanabhan 1995, 8.2.1). It "minimizes the sum of squared errors, while ignoring
// outliers"; so does the fit to measured durations here.
//
// Server times have a long tail (a slow client, a cold cache, a query that hung), which least squares alone would
// follow. The line to begin with is therefore robust: the median of the slopes between samples of the lower and the
// upper half by size (Theil's incomplete method, 1950; tolerates a quarter of arbitrary samples). Then two steps are
// repeated until nothing changes: drop outliers, whose error exceeds three standard deviations (estimated from the
// median error), and apply least squares to the rest.
//
// A negative latency or time per byte is meaningless, so the best line without negative ones is used (least squares on
// the boundary): if time does not rise with size, this is the mean time with 0 per byte.

import { complete, type Trace } from './trace.ts';

export interface FetchTime {
  /** The part of a fetch's duration that does not depend on its size, ms. */
  latencyMs: number;
  /** Additional duration for each byte, ms. */
  perByteMs: number;
}

/** Duration of a fetch, by the regression of Padmanabhan 1995 (8.2.1, figure 14). */
export const paperFetchTime: FetchTime = { latencyMs: 1130, perByteMs: 0.0536 };

/** Returns the duration of a fetch of `bytes`, ms. */
export function fetchTimeMs({ latencyMs, perByteMs }: FetchTime, bytes: number): number {
  return latencyMs + perByteMs * bytes;
}

export interface FetchSample {
  bytes: number;
  durationMs: number;
}

export interface FittedFetchTime extends FetchTime {
  /** Number of measured fetches to which the line (duration by size) was fitted. */
  samples: number;
  /** Number of measured fetches that were left out as outliers. */
  outliers: number;
}

const rounds = 10;
/** The standard deviation of a normal distribution, divided by its median absolute deviation. */
const deviationsPerMedian = 1.4826;

/** Fits a line (duration by size) to measured fetches; returns null if they do not have at least two sizes. */
export function fitFetchTime(given: readonly FetchSample[]): FittedFetchTime | null {
  const samples = given
    .filter(({ bytes, durationMs }) => Number.isFinite(bytes) && Number.isFinite(durationMs))
    .toSorted((left, right) => left.bytes - right.bytes);
  if (samples.at(0)?.bytes === samples.at(-1)?.bytes) return null;
  let line = robustLine(samples);
  let kept: readonly FetchSample[] = [];
  for (let round = 0; round < rounds; round++) {
    const errors = samples.map((sample) => Math.abs(errorOf(line, sample)));
    const limit = 3 * deviationsPerMedian * median(errors) + 1e-9;
    const within = samples.filter((_, index) => (errors[index] as number) <= limit);
    if (round > 0 && within.length === kept.length) break;
    kept = within;
    line = leastSquares(kept);
  }
  return { ...line, samples: kept.length, outliers: samples.length - kept.length };
}

/** Returns the complete responses of known duration among the first `to` accesses. */
export function samplesOf({ accesses }: Trace, to: number): FetchSample[] {
  return accesses.slice(0, to).flatMap(({ status, bytes, durationMs }) => {
    const isSample = status === complete && bytes > 0 && durationMs !== undefined;
    return isSample ? [{ bytes, durationMs }] : [];
  });
}

/** Returns the robust line, by Theil's incomplete method, from which the fit starts. @param samples sorted by size */
function robustLine(samples: readonly FetchSample[]): FetchTime {
  const half = Math.ceil(samples.length / 2);
  const slopes: number[] = [];
  for (let low = 0; low + half < samples.length; low++) {
    const [small, large] = [samples[low] as FetchSample, samples[low + half] as FetchSample];
    if (large.bytes === small.bytes) continue;
    slopes.push((large.durationMs - small.durationMs) / (large.bytes - small.bytes));
  }
  const perByteMs = slopes.length === 0 ? 0 : Math.max(0, median(slopes));
  const latencyMs = median(samples.map((sample) => errorOf({ latencyMs: 0, perByteMs }, sample)));
  return { latencyMs, perByteMs };
}

/** Returns the least-squares line that has neither a negative latency nor a negative time per byte. */
function leastSquares(samples: readonly FetchSample[]): FetchTime {
  const count = samples.length;
  const meanBytes = samples.reduce((sum, { bytes }) => sum + bytes, 0) / count;
  const meanMs = samples.reduce((sum, { durationMs }) => sum + durationMs, 0) / count;
  let [covariance, variance, products, squares] = [0, 0, 0, 0];
  for (const { bytes, durationMs } of samples) {
    covariance += (bytes - meanBytes) * (durationMs - meanMs);
    variance += (bytes - meanBytes) ** 2;
    products += bytes * durationMs;
    squares += bytes ** 2;
  }
  const perByteMs = variance > 0 ? covariance / variance : 0;
  if (perByteMs <= 0) return { latencyMs: meanMs, perByteMs: 0 };
  const latencyMs = meanMs - perByteMs * meanBytes;
  return latencyMs < 0 ? { latencyMs: 0, perByteMs: products / squares } : { latencyMs, perByteMs };
}

function errorOf({ latencyMs, perByteMs }: FetchTime, { bytes, durationMs }: FetchSample): number {
  return durationMs - latencyMs - perByteMs * bytes;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[sorted.length >> 1] as number;
}
