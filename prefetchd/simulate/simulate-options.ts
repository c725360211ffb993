// Every setting of a simulation: the paper's values as defaults (Padmanabhan 1995, 8), checked once.

import { PrefetchdError } from '../errors.ts';
import { checkOptions, type PredictorOptions } from '../model/model-options.ts';
import { type FetchTime, paperFetchTime, type TimingModel, timingModels } from './timing-model.ts';

/** What holds for all points of a sweep. */
export interface SimulateOptions {
  /** Accesses that only teach: a count, or below 1 a share of the log. */
  train?: number;
  /** Accesses simulated after them: a count, below 1 a share; null: all that remain. */
  simulate?: number | null;
  /** Of each client, bytes. */
  cacheBytes?: number;
  /** The smallest unit of the cache, bytes. */
  blockBytes?: number;
  /** Duration of a fetch. */
  fetchTime?: FetchTime;
  /** No access saves more than the time between advice and demand. */
  capByLead?: boolean;
  /** Clients whose caches are kept at a time; the one silent longest is forgotten. */
  maxClients?: number;
  /** Documents with a query are hinted as well; the service never does (normalise-url.ts). */
  hintQueries?: boolean;
  /** Of every predictor, but for its window. Caps are those of graph-caps.ts unless given. */
  predictorOptions?: Omit<PredictorOptions, 'window' | 'mayHint'>;
}

export type SimulateSettings = Required<SimulateOptions>;

/** p, i and timing model: what one pass over the log evaluates many of. */
export interface PointSpec {
  model: TimingModel;
  /** p */
  threshold: number;
  /** i; null: no limit. */
  limit: number | null;
}

/** 50,000 of the paper's 120,000 log entries taught; the 70,000 others were simulated. */
export const paperTrain = 50_000 / 120_000;

export const simulateDefaults: Readonly<SimulateSettings> = {
  train: paperTrain,
  simulate: null,
  cacheBytes: 4 * 1024 * 1024,
  blockBytes: 8 * 1024,
  fetchTime: paperFetchTime,
  capByLead: true,
  maxClients: 16_384,
  hintQueries: false,
  predictorOptions: {},
};

/** @throws PrefetchdError `invalid-option` */
export function simulateSettings(options: SimulateOptions): SimulateSettings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const all: SimulateSettings = { ...simulateDefaults, ...Object.fromEntries(given) };
  check('train', all.train, (value) => value < 1 || Number.isSafeInteger(value), countRule);
  if (all.simulate !== null) {
    check('simulate', all.simulate, (value) => value < 1 || Number.isSafeInteger(value), countRule);
  }
  check('blockBytes', all.blockBytes, (value) => value >= 1, 'at least 1');
  check('cacheBytes', all.cacheBytes, (value) => value >= all.blockBytes, 'at least one block');
  check(
    'maxClients',
    all.maxClients,
    (value) => Number.isSafeInteger(value) && value >= 1,
    'a whole number from 1',
  );
  checkOptions(all.predictorOptions);
  check('latencyMs', all.fetchTime.latencyMs, () => true, 'at least 0');
  check('perByteMs', all.fetchTime.perByteMs, () => true, 'at least 0');
  return all;
}

/** @throws PrefetchdError `invalid-option` */
export function checkPoints(points: readonly PointSpec[]): void {
  if (points.length === 0) throw new PrefetchdError('invalid-option', 'points must not be empty');
  for (const { model, threshold, limit } of points) {
    check('threshold', threshold, () => true, 'at least 0');
    if (limit !== null) {
      check(
        'limit',
        limit,
        (value) => Number.isSafeInteger(value) && value >= 1,
        'a whole number from 1, or null',
      );
    }
    if (!timingModels.includes(model)) {
      throw new PrefetchdError(
        'invalid-option',
        `model must be ${timingModels.join(' or ')}, not ${model}`,
      );
    }
  }
}

/** Which accesses of `count` teach and which are simulated: 0 .. from - 1, from .. to - 1. */
export function splitOf(
  count: number,
  { train, simulate }: SimulateSettings,
): { from: number; to: number } {
  const countOf = (value: number) => (value < 1 ? Math.round(value * count) : value);
  const from = Math.min(count, countOf(train));
  const to = simulate === null ? count : Math.min(count, from + countOf(simulate));
  return { from, to };
}

const countRule = 'a whole number, or a share below 1';

function check(name: string, value: number, rule: (value: number) => boolean, words: string): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0 && rule(value)) return;
  throw new PrefetchdError('invalid-option', `${name} must be ${words}; got ${String(value)}`);
}
