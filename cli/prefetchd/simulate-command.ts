// `prefetchd simulate LOG...`: prints, as text or JSON, what the service's hints would have gained and cost on a log,
// with default settings or with combinations of others; or what Padmanabhan simulated in 1995 (`--as-paper`).

import { objectThresholdOf, prefetchdDefaults } from '../../prefetchd/engine/prefetchd-options.ts';
import { predictorNames } from '../../prefetchd/model/index.ts';
import {
  describePages,
  formatCount,
  renderPages,
  renderTable,
  wrapped,
} from '../../prefetchd/simulate/report.ts';
import type { Simulation } from '../../prefetchd/simulate/simulate.ts';
import {
  type SimulateOptions,
  type SweepOptions,
  serviceSweep,
  simulateSettings,
  splitOf,
  timingModels,
} from '../../prefetchd/simulate/simulate-options.ts';
import { sweep } from '../../prefetchd/simulate/sweep.ts';
import { CommandError } from '../command-error.ts';
import { commaSeparated, namesIn } from '../flag-values.ts';
import { terminal } from '../output-terminal.ts';
import { progressLine } from '../progress.ts';
import { describeFetchTime, type FetchTimeFlags, fetchTimes } from './fetch-time.ts';
import { type LogFlags, readTrace } from './read-logs.ts';

/** Flags with the values to simulate, in all combinations; for an absent one, the command's default applies. */
export interface GridFlags {
  window?: number[];
  threshold?: number[];
  limit?: Array<number | null>;
  predictor?: string;
  minClients?: number;
  workers?: number;
  json?: boolean;
}

export interface SimulateFlags extends LogFlags, GridFlags, FetchTimeFlags {
  asPaper?: boolean;
  model?: string;
  train?: number;
  simulate?: number;
  cache?: number;
  block?: number;
  capByLead?: boolean;
  hintQueries?: boolean;
  all?: boolean;
}

/** Runs `prefetchd simulate`. @returns the exit code */
export async function simulateLog(logs: string[], flags: SimulateFlags): Promise<number> {
  const { asPaper = false } = flags;
  if (flags.hintQueries && !asPaper) {
    throw new CommandError('--hint-queries is a rule of the paper: give --as-paper, too', 2);
  }
  const models = flags.model === undefined ? undefined : commaSeparated(flags.model);
  const grid: SweepOptions = {
    ...(!asPaper && serviceSweep),
    ...gridOf(flags),
    ...(models !== undefined && { models: namesIn('--model', models, timingModels) }),
  };
  const fetchTimeOf = await fetchTimes(flags);
  const settings = simulateSettings(settingsOf(flags)); // checked before a long log is read
  const { trace, description } = await readTrace(logs, flags);
  const { from, to } = splitOf(trace.accesses.length, settings);
  if (from >= to) {
    throw new CommandError(
      `nothing is left to simulate: ${trace.accesses.length} accesses, ${from} of them teach; give fewer with --train`,
    );
  }
  const fetchTime = fetchTimeOf(trace, from);
  const progress = progressLine('simulating');
  const simulation = await sweep(trace, {
    ...grid,
    ...settingsOf(flags),
    fetchTime: fetchTime.fetchTime,
    onProgress: ({ done, total }) => progress.show(done / total),
  }).finally(progress.clear);

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
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

/** Says what visitors' clicks would have gained: in words for one simulated setting, as a table for several. */
function pagesReport({ points }: Simulation, columns: number): string[] {
  const ofPages = points.flatMap(({ pages, ...point }) =>
    pages === undefined ? [] : [{ ...point, pages }],
  );
  const [first] = ofPages;
  if (first === undefined) return [];
  if (ofPages.length > 1) return ['', ...renderPages(ofPages, columns)];
  const { predictor, window, threshold, limit } = first;
  const objects = objectThresholdOf(threshold);
  const ofObjects = objects === threshold ? '' : ` (objects ${objects})`;
  const setting = `${predictor}, w ${window}, p ${threshold}${ofObjects}, i ${limit ?? 'inf'}, with the rules of the service:`;
  return [setting, '', ...describePages(first.pages)].flatMap((line) =>
    line === '' ? [''] : wrapped(line, columns),
  );
}

type Grid = Pick<SweepOptions, 'predictors' | 'windows' | 'thresholds' | 'limits' | 'workers'>;

/** Returns the values to simulate that the flags list, and the number of workers, if given. @throws CommandError */
export function gridOf({ predictor, window, threshold, limit, workers }: GridFlags): Grid {
  const namesOf = (list: string) =>
    list === 'all' ? predictorNames : namesIn('--predictor', commaSeparated(list), predictorNames);
  return {
    ...(predictor !== undefined && { predictors: namesOf(predictor) }),
    ...(window !== undefined && { windows: window }),
    ...(threshold !== undefined && { thresholds: threshold }),
    ...(limit !== undefined && { limits: limit }),
    ...(workers !== undefined && { workers }),
  };
}

function settingsOf({ asPaper = false, ...flags }: SimulateFlags): SimulateOptions {
  const { minClients = asPaper ? 1 : prefetchdDefaults.minClients } = flags;
  const { train = asPaper ? undefined : serviceSweep.train, simulate, hintQueries } = flags;
  return {
    ...(asPaper
      ? { rules: 'paper', predictorOptions: { minClients } }
      : { rules: 'service', engineOptions: { minClients } }),
    train,
    simulate,
    hintQueries,
    cacheBytes: flags.cache,
    blockBytes: flags.block,
    capByLead: flags.capByLead ?? !asPaper,
  };
}

/** Converts bytes to megabytes of 2^20 bytes, the unit of cache sizes. */
function megabytes(bytes: number): number {
  return Number((bytes / 2 ** 20).toPrecision(3));
}
