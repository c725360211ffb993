// Finds latency and time per byte of simulated fetches: those that Padmanabhan measured in 1995, or fitted to measured
// fetches (--fit FILE) or to the times in the log itself (--fit, --fit log). --latency and --per-byte override them.

import {
  type FetchSample,
  type FetchTime,
  type FittedFetchTime,
  fitFetchTime,
  paperFetchTime,
  samplesOf,
} from '../../prefetchd/simulate/fetch-time.ts';
import type { Trace } from '../../prefetchd/simulate/trace.ts';
import { CommandError } from '../command-error.ts';
import { readGiven } from '../flag-values.ts';

export interface FetchTimeFlags {
  latency?: number;
  perByte?: number;
  /** File of measured fetches, to which latency and time per byte are fitted; `log` or true: the times in the log. */
  fit?: string | true;
}

export interface FoundFetchTime {
  fetchTime: FetchTime;
  fitted: FittedFetchTime | null;
}

/**
 * Reads the file of --fit before a long log is read.
 * @returns a function that finds how long a fetch takes when a log is simulated. `taught` is the number of accesses at
 * the start of the log that only train the predictor; `--fit log` uses the times of these.
 * @throws CommandError
 */
export async function fetchTimes({
  fit,
  latency,
  perByte,
}: FetchTimeFlags): Promise<(trace: Trace, taught: number) => FoundFetchTime> {
  const isLog = fit === true || fit === 'log';
  const ofFile =
    fit === undefined || isLog
      ? null
      : fitted(await readSamples(fit), `the lines 'bytes milliseconds' of ${fit}`);
  return (trace, taught) => {
    const line = isLog ? fittedToLog(trace, taught) : ofFile;
    const { latencyMs, perByteMs } = line ?? paperFetchTime;
    return {
      fetchTime: { latencyMs: latency ?? latencyMs, perByteMs: perByte ?? perByteMs },
      fitted: line,
    };
  };
}

/** Says `a fetch takes 12 ms + 0.00008 ms a byte (fitted to ...)`. */
export function describeFetchTime({ fetchTime, fitted }: FoundFetchTime): string {
  const { latencyMs, perByteMs } = fetchTime;
  const told = `a fetch takes ${short(latencyMs, 4)} ms + ${short(perByteMs, 3)} ms a byte`;
  if (fitted === null) return told;
  const { samples, outliers } = fitted;
  return `${told} (fitted to ${samples.toLocaleString('en')} requests, ${outliers.toLocaleString('en')} outliers left out)`;
}

function fittedToLog(trace: Trace, taught: number): FittedFetchTime {
  if (!trace.accesses.some(({ durationMs }) => durationMs !== undefined)) {
    throw new CommandError(
      '--fit: the log does not tell how long a request took; it has to hold request_time (nginx), duration (Caddy), time-taken (W3C, CloudFront) or the like: see docs/learning.md, or give --latency and --per-byte',
      1,
    );
  }
  return fitted(samplesOf(trace, taught), `the ${taught.toLocaleString('en')} accesses that teach`);
}

function fitted(samples: readonly FetchSample[], where: string): FittedFetchTime {
  const line = fitFetchTime(samples);
  if (line !== null) return line;
  const said = samples.length > 1 ? `${samples.length}, all of one size` : samples.length;
  throw new CommandError(
    `--fit: fetches of at least two sizes are needed; size and time are told of ${said}, in ${where}`,
    1,
  );
}

/** Reads measured fetches: lines of the length of a response, bytes, and its duration, ms. Other lines are skipped. */
async function readSamples(file: string): Promise<FetchSample[]> {
  const text = (await readGiven(file, '--fit', 1)).toString();
  return text.split('\n').flatMap((line) => {
    const [bytes, durationMs] = line
      .trim()
      .split(/[\s,;]+/)
      .map((word) => (word === '' ? Number.NaN : Number(word)));
    const known = Number.isFinite(bytes) && Number.isFinite(durationMs);
    return known ? [{ bytes: bytes as number, durationMs: durationMs as number }] : [];
  });
}

function short(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits)));
}
