// Runs many simulations in parallel: each predictor with each window w is a job, and each job evaluates all points
// (threshold p, limit i, timing model) in one pass. Jobs go to worker threads, widest windows first, because these take
// longest. The log's columns are in shared memory. The result does not depend on the number of workers: points are
// ordered by predictor, model, w, p, i.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { prefetchdDefaults } from '../engine/prefetchd-options.ts';
import { PrefetchdError, type PrefetchdErrorCode } from '../errors.ts';
import type { PredictorName } from '../model/index.ts';
import { type Simulation, type SimulationPoint, simulate } from './simulate.ts';
import type { PointSpec, SimulateOptions } from './simulate-options.ts';
import type { TimingModel } from './timing-model.ts';
import type { Trace } from './trace.ts';

export interface SweepOptions extends SimulateOptions {
  predictors?: readonly PredictorName[];
  models?: readonly TimingModel[];
  /** Values of w, the window. */
  windows?: readonly number[];
  /** Values of p, the threshold. */
  thresholds?: readonly number[];
  /** Threshold p of objects at every point; absent: the p of the point. */
  objectThreshold?: number;
  /** Values of i, the most hints per access; null: no limit. */
  limits?: ReadonlyArray<number | null>;
  /** Number of worker threads; 0: the jobs run in this thread. Absent: one per core, or 0 for a single job. */
  workers?: number;
  onProgress?: (progress: SweepProgress) => void;
}

export interface SweepProgress {
  /** Accesses processed, over all jobs. */
  done: number;
  total: number;
}

/** The paper's values (8): p from 0.0 to 1.1, w from 2 to 10, i 1, 2 and no limit. */
export const paperSweep = {
  predictors: ['dependency-graph'],
  models: ['simple'],
  windows: [2, 3, 4, 5, 6, 7, 8, 9, 10],
  thresholds: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1],
  limits: [1, 2, null],
} as const satisfies SweepOptions;

/** The defaults of the service. */
export const serviceSweep = {
  rules: 'service',
  predictors: [prefetchdDefaults.predictor],
  models: ['simple'],
  windows: [prefetchdDefaults.window],
  thresholds: [prefetchdDefaults.threshold],
  objectThreshold: prefetchdDefaults.objectThreshold,
  limits: [prefetchdDefaults.limit],
  train: 0.6,
} as const satisfies SweepOptions;

/** @throws PrefetchdError `invalid-option`, `unknown-predictor` */
export async function sweep(trace: Trace, options: SweepOptions = {}): Promise<Simulation> {
  const { predictors, models, windows, thresholds, limits, ...rest } = {
    ...paperSweep,
    ...options,
  };
  const { objectThreshold, workers, onProgress, ...settings } = rest;
  const points: PointSpec[] = models.flatMap((model) =>
    thresholds.flatMap((threshold) =>
      limits.map((limit) => ({
        model,
        threshold,
        limit,
        ...(objectThreshold !== undefined && { objectThreshold }),
      })),
    ),
  );
  const jobs = predictors.flatMap((predictor) =>
    windows.map((window): SweepJob => ({ predictor, window })),
  );
  const threads = Math.min(jobs.length, workers ?? (jobs.length > 1 ? availableParallelism() : 0));
  const progress = new TotalProgress(jobs.length, trace.count, onProgress);
  const work = { trace, points, settings };
  const results =
    threads === 0
      ? jobs.map((job, index) =>
          simulate(trace, {
            ...settings,
            ...job,
            points,
            onProgress: (done, total) => progress.report(index, done, total),
          }),
        )
      : await inWorkers(threads, jobs, work, progress);
  return { baseline: (results[0] as Simulation).baseline, points: inOrder(results, models, jobs) };
}

/** Points ordered by predictor, model and w; p and i are already in order. */
function inOrder(
  results: readonly Simulation[],
  models: readonly TimingModel[],
  jobs: readonly SweepJob[],
): SimulationPoint[] {
  return [...new Set(jobs.map(({ predictor }) => predictor))].flatMap((predictor) =>
    models.flatMap((model) =>
      results.flatMap(({ points }) =>
        points.filter((point) => point.predictor === predictor && point.model === model),
      ),
    ),
  );
}

async function inWorkers(
  threads: number,
  jobs: readonly SweepJob[],
  workerData: SweepWorkerData,
  progress: TotalProgress,
): Promise<Simulation[]> {
  const results: Simulation[] = [];
  const queue = jobs
    .map((job, index) => ({ job, index }))
    .sort((left, right) => right.job.window - left.job.window);
  const run = (worker: Worker) =>
    new Promise<void>((resolve, reject) => {
      const next = () => {
        const message: ToWorker | undefined = queue.shift();
        if (message === undefined) resolve();
        else worker.postMessage(message);
      };
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('a simulation worker ended early')));
      worker.on('message', (message: FromWorker) => {
        if ('progress' in message) {
          progress.report(message.index, message.progress, message.total);
          return;
        }
        if ('error' in message) return reject(errorOf(message.error));
        results[message.index] = message.result;
        next();
      });
      next();
    });
  const pool = Array.from({ length: threads }, () => new Worker(workerFile(), { workerData }));
  try {
    await Promise.all(pool.map(run));
  } finally {
    await Promise.all(pool.map((worker) => worker.terminate()));
  }
  return results;
}

/** File of the worker, beside this file and with the same extension: .ts in the repository, .js in the package. */
function workerFile(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./sweep-worker.${extension}`, import.meta.url);
}

function errorOf({ code, message, stack }: WorkerError): Error {
  if (code !== null) return new PrefetchdError(code, message);
  return new Error(`a simulation worker failed: ${message}`, { cause: stack });
}

class TotalProgress {
  readonly #done: number[];
  readonly #total: number[];
  readonly #onProgress: ((progress: SweepProgress) => void) | undefined;

  constructor(jobs: number, accesses: number, onProgress: SweepOptions['onProgress']) {
    this.#done = Array.from({ length: jobs }, () => 0);
    this.#total = Array.from({ length: jobs }, () => accesses);
    this.#onProgress = onProgress;
  }

  report(job: number, done: number, total: number): void {
    this.#done[job] = done;
    this.#total[job] = total;
    this.#onProgress?.({ done: sum(this.#done), total: sum(this.#total) });
  }
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/** One job. The types below are messages between a sweep and its worker threads. */
interface SweepJob {
  predictor: PredictorName;
  window: number;
}

export interface SweepWorkerData {
  trace: Trace;
  points: readonly PointSpec[];
  settings: SimulateOptions;
}

export interface ToWorker {
  index: number;
  job: SweepJob;
}

export type FromWorker =
  | { index: number; progress: number; total: number }
  | { index: number; result: Simulation }
  | { index: number; error: WorkerError };

/** An error as data, because errors lose their class between threads. */
interface WorkerError {
  /** Code of a PrefetchdError; null for any other error. */
  code: PrefetchdErrorCode | null;
  message: string;
  stack: string | undefined;
}
