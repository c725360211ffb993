// Every option of a simulation in one table, checked once. Defaults are the paper's values (Padmanabhan 1995, 8).

import {
  also,
  any,
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
  objectOf,
  option,
  optionWithoutDefault,
  required,
  type TableOf,
} from '../../options/options.ts';
import { refusal } from '../../options/refusal.ts';
import {
  type PrefetchdOptions,
  prefetchdOptions,
  type Tuning,
} from '../engine/prefetchd-options.ts';
import { invalidOption } from '../errors.ts';
import { checkOptions, type PredictorOptions } from '../model/model-options.ts';
import { type FetchTime, paperFetchTime, type TimingModel, timingModels } from './timing-model.ts';

/** Options common to all points of a sweep. */
export interface SimulateOptions {
  /** Accesses used for training only: a count or, if below 1, a share of the log. */
  train?: number;
  /** Accesses simulated after the training: a count or, if below 1, a share of the log; null: all that remain. */
  simulate?: number | null;
  /** Cache size per client, bytes. */
  cacheBytes?: number;
  /** Block size of the cache, bytes. */
  blockBytes?: number;
  /** Duration of a fetch. */
  fetchTime?: FetchTime;
  /** true: an access saves at most the time between advice and demand. */
  capByLead?: boolean;
  /** Most clients with caches at a time; the client that has been silent longest is forgotten. */
  maxClients?: number;
  /** true: documents with a query are hinted, too, which the service never does (normalise-url.ts). */
  hintQueries?: boolean;
  /** The rules that decide what is learned and advised: those of the service, or the paper's predictor alone. */
  rules?: 'service' | 'paper';
  /** For the rules `service`: options of the engine. */
  engineOptions?: SimulatedEngine;
  /** For the rules `paper`: options of every predictor except the window. Default caps are those of graph-caps.ts. */
  predictorOptions?: Omit<PredictorOptions, 'window' | 'mayHint'>;
}

/** Options of the engine that a simulation may vary. */
export type SimulatedEngine = Omit<
  PrefetchdOptions,
  | keyof Tuning
  | 'predictor'
  | 'store'
  | 'flushIntervalMs'
  | 'closeTimeoutMs'
  | 'newSalt'
  | 'now'
  | 'load'
  | 'onNotice'
>;

export type SimulateSettings = Required<SimulateOptions>;

/** Threshold p, limit i and timing model; one pass over the log evaluates many points. */
export interface PointSpec {
  model: TimingModel;
  /** p: documents with a probability above this are hinted. */
  threshold: number;
  /** Threshold p of objects, for the rules of the service; absent: `threshold`. */
  objectThreshold?: number;
  /** i: most hints; null: no limit. */
  limit: number | null;
}

const countRule = 'a whole number, or a share below 1';

/** The paper trained on 50,000 of its 120,000 log entries and simulated the other 70,000. */
export const paperTrain = 50_000 / 120_000;

const countOrShare = also(
  number({ least: 0 }),
  (value) => value < 1 || Number.isSafeInteger(value),
  countRule,
);

const simulateTable = {
  train: option(countOrShare, paperTrain, 'Accesses that only teach: a count, or below 1 a share.'),
  simulate: option(
    orNull(() => countOrShare, {}),
    null,
    'Accesses simulated after them: a count, below 1 a share. null: all that remain.',
  ),
  cacheBytes: option(number({ least: 0 }), 4 * 1024 * 1024, 'Cache of each client.'),
  blockBytes: option(number({ least: 1 }), 8 * 1024, 'The smallest unit of the cache.'),
  fetchTime: option(
    objectOf({
      latencyMs: required(number({ least: 0 }), 'Before the first byte.'),
      perByteMs: required(number({ least: 0 }), 'For each byte.'),
    } satisfies TableOf<FetchTime>),
    paperFetchTime,
    'Duration of a fetch.',
  ),
  capByLead: option(
    trueOrFalse(),
    true,
    'No access saves more than the time between advice and demand.',
  ),
  maxClients: option(wholeNumber({ least: 1 }), 16_384, 'Clients whose caches are kept.'),
  hintQueries: option(trueOrFalse(), false, 'Documents with a query are hinted as well.'),
  rules: option(
    oneOf(['service', 'paper']),
    'paper',
    'Whose rules decide what is learned and advised.',
  ),
  engineOptions: option(
    any<SimulatedEngine>(
      (value) => typeof value === 'object' && value !== null,
      'an object of options of createPrefetchd',
    ),
    {},
    'Rules `service`: of the engine.',
  ),
  predictorOptions: option(
    any<SimulateOptions['predictorOptions'] & object>(
      (value) => typeof value === 'object' && value !== null,
      'an object of options of a predictor',
    ),
    {},
    'Rules `paper`: of every predictor, but for its window.',
  ),
} satisfies TableOf<SimulateOptions>;

const simulateKind = objectOf(simulateTable);

export const simulateDefaults: Readonly<SimulateSettings> = defaultsOf(simulateTable);

/** @throws PrefetchdError `invalid-option` */
export function simulateSettings(options: SimulateOptions): SimulateSettings {
  const all = checked(simulateKind, options, invalidOption);
  if (all.cacheBytes < all.blockBytes) {
    invalidOption(refusal('cacheBytes', 'at least one block', all.cacheBytes));
  }
  checkOptions(all.predictorOptions);
  prefetchdOptions(all.engineOptions);
  return all;
}

const pointsKind = also(
  listOf(
    objectOf({
      model: required(oneOf(timingModels), 'Of the time a prefetch takes.'),
      threshold: required(number({ least: 0 }), 'p'),
      objectThreshold: optionWithoutDefault(number({ least: 0 }), 'p of objects'),
      limit: required(orNull(wholeNumber, { least: 1 }), 'i'),
    } satisfies TableOf<PointSpec>),
    'a list of points',
  ),
  (points) => points.length > 0,
  'a list that is not empty',
);

/** @throws PrefetchdError `invalid-option` */
export function checkPoints(points: readonly PointSpec[]): void {
  checked(pointsKind, points, invalidOption, { inside: 'points' });
}

/** Of `count` accesses, 0 .. from - 1 are for training, and from .. to - 1 are simulated. */
export function splitOf(
  count: number,
  { train, simulate }: SimulateSettings,
): { from: number; to: number } {
  const countOf = (value: number) => (value < 1 ? Math.round(value * count) : value);
  const from = Math.min(count, countOf(train));
  const to = simulate === null ? count : Math.min(count, from + countOf(simulate));
  return { from, to };
}
