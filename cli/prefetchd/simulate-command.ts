// `prefetchd simulate LOG...`: what the service would do on a log, at its defaults or over values of w, p and i; or the
// paper's sweep (`--as-paper`). Prints text or JSON, and writes CSV.

import { appendFile, writeFile } from 'node:fs/promises';
import { prefetchdDefaults } from '../../prefetchd/engine/prefetchd-options.ts';
import { type PredictorName, predictorNames } from '../../prefetchd/model/index.ts';
import {
  describePages,
  formatCount,
  renderPages,
  renderTable,
  toCsv,
  wrapped,
} from '../../prefetchd/simulate/report.ts';
import type { Simulation } from '../../prefetchd/simulate/simulate.ts';
import {
  type SimulateOptions,
  simulateSettings,
  splitOf,
  timingModels,
} from '../../prefetchd/simulate/simulate-options.ts';
import { type SweepOptions, serviceSweep, sweep } from '../../prefetchd/simulate/sweep.ts';
import { fileFailure } from '../../process/file-failure.ts';
import { CommandError } from '../command-error.ts';
import { terminal } from '../output-terminal.ts';
import { describeFetchTime, type FetchTimeFlags, fetchTimes } from './fetch-time.ts';
import { progressLine } from './progress.ts';
import { type LogFlags, readTrace } from './read-logs.ts';
import { parseRanges } from './setting-ranges.ts';

/** Flags with lists of values. */
export interface GridFlags {
  window: string;
  threshold: string;
  limit: string;
  predictor: string;
  minClients: number;
  workers?: number;
  json?: boolean;
}

export interface SimulateFlags extends LogFlags, Partial<GridFlags>, FetchTimeFlags {
  asPaper?: boolean;
  model?: string;
  train?: number;
  simulate?: number;
  cache?: number;
  block?: number;
  capByLead: boolean;
  hintQueries?: boolean;
  all?: boolean;
  csv?: string;
}

const paperFlags = {
  window: '2..10',
  threshold: '0.0..1.1:0.1',
  limit: '1,2,inf',
  predictor: 'dependency-graph',
  minClients: 1,
} as const;

const serviceFlags = {
  window: String(prefetchdDefaults.window),
  threshold: String(prefetchdDefaults.threshold),
  limit: String(prefetchdDefaults.limit),
  predictor: prefetchdDefaults.predictor,
  minClients: prefetchdDefaults.minClients,
} as const;

/** @returns the exit code */
export async function simulateLog(logs: string[], given: SimulateFlags): Promise<number> {
  const { asPaper = false } = given;
  if (given.hintQueries && !asPaper) {
    throw new CommandError('--hint-queries is a rule of the paper: give --as-paper, too', 2);
  }
  const flags = { model: 'simple', ...(asPaper ? paperFlags : serviceFlags), ...given };
  const grid = gridOf(flags);
  const models = namesIn('--model', flags.model, timingModels);
  const fetchTimeOf = await fetchTimes(flags);
  const settings = simulateSettings(settingsOf(flags)); // checked before a long log is read
  const { trace, description } = await readTrace(logs, flags);
  const { from, to } = splitOf(trace.accesses.length, settings);
  if (from >= to) {
    throw new CommandError(
      `nothing is left to simulate: ${trace.accesses.length} accesses, ${from} of them teach; give fewer with --train`,
      2,
    );
  }
  const fetchTime = fetchTimeOf(trace, from);
  // A sweep may take minutes, so its output is checked first. Appending nothing leaves an existing file unchanged.
  if (flags.csv !== undefined) await appendFile(flags.csv, '').catch(refuseCsv(flags.csv));
  const progress = progressLine('simulating');
  const simulation = await sweep(trace, {
    ...settingsOf(flags),
    fetchTime: fetchTime.fetchTime,
    ...grid,
    models,
    ...(!asPaper &&
      given.threshold === undefined && { objectThreshold: prefetchdDefaults.objectThreshold }),
    onProgress: ({ done, total }) => progress.show(done / total),
  }).finally(progress.clear);

  if (flags.csv !== undefined) {
    await writeFile(flags.csv, toCsv(simulation)).catch(refuseCsv(flags.csv));
  }
  if (flags.json) {
    const told = {
      accesses: { taught: from, simulated: to - from },
      fetchTime: { ...fetchTime.fetchTime, fitted: fetchTime.fitted },
      ...simulation,
    };
    process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
    return 0;
  }
  const { columns } = terminal(process.stdout);
  const parts = [
    `${formatCount(from)} accesses taught, ${formatCount(to - from)} simulated`,
    ...(asPaper ? [`${megabytes(settings.cacheBytes)} MB cache a client`] : []),
    ...(asPaper || flags.fit !== undefined ? [describeFetchTime(fetchTime)] : []),
  ];
  const lines = [
    ...[...description, parts.join('; ')].flatMap((line) => wrapped(line, columns)),
    ...(asPaper
      ? renderTable(simulation, { columns, all: flags.all === true })
      : pagesReport(simulation, columns)),
    ...(flags.csv === undefined ? [] : [`points: ${flags.csv}`]),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

/** What visitors' clicks would have gained: in words, or as a table for several points. */
function pagesReport({ points }: Simulation, columns: number): string[] {
  const ofPages = points.flatMap(({ pages, ...point }) =>
    pages === undefined ? [] : [{ ...point, pages }],
  );
  const [first] = ofPages;
  if (first === undefined) return [];
  if (ofPages.length > 1) return ['', ...renderPages(ofPages, columns)];
  const { predictor, window, threshold, objectThreshold, limit } = first;
  const ofObjects = objectThreshold === undefined ? '' : ` (objects ${objectThreshold})`;
  const setting = `${predictor}, w ${window}, p ${threshold}${ofObjects}, i ${limit ?? 'inf'}, with the rules of the service:`;
  return [setting, '', ...describePages(first.pages)].flatMap((line) =>
    line === '' ? [''] : wrapped(line, columns),
  );
}

/** Predictors, w, p, i as flags give them. @throws PrefetchdError, CommandError */
export function gridOf(
  flags: GridFlags & { workers?: number },
): SweepOptions & { predictors: PredictorName[]; windows: number[] } {
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
    ...(flags.workers === undefined ? {} : { workers: flags.workers }),
  };
}

function settingsOf(flags: SimulateFlags & { minClients: number }): SimulateOptions {
  const { minClients } = flags;
  return {
    capByLead: flags.capByLead,
    ...(flags.asPaper
      ? { rules: 'paper', predictorOptions: { minClients } }
      : { rules: 'service', engineOptions: { minClients }, train: serviceSweep.train }),
    ...(flags.hintQueries === undefined ? {} : { hintQueries: flags.hintQueries }),
    ...(flags.train === undefined ? {} : { train: flags.train }),
    ...(flags.simulate === undefined ? {} : { simulate: flags.simulate }),
    ...(flags.cache === undefined ? {} : { cacheBytes: flags.cache }),
    ...(flags.block === undefined ? {} : { blockBytes: flags.block }),
  };
}

function refuseCsv(file: string): (cause: unknown) => never {
  return (cause) => {
    throw new CommandError(`--csv: ${fileFailure(file, 'written', cause)}`, 1, { cause });
  };
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

/** Megabytes of 2^20 bytes, the unit of cache sizes. */
function megabytes(bytes: number): number {
  return Number((bytes / 2 ** 20).toPrecision(3));
}
