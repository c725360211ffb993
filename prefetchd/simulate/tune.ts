// Chooses predictor, w, p and i for a site from its log. The log is cut in three by count: the first part trains; on
// the second, every candidate setting is simulated and one is picked; the third, held out, evaluates the pick against
// the default setting, with the first two parts for training. Prefetches take time (`timed`), so those a browser
// fetches by itself gain nothing.
//
//   latency:   the lowest average access time within the permitted traffic.
//   precision: the most precise of those that save at least half as much time as the best of `latency`, because
//              precision alone is highest where hardly anything is prefetched.
// Ties go to the setting with less traffic, then to the one tried first.

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
  /** Most bytes with prefetching / bytes without: 1.2 permits 20 % more. */
  maxTraffic?: number;
  objective?: TuneObjective;
  /** Share of the log, at its end, used only for evaluation. */
  heldOut?: number;
  /** Share of the rest, at its beginning, used only for training while a setting is picked. */
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
  /** The pick, as simulated on the second part; null: no setting within the traffic saves time. */
  picked: SimulationPoint | null;
  /** On the held-out part. */
  heldOut: {
    baseline: WithKinds<BaselineFigures>;
    picked: SimulationPoint | null;
    default: SimulationPoint;
  };
  /** True if the pick beats the default on the held-out part: by time for latency, by precision for precision. */
  beatsDefault: boolean;
  /** Whether each stays within `maxTraffic` on the held-out part. */
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
  // As in the service by default: no hint with fewer than three clients.
  predictorOptions: { minClients: 3 },
} as const satisfies TuneOptions;

const shareRule = 'a share between 0 and 1';
const partOfLog = () =>
  any<number>((value) => typeof value === 'number' && value > 0 && value < 1, shareRule);

/** Options of tuning besides those of a sweep. */
const tuneKind = objectOf({
  maxTraffic: required(number({ least: 1 }), 'Bytes with prefetching / bytes without, at most.'),
  objective: required(oneOf(tuneObjectives), 'What the pick is the best of.'),
  heldOut: required(partOfLog(), 'Share of the log, its end, that only reports.'),
  train: required(partOfLog(), 'Share of the rest, its beginning, that only teaches.'),
} satisfies TableOf<Pick<TuneOptions, 'maxTraffic' | 'objective' | 'heldOut' | 'train'>>);

/** The setting to beat. */
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

/** Of `count` accesses: the first `taught` are for training, those up to `earlier` for picking a setting, and the
 *  rest is held out. */
export function tuneParts(
  count: number,
  { heldOut, train }: { heldOut: number; train: number },
): { taught: number; earlier: number } {
  const earlier = Math.round(count * (1 - heldOut));
  return { taught: Math.round(earlier * train), earlier };
}

/** The best of the points within the traffic; null if none of them saves time. */
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
