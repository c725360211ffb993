// Lists every option of a simulation in one table, checked once, whose defaults are the paper's values (Padmanabhan
// 1995, 8); and the options and defaults of many simulations (sweep.ts), and of the choice among them (tune.ts).

import {
  also,
  any,
  bytes,
  listOf,
  number,
  oneOf,
  orNull,
  trueOrFalse,
  wholeNumber,
} from '../../options/kinds.ts';
import {
  checked,
  defaultsOf,
  type OptionsOf,
  objectOf,
  option,
  required,
  type ValuesOf,
} from '../../options/options.ts';
import { refusal } from '../../options/refusal.ts';
import {
  type PrefetchdOptions,
  prefetchdDefaults,
  prefetchdOptions,
  type Tuning,
} from '../engine/prefetchd-options.ts';
import { invalidOption } from '../errors.ts';
import { type PredictorName, predictorNames } from '../model/index.ts';
import { checkOptions, type PredictorOptions } from '../model/model-options.ts';
import { paperFetchTime } from './fetch-time.ts';

/** Whether prefetches take no time (`simple`) or some (`timed`); see simulated-browser.ts. */
export type TimingModel = 'simple' | 'timed';
export const timingModels: readonly TimingModel[] = ['simple', 'timed'];

/** Options of createPrefetchd() that a simulation may vary. */
export type SimulatedEngine = Omit<
  PrefetchdOptions,
  keyof Tuning | 'predictor' | 'store' | 'flushIntervalMs' | 'now' | 'load' | 'log'
>;

/** Padmanabhan's paper (1995) trained on 50,000 of its 120,000 log entries and simulated the other 70,000. */
export const paperTrain = 50_000 / 120_000;

export const countOrShare = also(
  number({ least: 0 }),
  (value) => value < 1 || Number.isSafeInteger(value),
  'a whole number, or a share below 1',
);

export const simulateTable = {
  /** Accesses at the beginning that are only learned: a number of them, or below 1 a share of the log. */
  train: option(countOrShare, paperTrain),
  /** Accesses simulated after `train`: a number of them, or below 1 a share of the log; null: all that remain. */
  simulate: option(
    orNull(() => countOrShare, {}),
    null,
  ),
  /** Size of each client's simulated cache. */
  cacheBytes: option(number({ least: 0 }), 4 * 1024 * 1024, {
    flag: '--cache <bytes>',
    help: 'cache of each client, such as 512k or 4M',
    written: bytes({}),
  }),
  /** Size of a block, the smallest unit of the cache. */
  blockBytes: option(number({ least: 1 }), 8 * 1024, {
    flag: '--block <bytes>',
    help: 'block size of the cache',
    written: bytes({ least: 1 }),
  }),
  /** Duration of a fetch: a latency, and a time for each byte. */
  fetchTime: option(
    objectOf({
      /** Time of a simulated fetch before its first byte. */
      latencyMs: required(number({ least: 0 })),
      /** Time of a simulated fetch for each byte. */
      perByteMs: required(number({ least: 0 })),
    }),
    paperFetchTime,
  ),
  /** If true, no access saves more than the time between the advice to prefetch the file and the access. */
  capByLead: option(trueOrFalse(), true),
  /** Limit on clients whose simulated caches are kept; beyond it, the client seen longest ago is forgotten. */
  maxClients: option(wholeNumber({ least: 1 }), 16_384),
  /** If true, documents with a query in their URL are hinted as well. */
  hintQueries: option(trueOrFalse(), false),
  /** Whether to learn and hint by the rules of prefetchd (`service`), or by those of Padmanabhan's paper (`paper`). */
  rules: option(oneOf(['service', 'paper']), 'paper'),
  /** Options of createPrefetchd(); they apply only if `rules` is `service`. */
  engineOptions: option(
    any<SimulatedEngine>(
      (value) => typeof value === 'object' && value !== null,
      'an object of options of createPrefetchd',
    ),
    {},
  ),
  /** Options of every predictor except its window; they apply only if `rules` is `paper`. */
  predictorOptions: option(
    any<Omit<PredictorOptions, 'window' | 'mayHint'>>(
      (value) => typeof value === 'object' && value !== null,
      'an object of options of a predictor',
    ),
    {},
  ),
};

/** Options of a simulation that are the same for all its points (combinations of threshold, limit and timing model). */
export type SimulateOptions = OptionsOf<typeof simulateTable>;
export type SimulateSettings = ValuesOf<typeof simulateTable>;

export const simulateDefaults: Readonly<SimulateSettings> = defaultsOf(simulateTable);

/** Checks the options. @throws PrefetchdError `invalid-option` */
export function simulateSettings(options: SimulateOptions): SimulateSettings {
  const all = checked(objectOf(simulateTable), options, invalidOption);
  if (all.cacheBytes < all.blockBytes) {
    invalidOption(...refusal('cacheBytes', 'at least one block', all.cacheBytes));
  }
  checkOptions(all.predictorOptions);
  prefetchdOptions(all.engineOptions);
  return all;
}

export interface SweepOptions extends SimulateOptions {
  predictors?: readonly PredictorName[];
  models?: readonly TimingModel[];
  /** Windows (w) to try: an access may be followed by the next w - 1 accesses of its client. */
  windows?: readonly number[];
  /** Thresholds (p) to try: what is predicted with a higher probability is prefetched. */
  thresholds?: readonly number[];
  /** Limits (i) to try: largest numbers of pages and objects prefetched after an access; null: no limit. */
  limits?: ReadonlyArray<number | null>;
  /** Limit on simulations at the same time, each in a thread; 0: all run in this thread. Absent: one per core, or 0 for
   *  a single one. */
  workers?: number;
  onProgress?: (progress: SweepProgress) => void;
}

export interface SweepProgress {
  /** Number of accesses processed so far by all simulations together, of `total`. */
  done: number;
  total: number;
}

/** The values of Padmanabhan (1995, 8): thresholds from 0.0 to 1.1, windows from 2 to 10, limits 1, 2 and none. */
export const paperSweep = {
  predictors: ['dependency-graph'],
  models: ['simple'],
  windows: [2, 3, 4, 5, 6, 7, 8, 9, 10],
  thresholds: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1],
  limits: [1, 2, null],
} as const satisfies SweepOptions;

/** Options of a sweep by the rules of prefetchd, the service that sends hints, with its default values. */
export const serviceSweep = {
  rules: 'service',
  predictors: [prefetchdDefaults.predictor],
  models: ['simple'],
  windows: [prefetchdDefaults.window],
  thresholds: [prefetchdDefaults.threshold],
  limits: [prefetchdDefaults.limit],
  train: 0.6,
} as const satisfies SweepOptions;

const partOfLog = any<number>(
  (value) => typeof value === 'number' && value > 0 && value < 1,
  'a share between 0 and 1',
);

export const tuneTable = {
  /** Limit on bytes with prefetching / bytes without: 1.2 permits 20 % more. */
  maxTraffic: option(number({ least: 1 }), 1.2, {
    flag: '--max-traffic <ratio>',
    help: 'most bytes with prefetching / without',
  }),
  /** What the picked setting is best for: clicks to `pages`, or the access time of `all`. */
  objective: option(oneOf(['pages', 'all']), 'pages', {
    flag: '--objective <name>',
    help: 'most clicks to another page hinted, or least time of all',
  }),
  /** Share of the log, at its end, that is held out: on it the picked setting is evaluated, within `maxTraffic`. */
  heldOut: option(partOfLog, 0.4, {
    flag: '--held-out <share>',
    help: 'share of the log, its end, kept for the report',
  }),
  /** Share of the log without `heldOut`, at its beginning, used only for training while a setting is picked. */
  train: option(partOfLog, 0.4, {
    flag: '--train <share>',
    help: 'share of the earlier part to train on',
  }),
};

export type TuneOptions = OptionsOf<typeof tuneTable> &
  Omit<SweepOptions, 'train' | 'simulate' | 'models' | 'rules'>;
export type TuneObjective = ValuesOf<typeof tuneTable>['objective'];

export const tuneDefaults = {
  ...defaultsOf(tuneTable),
  predictors: predictorNames,
  windows: [2, 3, 4, 6, 8, 10],
  thresholds: Array.from({ length: 19 }, (_, step) => (step + 1) / 20),
  limits: [1, 2, 3, 5, 10],
};

const pointTable = {
  /** The model of the time that a prefetch takes: `simple` (none) or `timed`. */
  model: required(oneOf(timingModels)),
  /** p, the threshold: URLs with a higher probability are hinted. The service derives that of embedded objects
   *  (`objectThresholdOf`). */
  threshold: required(number({ least: 0 })),
  /** i, the limit: largest number of hints per access; null: no limit. */
  limit: required(orNull(wholeNumber, { least: 1 })),
};

/** A point: a threshold p, a limit i and a timing model. One pass over the log simulates many of them. */
export type PointSpec = ValuesOf<typeof pointTable>;

const pointsKind = also(
  listOf(objectOf(pointTable), 'a list of points'),
  (points) => points.length > 0,
  'a list that is not empty',
);

/** Checks the points of a simulation (`PointSpec`). @throws PrefetchdError `invalid-option` */
export function checkPoints(points: readonly PointSpec[]): void {
  checked(pointsKind, points, invalidOption, { inside: 'points' });
}

/** Splits `count` accesses: those before index `from` are for training, and those from there to `to` are simulated. */
export function splitOf(
  count: number,
  { train, simulate }: SimulateSettings,
): { from: number; to: number } {
  const countOf = (value: number) => (value < 1 ? Math.round(value * count) : value);
  const from = Math.min(count, countOf(train));
  const to = simulate === null ? count : Math.min(count, from + countOf(simulate));
  return { from, to };
}
