// `loadahead`: what programs import. A test pins this list.

export { LoaderError, type LoaderErrorCode } from './errors.ts';
export { createLoader, type Loader, type LoadOptions, loadPage } from './loader.ts';
export type {
  BatchOptions,
  LimitOptions,
  LoaderOptions,
  PipelineOptions,
  TimeoutOptions,
  TlsOptions,
} from './options.ts';
export type { LoadProgress } from './page.ts';
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
