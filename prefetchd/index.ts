// Exports `loadahead/prefetchd`: prediction from accesses. The HTTP service is `loadahead/prefetchd/service`.

import '../needs-node.ts';

export type { Logger } from '../options/logger.ts';
export type { Access, AccessKind } from './access.ts';
export { createGraphStore, type GraphStoreOptions } from './engine/create-graph-store.ts';
export {
  createPrefetchd,
  type HintQuestion,
  type NotLearned,
  type Prefetchd,
  type PrefetchdStats,
} from './engine/prefetchd.ts';
export type { PrefetchdOptions, Tuning } from './engine/prefetchd-options.ts';
export { PrefetchdError, type PrefetchdErrorCode } from './errors.ts';
export type { HoldbackReport } from './holdback/report.ts';
export { type LogReading, type LogStatistics, type ReadLogOptions, readLog } from './log/index.ts';
export {
  createPredictor,
  type PredictorName,
  type PredictorOptions,
  predictorNames,
} from './model/index.ts';
export type { Prediction, PredictOptions, Predictor } from './model/predictor.ts';
export { type NormaliseOptions, queryMayBeHinted, urlNormaliser } from './normalise-url.ts';
export type { DenyListOptions } from './rules/deny-list.ts';
export type { GraphStore } from './store/graph-store.ts';
export type { Hint } from './wire/hint.ts';
