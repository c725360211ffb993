// Fits the line of fetch time over size to measured durations (Padmanabhan 1995, 8.2.1): "minimizes the sum of
// squared errors, while ignoring outliers".
//
// Server times have a long tail (a slow client, a cold cache, a query that hung), which least squares alone would
// follow. The first line is therefore robust: the median of the slopes between samples of the lower and the upper
// half by size (Theil's incomplete method, 1950; tolerates a quarter of arbitrary samples). Then two steps are repeated
// until nothing changes: drop outliers, whose error exceeds three standard deviations (estimated from the median
// error), and apply least squares to the rest.
//
// A negative latency or time per byte is meaningless, so the best line without one is used (least squares on the
// boundary): if time does not rise with size, this is the mean time with 0 per byte.

import type { FetchTime } from './timing-model.ts';
import type { Trace } from './trace.ts';
import { rowsOf } from './trace-reader.ts';

export interface FetchSample {
  bytes: number;
  durationMs: number;
}

export interface FittedFetchTime extends FetchTime {
  /** Number of samples that the line was fitted to. */
  samples: number;
  /** Number of samples left out. */
  outliers: number;
}

/** Why no line could be fitted. */
export type NoFit = 'too few samples' | 'too few sizes';

/** Minimum samples and sizes for a file of selected measurements, and for a log. */
export interface FitRules {
  leastSamples: number;
  leastSizes: number;
}

export const fitDefaults: Readonly<FitRules> = { leastSamples: 2, leastSizes: 2 };
export const fitLogRules: Readonly<FitRules> = { leastSamples: 20, leastSizes: 5 };

const rounds = 10;
/** Factor from the median absolute error to the standard deviation of a normal distribution. */
const deviationsPerMedian = 1.4826;
const completeStatus = 200;

export function fitFetchTime(
  given: readonly FetchSample[],
  { leastSamples, leastSizes }: FitRules = fitDefaults,
): FittedFetchTime | NoFit {
  const samples = given
    .filter(({ bytes, durationMs }) => Number.isFinite(bytes) && Number.isFinite(durationMs))
    .toSorted((left, right) => left.bytes - right.bytes);
  if (samples.length < leastSamples) return 'too few samples';
  if (new Set(samples.map(({ bytes }) => bytes)).size < leastSizes) return 'too few sizes';
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

/** The complete responses (200) of known duration among the first `to` accesses. */
export function samplesOf(trace: Trace, to: number): FetchSample[] {
  const samples: FetchSample[] = [];
  if (!trace.hasDurations) return samples;
  for (const { bytes, durationMs, status } of rowsOf(trace, 0, Math.min(to, trace.count))) {
    if (status === completeStatus && bytes > 0 && !Number.isNaN(durationMs)) {
      samples.push({ bytes, durationMs });
    }
  }
  return samples;
}

/** @param samples sorted by size */
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

/** Least-squares line with no negative coefficient. */
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
