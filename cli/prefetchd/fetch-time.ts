// How long a fetch takes in a simulation: as in the paper, fitted to measured fetches (--fit FILE), or fitted to the
// times in the log itself (--fit, --fit log); --latency and --per-byte override each of them.

import { readFile } from 'node:fs/promises';
import {
  type FetchSample,
  type FitRules,
  type FittedFetchTime,
  fitDefaults,
  fitFetchTime,
  fitLogRules,
  samplesOf,
} from '../../prefetchd/simulate/regression.ts';
import { type FetchTime, paperFetchTime } from '../../prefetchd/simulate/timing-model.ts';
import type { Trace } from '../../prefetchd/simulate/trace.ts';
import { fileFailure } from '../../process/file-failure.ts';
import { CommandError } from '../command-error.ts';

export interface FetchTimeFlags {
  latency?: number;
  perByte?: number;
  /** A file with measurements; `log` or true: the log itself. */
  fit?: string | true;
}

export interface FetchTimes {
  /** Fetch times for a log of which the first `taught` accesses teach. @throws CommandError */
  of(trace: Trace, taught: number): FetchTimeFound;
}

export interface FetchTimeFound {
  fetchTime: FetchTime;
  fitted: FittedFetchTime | null;
  /** Empty if nothing was measured. */
  samples: readonly FetchSample[];
}

/** Reads the file of --fit before a long log is read. @throws CommandError */
export async function fetchTimes({ fit, latency, perByte }: FetchTimeFlags): Promise<FetchTimes> {
  const isLog = fit === true || fit === 'log';
  const measured = fit === undefined || isLog ? null : await readSamples(fit);
  const ofFile = measured && fitted(measured, String(fit), fitDefaults);
  return {
    of(trace, taught) {
      const samples = measured ?? (isLog ? samplesOf(trace, taught) : []);
      const line = isLog ? fittedToLog(samples, trace, taught) : ofFile;
      const { latencyMs, perByteMs } = line ?? paperFetchTime;
      return {
        fetchTime: { latencyMs: latency ?? latencyMs, perByteMs: perByte ?? perByteMs },
        fitted: line,
        samples,
      };
    },
  };
}

/** `a fetch takes 12 ms + 0.00008 ms a byte (fitted to ...)` */
export function describeFetchTime({ fetchTime, fitted }: FetchTimeFound): string {
  const { latencyMs, perByteMs } = fetchTime;
  const told = `a fetch takes ${short(latencyMs, 4)} ms + ${short(perByteMs, 3)} ms a byte`;
  if (fitted === null) return told;
  const { samples, outliers } = fitted;
  return `${told} (fitted to ${samples.toLocaleString('en')} requests, ${outliers.toLocaleString('en')} outliers left out)`;
}

function fittedToLog(samples: readonly FetchSample[], trace: Trace, taught: number) {
  if (!trace.hasDurations) {
    throw new CommandError(
      '--fit: the log does not tell how long a request took; it has to hold request_time (nginx), duration (Caddy), time-taken (W3C, CloudFront) or the like: see docs/learning.md, or give --latency and --per-byte',
      1,
    );
  }
  const where = `the ${taught.toLocaleString('en')} accesses that teach`;
  return fitted(samples, where, fitLogRules);
}

function fitted(samples: readonly FetchSample[], where: string, rules: FitRules): FittedFetchTime {
  if (samples.length === 0 && rules === fitDefaults) {
    throw new CommandError(`--fit: ${where} has no line of 'bytes milliseconds'`, 1);
  }
  const line = fitFetchTime(samples, rules);
  if (typeof line !== 'string') return line;
  const sizes = new Set(samples.map(({ bytes }) => bytes)).size;
  throw new CommandError(
    `--fit: ${line} in ${where}: ${samples.length} that tell size and time, of ${sizes} sizes; at least ${rules.leastSamples} are needed, of ${rules.leastSizes} sizes`,
    1,
  );
}

/** Reads lines of bytes and milliseconds; other lines are skipped. */
async function readSamples(file: string): Promise<FetchSample[]> {
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new CommandError(`--fit: ${fileFailure(file, 'read', cause)}`, 1, { cause });
  });
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
