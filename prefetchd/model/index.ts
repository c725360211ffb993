// Creates the predictors by name. All learn from the same accesses and answer the same question, so they can be
// compared and exchanged. `double-graph` is the default everywhere; `dependency-graph` is the paper's predictor.

import { refusal } from '../../options/refusal.ts';
import { PrefetchdError } from '../errors.ts';
import { isPredictorName, type PredictorName, predictorNames } from './model-kinds.ts';
import { checkOptions, type ModelOptions, type PredictorOptions } from './model-options.ts';
import { DependencyGraph } from './predictors/dependency-graph.ts';
import { DoubleGraph } from './predictors/double-graph.ts';
import type { NodePredictor } from './predictors/node-predictor.ts';

export type { Access, AccessKind } from '../access.ts';
export { isPredictorName, type PredictorName, predictorNames } from './model-kinds.ts';
export {
  checkPredictOptions,
  type PredictorOptions,
} from './model-options.ts';
export type {
  Prediction,
  PredictOptions,
  Predictor,
} from './predictor.ts';

const predictors = { 'double-graph': DoubleGraph, 'dependency-graph': DependencyGraph };

/**
 * Creates an empty predictor.
 * @throws PrefetchdError `unknown-predictor`, `invalid-option`
 */
export function createPredictor(
  name: PredictorName = 'double-graph',
  options?: PredictorOptions,
): NodePredictor {
  if (!isPredictorName(name)) throw unknownPredictor(name);
  return predictorWith(name, checkOptions(options));
}

/** As `createPredictor`, for callers that set constants of the model (`modelConstants`), too. */
export function predictorWith(name: PredictorName, options: Partial<ModelOptions>): NodePredictor {
  return new predictors[name](options);
}

export function unknownPredictor(name: unknown): PrefetchdError {
  const [message, option, reason] = refusal('predictor', predictorNames.join(' or '), name);
  return new PrefetchdError('unknown-predictor', message, { option, reason });
}
