// Picks predictor, w, p and i for a site from its log. The log is cut in three by count: the first part
// teaches, on the second every candidate setting is simulated and one is picked, and the third, which had
// no say, tells what the pick gives, beside the default setting. In the last step the first two parts
// teach. Prefetches take time there (`timed`), so what a browser fetches by itself just then earns nothing.
//
// latency:   the lowest average access time within the traffic allowed.
// precision: the most precise of those that save at least half as much time as the best of `latency`:
//            precision alone is highest where hardly anything is prefetched.
// Equal to the last bit, the one of less traffic is picked, then the one tried first.

import { any, number, oneOf } from '../../options/kinds.ts';
import { checked, objectOf, required, type TableOf } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import { predictorNames } from '../model/index.ts';
import { predictDefaults } from '../model/model-options.ts';
import type { Simulation, SimulationPoint } from './simulate.ts';
import type { PointSpec, SimulateOptions } from './simulate-options.ts';
import { type SweepOptions, type SweepProgress, sweep } from './sweep.ts';
import type { BaselineFigures, WithKinds } from './tally.ts';
import { sliceTrace, type Trace } from './trace.ts';

export type TuneObjective = 'latency' | 'precision';
export const tuneObjectives: readonly TuneObjective[] = ['latency', 'precision'];

export interface TuneOptions
  extends Omit<SweepOptions, 'train' | 'simulate' | 'models' | 'onProgress'> {
  /** Bytes with prefetching / bytes without, at most: 1.2 allows 20 % more. */
  maxTraffic?: number;
  objective?: TuneObjective;
  /** Share of the log, its end, that only reports. */
  heldOut?: number;
  /** Share of the rest, its beginning, that only teaches while a setting is picked. */
  train?: number;
  model?: PointSpec['model'];
  onProgress?: (progress: SweepProgress) => void;
}

export interface TuneReport {
  objective: TuneObjective;
  maxTraffic: number;
  /** Accesses of each part. */
  parts: { taught: number; pickedOn: number; heldOut: number };
  /** Settings compared. */
  considered: number;
  /** What was picked, as simulated on the second part; null: nothing stays within the traffic and saves. */
  picked: SimulationPoint | null;
  /** On the part held out. */
  heldOut: {
    baseline: WithKinds<BaselineFigures>;
    picked: SimulationPoint | null;
    default: SimulationPoint;
  };
  /** Does the pick beat the default on the part held out? By time for latency, by precision for precision. */
  beatsDefault: boolean;
  /** Both stay within `maxTraffic` on the part held out. */
  withinTraffic: { picked: boolean; default: boolean };
}

export const tuneDefaults = {
  maxTraffic: 1.2,
  objective: 'latency',
  heldOut: 0.4,
  train: 0.4,
  model: 'timed',
  predictors: predictorNames,
  windows: [2, 3, 4, 6, 8, 10],
  thresholds: Array.from({ length: 19 }, (_, step) => (step + 1) / 20),
  limits: [1, 2, 3, 5, 10],
  // What the service hints by default: nothing that fewer than three clients did.
  predictorOptions: { minClients: 3 },
} as const satisfies TuneOptions;

const shareRule = 'a share between 0 and 1';
const partOfLog = () =>
  any<number>((value) => typeof value === 'number' && value > 0 && value < 1, shareRule);

/** What tuning has besides a sweep. */
const tuneKind = objectOf({
  maxTraffic: required(number({ least: 1 }), 'Bytes with prefetching / bytes without, at most.'),
  objective: required(oneOf(tuneObjectives), 'What the pick is the best of.'),
  heldOut: required(partOfLog(), 'Share of the log, its end, that only reports.'),
  train: required(partOfLog(), 'Share of the rest, its beginning, that only teaches.'),
} satisfies TableOf<Pick<TuneOptions, 'maxTraffic' | 'objective' | 'heldOut' | 'train'>>);

/** The setting that has to be beaten. */
export const defaultSetting = {
  predictor: 'dependency-graph',
  window: 4,
  threshold: predictDefaults.threshold,
  limit: predictDefaults.limit,
} as const;

type Setting = Pick<SimulationPoint, 'predictor' | 'window' | 'threshold' | 'limit'>;

/** @throws PrefetchdError `invalid-option`, `unknown-predictor` */
export async function tune(trace: Trace, options: TuneOptions = {}): Promise<TuneReport> {
  const { maxTraffic, objective, heldOut, train, model, ...grid } = tuneSettings(options);
  const { taught, earlier } = tuneParts(trace.count, { heldOut, train });
  const tried = await sweep(sliceTrace(trace, 0, earlier), {
    ...grid,
    models: [model],
    train: taught,
  });
  const picked = pick(tried, maxTraffic, objective);
  const { workers: _, onProgress: __, ...settings } = grid;
  const onHeldOut = (setting: Setting) => simulateOne(trace, setting, model, earlier, settings);
  const byDefault = await onHeldOut(defaultSetting);
  const byPick = picked === null ? null : (await onHeldOut(picked)).points[0];
  const defaultPoint = byDefault.points[0] as SimulationPoint;
  const within = (point: SimulationPoint | null | undefined) =>
    point == null || 1 + point.trafficIncrease <= maxTraffic;
  return {
    objective,
    maxTraffic,
    parts: { taught, pickedOn: earlier - taught, heldOut: trace.count - earlier },
    considered: tried.points.length,
    picked,
    heldOut: {
      baseline: byDefault.baseline,
      picked: byPick ?? null,
      default: defaultPoint,
    },
    beatsDefault: byPick != null && isBetter(byPick, defaultPoint, objective),
    withinTraffic: { picked: within(byPick), default: within(defaultPoint) },
  };
}

/** @throws PrefetchdError `invalid-option` */
export function tuneSettings(options: TuneOptions) {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const settings = { ...tuneDefaults, ...(Object.fromEntries(given) as TuneOptions) };
  const { maxTraffic, objective, heldOut, train } = settings;
  checked(tuneKind, { maxTraffic, objective, heldOut, train }, invalidOption);
  return settings;
}

/** Of `count` accesses: the first `taught` teach, up to `earlier` a setting is picked on, the rest is
 *  held out. */
export function tuneParts(
  count: number,
  { heldOut, train }: { heldOut: number; train: number },
): { taught: number; earlier: number } {
  const earlier = Math.round(count * (1 - heldOut));
  return { taught: Math.round(earlier * train), earlier };
}

/** The best of the points within the traffic; null when none of these saves time. */
export function pick(
  { baseline, points }: Simulation,
  maxTraffic: number,
  objective: TuneObjective,
): SimulationPoint | null {
  const allowed = points.filter(
    ({ trafficIncrease, averageAccessTimeMs }) =>
      1 + trafficIncrease <= maxTraffic && averageAccessTimeMs < baseline.averageAccessTimeMs,
  );
  const fastest = best(allowed, 'latency');
  if (fastest === null || objective === 'latency') return fastest;
  const half = (baseline.averageAccessTimeMs + fastest.averageAccessTimeMs) / 2;
  return best(
    allowed.filter(({ averageAccessTimeMs }) => averageAccessTimeMs <= half),
    'precision',
  );
}

function best(
  points: readonly SimulationPoint[],
  objective: TuneObjective,
): SimulationPoint | null {
  let found: SimulationPoint | null = null;
  for (const point of points) {
    if (found === null || isBetter(point, found, objective)) found = point;
    else if (!isBetter(found, point, objective) && point.trafficIncrease < found.trafficIncrease) {
      found = point;
    }
  }
  return found;
}

function isBetter(
  left: SimulationPoint,
  right: SimulationPoint,
  objective: TuneObjective,
): boolean {
  return objective === 'latency'
    ? left.averageAccessTimeMs < right.averageAccessTimeMs
    : (left.precision ?? 0) > (right.precision ?? 0);
}

function simulateOne(
  trace: Trace,
  { predictor, window, threshold, limit }: Setting,
  model: PointSpec['model'],
  train: number,
  settings: SimulateOptions,
): Promise<Simulation> {
  return sweep(trace, {
    ...settings,
    predictors: [predictor],
    windows: [window],
    thresholds: [threshold],
    limits: [limit],
    models: [model],
    train,
    workers: 0,
  });
}
