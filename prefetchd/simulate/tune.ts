// Chooses predictor, window w, threshold p and limit i for a site from its log, by the rules of the service. The log is
// cut into three parts: the first is for training; on the second, every candidate setting is simulated and one is
// picked; on the third, held out, the pick is compared with the default setting, after training on the first two.
// The option `objective` says what is best:
//   pages:  the most hinted clicks to another page, less a quarter of the unused hints (`worth`), while the bytes added
//           to all bytes that people are sent stay below a limit.
//   all:    the lowest average access time of pages and their embedded objects, within the permitted traffic.
//           Prefetches take time (`timed`), so hints for objects that a browser fetches by itself save nothing.
// Of equally good settings, the one with less traffic is picked, then the one tried first. A setting that exceeds the
// permitted traffic on the held-out part is not picked, however good it was before.

import { checked, objectOf } from '../../options/options.ts';
import { prefetchdDefaults } from '../engine/prefetchd-options.ts';
import { invalidOption } from '../errors.ts';
import type { Simulation, SimulationPoint } from './simulate.ts';
import {
  type SweepOptions,
  type SweepProgress,
  type TuneObjective,
  type TuneOptions,
  tuneDefaults,
  tuneTable,
} from './simulate-options.ts';
import { sweep } from './sweep.ts';
import type { BaselineFigures, WithKinds } from './tally.ts';
import type { Trace } from './trace.ts';

export interface TuneReport {
  objective: TuneObjective;
  maxTraffic: number;
  /** Number of accesses in each part of the log. */
  parts: { taught: number; pickedOn: number; heldOut: number };
  /** Number of simulated settings that were compared. */
  considered: number;
  /** The picked setting, with its figures on the part of the log for picking; null: no setting helps within the
   *  permitted traffic both there and on the held-out part. */
  picked: SimulationPoint | null;
  /** Figures on the part of the log that was held out, on which the picked setting is compared with the default. */
  heldOut: {
    baseline: WithKinds<BaselineFigures>;
    picked: SimulationPoint | null;
    default: SimulationPoint;
  };
  /** True if the picked setting is better than the default on the held-out part, by more than chance may explain. */
  beatsDefault: boolean;
  /** True if the picked setting is better than the default on the held-out part, but perhaps by chance. */
  isChance: boolean;
  /** Whether the picked and the default setting stay within `maxTraffic` on the held-out part of the log. */
  withinTraffic: { picked: boolean; default: boolean };
}

/** prefetchd's default setting, to which the setting that tune() picks is compared. */
export const defaultSetting = {
  predictor: prefetchdDefaults.predictor,
  window: prefetchdDefaults.window,
  threshold: prefetchdDefaults.threshold,
  limit: prefetchdDefaults.limit,
} as const;

/**
 * Finds the predictor, window, threshold and limit that suit a site best, by simulation on its log.
 * @throws PrefetchdError `invalid-option`, `unknown-predictor`
 */
export async function tune(trace: Trace, options: TuneOptions = {}): Promise<TuneReport> {
  const { maxTraffic, objective, heldOut, train, onProgress, ...rest } = tuneSettings(options);
  const { accesses } = trace;
  const { taught, earlier } = tuneParts(accesses.length, { heldOut, train });
  const grid: SweepOptions = {
    ...rest,
    rules: 'service',
    models: [objective === 'pages' ? 'simple' : 'timed'],
  };
  const half = (part: 0 | 1) => (progress: SweepProgress) =>
    onProgress?.({ done: progress.done + part * progress.total, total: 2 * progress.total });
  const tried = await sweep(
    { ...trace, accesses: accesses.slice(0, earlier) },
    {
      ...grid,
      train: taught,
      onProgress: half(0),
    },
  );
  const later = await sweep(trace, { ...grid, train: earlier, onProgress: half(1) });
  const judge = judges[objective];
  const keeps = ({ points, baseline }: Simulation, at: number) => {
    const point = points[at] as SimulationPoint;
    return judge.helps(point, baseline) && 1 + judge.traffic(point) <= maxTraffic;
  };
  const picked = best(tried, judge, (at) => keeps(tried, at) && keeps(later, at));
  const { predictor, window, threshold, limit } = defaultSetting;
  const byDefault = await sweep(trace, {
    ...grid,
    predictors: [predictor],
    windows: [window],
    thresholds: [threshold],
    limits: [limit],
    train: earlier,
  });
  const defaultPoint = byDefault.points[0] as SimulationPoint;
  const onHeldOut = picked === null ? null : (later.points[picked] as SimulationPoint);
  const isBetter = onHeldOut !== null && judge.isBetter(onHeldOut, defaultPoint);
  const isChance = isBetter && judge.mayBeChance(onHeldOut, defaultPoint);
  return {
    objective,
    maxTraffic,
    parts: { taught, pickedOn: earlier - taught, heldOut: accesses.length - earlier },
    considered: tried.points.length,
    picked: picked === null ? null : (tried.points[picked] as SimulationPoint),
    heldOut: { baseline: byDefault.baseline, picked: onHeldOut, default: defaultPoint },
    beatsDefault: isBetter && !isChance,
    isChance,
    withinTraffic: {
      picked: onHeldOut === null || 1 + judge.traffic(onHeldOut) <= maxTraffic,
      default: 1 + judge.traffic(defaultPoint) <= maxTraffic,
    },
  };
}

/** The functions that compare simulated settings by one objective (option `objective`). */
interface PointJudge {
  /** Returns the bytes that hints add, as a share of the bytes without them. */
  traffic(point: SimulationPoint): number;
  helps(point: SimulationPoint, baseline: Simulation['baseline']): boolean;
  isBetter(left: SimulationPoint, right: SimulationPoint): boolean;
  /** Returns whether the difference between two settings is so small that it may be chance. */
  mayBeChance(left: SimulationPoint, right: SimulationPoint): boolean;
}

/** An unused hint costs a quarter of the value of a hinted click, so a hint pays off if its page is opened one time in
 *  five, which is the default threshold. */
const vainCost = 1 / 4;

function worth({ pages }: SimulationPoint): number {
  return pages === undefined ? 0 : pages.hintedClicks - vainCost * pages.unusedHints;
}

/** Returns the variance of `worth`: a click is hinted or not (binomial), and unused hints are independent events
 *  (Poisson). Two settings are judged on the same clicks, so their difference varies less than both variances' sum. */
function variance({ pages }: SimulationPoint): number {
  if (pages === undefined || pages.clicks === 0) return 0;
  const { clicks, hintedClicks, unusedHints } = pages;
  return hintedClicks * (1 - hintedClicks / clicks) + vainCost ** 2 * unusedHints;
}

/** 95 % of normal values lie within this number of standard deviations on each side of the mean. */
const usualDeviations = 1.96;

const judges: Record<TuneObjective, PointJudge> = {
  pages: {
    traffic: ({ pages }) => pages?.byteIncrease ?? 0,
    helps: (point) => worth(point) > 0,
    isBetter: (left, right) => worth(left) > worth(right),
    mayBeChance: (left, right) =>
      Math.abs(worth(left) - worth(right)) <=
      usualDeviations * Math.sqrt(variance(left) + variance(right)),
  },
  all: {
    traffic: ({ trafficIncrease }) => trafficIncrease,
    helps: (point, baseline) => point.averageAccessTimeMs < baseline.averageAccessTimeMs,
    isBetter: (left, right) => left.averageAccessTimeMs < right.averageAccessTimeMs,
    // Of access times only the averages are known, not their variance, so no difference counts as chance.
    mayBeChance: () => false,
  },
};

/** Checks the options of tuning. @throws PrefetchdError `invalid-option` */
export function tuneSettings({ maxTraffic, objective, heldOut, train, ...rest }: TuneOptions) {
  const own = checked(
    objectOf(tuneTable),
    { maxTraffic, objective, heldOut, train },
    invalidOption,
  );
  return { ...tuneDefaults, ...rest, ...own };
}

/** Cuts `count` accesses into parts: the first `taught` are for training, those up to `earlier` for picking a setting,
 *  and the rest is held out. */
export function tuneParts(
  count: number,
  { heldOut, train }: { heldOut: number; train: number },
): { taught: number; earlier: number } {
  const earlier = Math.round(count * (1 - heldOut));
  return { taught: Math.round(earlier * train), earlier };
}

/** Returns the index of the best simulated setting for which `mayBePicked` is true; null if there is none. */
function best(
  { points }: Simulation,
  judge: PointJudge,
  mayBePicked: (at: number) => boolean,
): number | null {
  let found: number | null = null;
  for (const [at, point] of points.entries()) {
    if (!mayBePicked(at)) continue;
    const other = found === null ? null : (points[found] as SimulationPoint);
    if (other === null || judge.isBetter(point, other)) found = at;
    else if (!judge.isBetter(other, point) && judge.traffic(point) < judge.traffic(other)) {
      found = at;
    }
  }
  return found;
}
