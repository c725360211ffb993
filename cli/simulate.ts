// `prefetchd simulate LOG...`: a sweep over w, p and i; table or JSON, CSV, charts.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PredictorName, predictorNames } from '../prefetchd/model/index.ts';
import type { SimulateOptions } from '../prefetchd/simulate/options.ts';
import { simulateDefaults, simulateSettings, splitOf } from '../prefetchd/simulate/options.ts';
import { parseRanges } from '../prefetchd/simulate/ranges.ts';
import { type FetchSample, fitFetchTime } from '../prefetchd/simulate/regression.ts';
import { paperSweep, type SweepOptions, sweep } from '../prefetchd/simulate/sweep.ts';
import { timingModels } from '../prefetchd/simulate/timing-model.ts';
import { CommandError } from './command-error.ts';
import {
  describeLog,
  type LogFlags,
  type LogTrace,
  readTrace,
  simulationProgress,
} from './log-trace.ts';
import { terminal } from './terminal.ts';

export interface GridFlags {
  window: string;
  threshold: string;
  limit: string;
  predictor: string;
  minClients: number;
  workers?: number;
  json?: boolean;
}

export interface SimulateFlags extends LogFlags, GridFlags {
  model: string;
  train?: number;
  simulate?: number;
  cache?: number;
  block?: number;
  latency?: number;
  perByte?: number;
  fit?: string;
  capByLead: boolean;
  all?: boolean;
  csv?: string;
  charts?: string;
}

/** @returns the exit code */
export async function simulateLog(logs: string[], flags: SimulateFlags): Promise<number> {
  const grid = gridOf(flags);
  const models = namesIn('--model', flags.model, timingModels);
  const samples = flags.fit === undefined ? undefined : await readSamples(flags.fit);
  const options = settingsOf(flags, samples);
  const settings = simulateSettings(options); // before a long log is read
  const log = await readTrace(logs, flags);
  const { from, to } = splitOf(log.trace.count, settings);
  if (from >= to) {
    throw new CommandError(
      `nothing is left to simulate: ${log.trace.count} accesses, ${from} of them teach (--train)`,
      2,
    );
  }
  const simulation = await sweepShown(log, { ...options, ...grid, models });

  if (flags.csv !== undefined) {
    const { toCsv } = await import('../prefetchd/simulate/csv.ts');
    await write('--csv', flags.csv, toCsv(simulation));
  }
  const written =
    flags.charts === undefined ? [] : await writeCharts(flags.charts, log, options, samples);
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(simulation, null, 2)}\n`);
    return 0;
  }
  const { formatCount, renderTable, wrapped } = await import('../prefetchd/simulate/table.ts');
  const { latencyMs, perByteMs } = settings.fetchTime;
  const { columns } = terminal(process.stdout);
  const lines = [
    ...wrapped(describeLog(log), columns),
    ...wrapped(
      `${formatCount(from)} accesses taught, ${formatCount(to - from)} simulated; ${megabytes(settings.cacheBytes)} MB cache a client; a fetch takes ${Number(latencyMs.toPrecision(4))} ms + ${Number(perByteMs.toPrecision(3))} ms a byte`,
      columns,
    ),
    renderTable(simulation, { columns, ...(flags.all ? { all: true } : {}) }),
    ...(flags.csv === undefined ? [] : [`points: ${flags.csv}`]),
    ...written.map((file) => `chart: ${file}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

/** Predictors, w, p, i as flags give them. @throws PrefetchdError, CommandError */
export function gridOf(flags: GridFlags): SweepOptions & { predictors: PredictorName[] } {
  return {
    predictors:
      flags.predictor === 'all'
        ? [...predictorNames]
        : namesIn('--predictor', flags.predictor, predictorNames),
    windows: parseRanges(flags.window, { name: '--window', least: 2, most: 100, whole: true }),
    thresholds: parseRanges(flags.threshold, { name: '--threshold', least: 0, most: 2 }),
    limits: parseRanges(flags.limit, {
      name: '--limit',
      least: 1,
      most: 10_000,
      whole: true,
      unlimited: true,
    }),
    predictorOptions: { minClients: flags.minClients },
    ...(flags.workers === undefined ? {} : { workers: flags.workers }),
  };
}

async function sweepShown(log: LogTrace, options: SweepOptions) {
  const progress = simulationProgress(performance.now());
  try {
    return await sweep(log.trace, { ...options, onProgress: progress.onProgress });
  } finally {
    progress.clear();
  }
}

function settingsOf(flags: SimulateFlags, samples: FetchSample[] | undefined): SimulateOptions {
  const { latencyMs, perByteMs } =
    samples === undefined ? simulateDefaults.fetchTime : fitted(samples);
  return {
    capByLead: flags.capByLead,
    fetchTime: { latencyMs: flags.latency ?? latencyMs, perByteMs: flags.perByte ?? perByteMs },
    predictorOptions: { minClients: flags.minClients },
    ...(flags.train === undefined ? {} : { train: flags.train }),
    ...(flags.simulate === undefined ? {} : { simulate: flags.simulate }),
    ...(flags.cache === undefined ? {} : { cacheBytes: flags.cache }),
    ...(flags.block === undefined ? {} : { blockBytes: flags.block }),
  };
}

async function readSamples(file: string): Promise<FetchSample[]> {
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new CommandError(`--fit: ${cause.message}`, 2, { cause });
  });
  return text.split('\n').flatMap((line) => {
    const [bytes, durationMs] = line
      .trim()
      .split(/[\s,;]+/)
      .map(Number);
    const known = Number.isFinite(bytes) && Number.isFinite(durationMs);
    return known ? [{ bytes: bytes as number, durationMs: durationMs as number }] : [];
  });
}

function fitted(samples: FetchSample[]) {
  const line = fitFetchTime(samples);
  if (line !== null) return line;
  throw new CommandError(
    `--fit: no line through ${samples.length} samples: two sizes at least, and time rising with size`,
    2,
  );
}

async function writeCharts(
  folder: string,
  log: LogTrace,
  options: SimulateOptions,
  samples: FetchSample[] | undefined,
): Promise<string[]> {
  const { charts } = await import('../prefetchd/simulate/charts.ts');
  const { toSvg } = await import('../prefetchd/simulate/svg.ts');
  const paper = await sweepShown(log, {
    ...options,
    ...paperSweep,
    models: timingModels,
    capByLead: false,
  });
  const others = await sweepShown(log, {
    ...options,
    predictors: predictorNames.filter((name) => name !== 'dependency-graph'),
    windows: [2, 4, 8],
    thresholds: paperSweep.thresholds,
    limits: paperSweep.limits,
    models: ['timed'],
  });
  const { from, to } = splitOf(log.trace.count, simulateSettings(options));
  const drawn = charts({
    logName: log.name,
    paper,
    others: others.points,
    fetchTime: options.fetchTime ?? simulateDefaults.fetchTime,
    sizes: Array.from(log.trace.bytes.subarray(from, to)),
    ...(samples === undefined ? {} : { samples }),
  });
  await mkdir(folder, { recursive: true }).catch((cause: Error) => {
    throw new CommandError(`--charts: ${cause.message}`, 2, { cause });
  });
  const files: string[] = [];
  for (const { name, spec } of drawn) {
    const file = join(folder, `${name}.svg`);
    await write('--charts', file, await toSvg(spec));
    files.push(file);
  }
  return files;
}

async function write(flag: string, file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((cause: Error) => {
    throw new CommandError(`${flag}: ${cause.message}`, 2, { cause });
  });
}

function namesIn<Name extends string>(flag: string, list: string, names: readonly Name[]): Name[] {
  return [...new Set(list.split(','))].map((part) => {
    const name = names.find((known) => known === part.trim());
    if (name !== undefined) return name;
    throw new CommandError(
      `${flag}: there is no ${JSON.stringify(part)}; there are ${names.join(', ')}`,
      2,
    );
  });
}

/** Of 2^20 bytes, as caches are told. */
function megabytes(bytes: number): number {
  return Number((bytes / 2 ** 20).toPrecision(3));
}
