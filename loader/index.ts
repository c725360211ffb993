// The public exports of `loadahead`, pinned by a test.

import '../needs-node.ts';

export { createHttpCache, type HttpCacheOptions } from './cache/cache.ts';
export type {
  CacheRequest,
  CacheResponse,
  NewEntry,
  StoredHead,
  StoredRange,
} from './cache/entry.ts';
export type {
  CachedResponse,
  CacheMode,
  HttpCache,
  Lookup,
  Storable,
  Validation,
} from './cache/http-cache.ts';
export { createMemoryStore, type MemoryStoreOptions } from './cache/memory-cache-store.ts';
export { createSqliteStore, type SqliteStoreOptions } from './cache/sqlite/sqlite-cache-store.ts';
export type { CacheStore } from './cache/store.ts';
export { LoaderError, type LoaderErrorCode } from './errors.ts';
export { createFetch, type Fetch, type FetchOptions } from './fetch/fetch.ts';
export { type Dispatch, type Layer, LayerHandler, type LayerRequest } from './layer.ts';
export {
  createLoader,
  type Loader,
  type LoaderStats,
  loadPage,
} from './loader.ts';
export type {
  LimitOptions,
  LoaderOptions,
  LoadOptions,
  TimeoutOptions,
} from './options.ts';
export type { LoadProgress } from './page/page-progress.ts';
export type {
  BatchRecord,
  ConnectionRecord,
  HeaderPair,
  PageLoad,
  PageTiming,
  PageTotals,
  Protocol,
  ResourceError,
  ResourceKind,
  ResourceRecord,
} from './page-load.ts';
export type { PrefetchOptions } from './prefetch/prefetch-options.ts';
export type { PrefetchTotals } from './prefetch/storage.ts';
export type { ExchangeHandler, ResponseHead } from './transport/exchange.ts';
export type { BatchOptions, TlsOptions } from './transport/transport-options.ts';
