// Messages between a sweep and its worker threads.

import type { PrefetchdErrorCode } from '../errors.ts';
import type { PredictorName } from '../model/index.ts';
import type { Simulation } from './simulate.ts';
import type { PointSpec, SimulateOptions } from './simulate-options.ts';
import type { Trace } from './trace.ts';

export interface SweepJob {
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

/** Errors lose their class between threads. */
export interface WorkerError {
  /** Code of a PrefetchdError; null for any other error. */
  code: PrefetchdErrorCode | null;
  message: string;
  stack: string | undefined;
}
