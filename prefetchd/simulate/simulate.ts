// Simulates one predictor with one window w on a log (Padmanabhan 1995, 8), for many points (threshold p, limit i,
// timing model) in one pass. The first part of the log is for training; on the rest, prediction, prefetching and
// learning run together, and each client has a cache, empty at first. GETALL and GETLIST are not simulated, because
// logs have none (8). By the service's rules only people prefetch (trace.ts) and are counted.
//
// Advice depends only on the log: the threshold ends the sorted list of candidates, and the limit truncates it. An
// access is therefore learned once, and every point replays it with caches of its own.

import { LatestMap } from '../../process/latest-map.ts';
import { objectThresholdOf } from '../engine/prefetchd-options.ts';
import type { PredictorName } from '../model/index.ts';
import { type Advice, type AdvisorOptions, paperAdvisor, serviceAdvisor } from './advisors.ts';
import { PageClicks, type PageFigures } from './page-clicks.ts';
import {
  checkPoints,
  type PointSpec,
  type SimulateOptions,
  simulateSettings,
  splitOf,
} from './simulate-options.ts';
import { SimulatedBrowser } from './simulated-browser.ts';
import {
  type BaselineFigures,
  baselineFigures,
  emptyTallies,
  pointFigures,
  type RunFigures,
  type TallyByKind,
  type WithKinds,
} from './tally.ts';
import type { Trace, TraceAccess, TraceClient } from './trace.ts';

export interface SimulationPoint extends WithKinds<RunFigures> {
  predictor: PredictorName;
  model: PointSpec['model'];
  /** Window (w): an access may be followed by the next w - 1 accesses of its client. */
  window: number;
  /** Documents with a probability above this (p) are hinted. */
  threshold: number;
  /** Largest number of hints (i) per access; null: no limit. */
  limit: number | null;
  /** Figures of clicks to pages; absent unless the option `rules` is `service`. */
  pages?: PageFigures;
}

export interface Simulation {
  baseline: WithKinds<BaselineFigures>;
  /** The figures of each simulated setting, in the order of the job's `points`. */
  points: SimulationPoint[];
}

export interface SimulateJob extends SimulateOptions {
  predictor: PredictorName;
  /** Window (w): an access may be followed by the next w - 1 accesses of its client. */
  window: number;
  points: readonly PointSpec[];
  /** Called from time to time with the number of accesses processed, and of all accesses of the log. */
  onProgress?: (accesses: number, total: number) => void;
}

/** Number of accesses after which the progress is reported again. */
const progressAccesses = 4096;

/** A client with its simulated browsers: one without prefetching (`alone`), and one for each setting (`PointSpec`). */
interface SimulatedClient {
  key: TraceClient;
  alone: SimulatedBrowser;
  prefetching: readonly SimulatedBrowser[];
}

/** Simulates a job: one predictor and window with each of its settings (`points`). @throws PrefetchdError
 *  `invalid-option`, `unknown-predictor` */
export function simulate(trace: Trace, job: SimulateJob): Simulation {
  const { predictor, window, points, onProgress, ...options } = job;
  checkPoints(points);
  const settings = simulateSettings(options);
  const { from, to } = splitOf(trace.accesses.length, settings);
  const isService = settings.rules === 'service';
  const threshold = Math.min(...points.map(({ threshold }) => threshold));
  const advisorOptions: AdvisorOptions = { predictor, window, threshold, settings };
  const advisor = (isService ? serviceAdvisor : paperAdvisor)(trace, advisorOptions);
  const clicks = new PageClicks(points);
  const baseline = emptyTallies();
  const tallies = points.map(emptyTallies);
  const finish = ({ key, prefetching }: SimulatedClient): void => {
    for (const browser of prefetching) browser.finish();
    clicks.forget(key);
  };
  const clients = new LatestMap<TraceClient, SimulatedClient>(settings.maxClients, {
    onEvicted: finish,
  });
  const newClient = (key: TraceClient): SimulatedClient => {
    const client = {
      key,
      alone: new SimulatedBrowser(settings, 'simple', baseline),
      prefetching: points.map(
        ({ model }, at) => new SimulatedBrowser(settings, model, tallies[at] as TallyByKind),
      ),
    };
    clients.set(key, client);
    return client;
  };

  for (const [index, access] of trace.accesses.slice(0, to).entries()) {
    if (index % progressAccesses === 0) onProgress?.(index, to);
    if (index < from) {
      advisor.learn(access);
      continue;
    }
    const advice = advisor.learnAndAdvise(access);
    if (isService && !access.client.isPerson) continue;
    const client = clients.get(access.client) ?? newClient(access.client);
    if (isService) clicks.record(access, advice[0] ?? []);
    const wouldMiss = client.alone.demand(access, false);
    for (const [at, browser] of client.prefetching.entries()) {
      browser.demand(access, wouldMiss);
      const point = points[at] as PointSpec;
      const ofObjects = isService ? objectThresholdOf(point.threshold) : point.threshold;
      prefetch(browser, access, advice, point, ofObjects);
    }
  }
  onProgress?.(to, to);
  for (const client of clients.values()) finish(client);
  const pages = isService ? clicks.finish() : [];
  return {
    baseline: baselineFigures(baseline),
    points: points.map(({ model, threshold, limit }, at) => ({
      predictor,
      model,
      window,
      threshold,
      limit,
      ...pointFigures(tallies[at] as TallyByKind, baseline),
      ...(isService && { pages: pages[at] as PageFigures }),
    })),
  };
}

/** Lets a simulated browser prefetch the first `limit` predicted pages and objects that are above the threshold. */
function prefetch(
  browser: SimulatedBrowser,
  { timeMs }: TraceAccess,
  advice: Advice,
  { threshold: ofPages, limit }: PointSpec,
  ofObjects: number,
): void {
  let left = limit ?? Number.POSITIVE_INFINITY;
  for (const [rank, candidates] of advice.entries()) {
    const threshold = rank === 0 ? ofPages : ofObjects;
    for (const candidate of candidates) {
      if (left === 0 || !(candidate.probability > threshold)) break;
      browser.advise(candidate, timeMs);
      left--;
    }
  }
}
