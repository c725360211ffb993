// `loadahead/prefetchd`: what follows what, learned from accesses; the engine, and the service around it.

import '../needs-node.ts';

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
export { type OpenStoreOptions, openStore } from './open-store.ts';
export type { Notice, PrefetchdOptions, Tuning } from './options.ts';
export {
  createPrefetchd,
  type HintQuestion,
  type NotLearned,
  type PageHints,
  type Prefetchd,
  type PrefetchdStats,
} from './prefetchd.ts';
export type { Listening, ListenOptions } from './service/listening.ts';
export { createService, type Service } from './service/service.ts';
export type { ServiceLog, ServiceOptions } from './service/service-options.ts';
export type { GraphStore } from './store/graph-store.ts';
export type { Hint } from './wire.ts';
