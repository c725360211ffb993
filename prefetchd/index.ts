// `loadahead/prefetchd`: what follows what, learned from accesses. The service on top of it is to come.

export type { Access, AccessKind } from './access.ts';
export { PrefetchdError, type PrefetchdErrorCode } from './errors.ts';
export { type LogReading, type LogStatistics, type ReadLogOptions, readLog } from './log/index.ts';
export {
  createPredictor,
  type PredictorName,
  type PredictorOptions,
  predictorNames,
} from './model/index.ts';
export type { Prediction, PredictOptions, Predictor } from './model/predictor.ts';
export { queryMayBeHinted, urlNormaliser } from './normalise-url.ts';
