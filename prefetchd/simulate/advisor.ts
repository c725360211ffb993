// Records the advice for a batch of accesses while the log is learned: who should prefetch what. By the rules of the
// service (service-advisor.ts) or by those of the paper (paper-advisor.ts).

import type { PredictorName } from '../model/index.ts';
import type { Advice, RankAdvice } from './advice.ts';
import type { SimulateSettings } from './simulate-options.ts';

export interface AdvisorOptions {
  predictor: PredictorName;
  /** w */
  window: number;
  /** Ascending. */
  thresholds: readonly number[];
  /** Most accesses between two calls of `advice.begin`. */
  batchAccesses: number;
  settings: SimulateSettings;
}

export interface Advisor {
  readonly advice: Advice;
  /** In order, as many as the predictor can distinguish. */
  readonly ranks: readonly RankAdvice[];
  learn(index: number): void;
  /** Called for each access of a batch in turn. */
  learnAndAdvise(index: number): void;
}
