// Runs many simulations in parallel: each predictor with each window w is a job, and each job evaluates all points
// (threshold p, limit i, timing model) in one pass. Each thread gets the log and its share of the jobs; the widest
// windows are dealt first, because they take longest. The result does not depend on the number of threads: points are
// ordered by predictor, model, window, threshold, limit.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { PredictorName } from '../model/index.ts';
import { type SimulateJob, type Simulation, type SimulationPoint, simulate } from './simulate.ts';
import {
  type PointSpec,
  paperSweep,
  type SweepOptions,
  type TimingModel,
} from './simulate-options.ts';
import type { Trace } from './trace.ts';

/** Simulates all combinations of the given values. @throws PrefetchdError `invalid-option`, `unknown-predictor` */
export async function sweep(trace: Trace, options: SweepOptions = {}): Promise<Simulation> {
  const { predictors, models, windows, thresholds, limits, ...rest } = {
    ...paperSweep,
    ...options,
  };
  const { workers, onProgress, ...settings } = rest;
  const points: PointSpec[] = models.flatMap((model) =>
    thresholds.flatMap((threshold) => limits.map((limit) => ({ model, threshold, limit }))),
  );
  const jobs = predictors.flatMap((predictor) =>
    windows.map((window): SimulateJob => ({ ...settings, predictor, window, points })),
  );
  // Each job first runs on an empty log, so that its errors are thrown here: between threads, errors lose their class.
  for (const job of jobs) simulate({ accesses: [], clients: [], files: [] }, job);
  const threads = Math.min(jobs.length, workers ?? (jobs.length > 1 ? availableParallelism() : 0));
  const done = jobs.map(() => 0);
  const results: Simulation[] = [];
  const take = (message: FromWorker) => {
    const { index } = message;
    if ('simulation' in message) {
      results[index] = message.simulation;
      return;
    }
    done[index] = message.accesses;
    const sum = done.reduce((total, each) => total + each, 0);
    onProgress?.({ done: sum, total: jobs.length * message.total });
  };
  const dealt = [...jobs.entries()].sort(([, left], [, right]) => right.window - left.window);
  const shares = Array.from({ length: threads }, (_, thread) =>
    dealt.filter((_, at) => at % threads === thread),
  );
  if (threads === 0) runJobs({ trace, jobs: dealt }, take);
  await Promise.all(shares.map((share) => inWorker({ trace, jobs: share }, take)));
  return {
    baseline: (results[0] as Simulation).baseline,
    points: inOrder(results, predictors, models),
  };
}

/** Returns the points (simulated settings) sorted by predictor, model and window; the rest is in order already. */
function inOrder(
  results: readonly Simulation[],
  predictors: readonly PredictorName[],
  models: readonly TimingModel[],
): SimulationPoint[] {
  const all = results.flatMap(({ points }) => points);
  return predictors.flatMap((predictor) =>
    models.flatMap((model) =>
      all.filter((point) => point.predictor === predictor && point.model === model),
    ),
  );
}

/** Simulates jobs one after the other in this thread. @param tell Receives their results and progress */
export function runJobs({ trace, jobs }: SweepWork, tell: (message: FromWorker) => void): void {
  for (const [index, job] of jobs) {
    const onProgress = (accesses: number, total: number) => tell({ index, accesses, total });
    tell({ index, simulation: simulate(trace, { ...job, onProgress }) });
  }
}

function inWorker(workerData: SweepWork, take: (message: FromWorker) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile(), { workerData });
    worker.on('error', reject);
    worker.on('exit', () => resolve());
    worker.on('message', take);
  });
}

/** Returns the worker's file, beside this one with the same extension: .ts in the repository, .js in the package. */
function workerFile(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./sweep-worker.${extension}`, import.meta.url);
}

/** What a worker thread gets: the log, and jobs, each with its index among all jobs of the sweep. */
export interface SweepWork {
  trace: Trace;
  jobs: ReadonlyArray<[index: number, job: SimulateJob]>;
}

export type FromWorker =
  | { index: number; accesses: number; total: number }
  | { index: number; simulation: Simulation };
