// What a load can be told: types. Kinds, defaults and meanings stand in option-table.ts; resolve-options.ts checks them
// once, when the loader is made.

import type { Dispatcher } from 'undici';
import type { HeaderPair } from '../http/header-pairs.ts';
import type { HttpCache } from './cache/http-cache.ts';
import type { PrefetchOptions } from './prefetch/prefetch-options.ts';
import type {
  BatchOptions,
  PipelineOptions,
  Protocol,
  TlsOptions,
  TransportLimits,
  TransportOptions,
  TransportTimeouts,
} from './transport/transport-options.ts';

export type { BatchOptions, PipelineOptions, TlsOptions };

/** No load outlives these; all on a monotonic clock, in ms. */
export interface TimeoutOptions extends TransportTimeouts {
  /** The page with everything on it. */
  pageMs: number;
}

/** What a hostile or broken server can make us hold or do. */
export interface LimitOptions extends TransportLimits {
  /** One body after decoding, bytes. */
  maxResourceBytes: number;
  /** All bodies of a page after decoding, bytes. */
  maxPageBytes: number;
  /** Hops behind one reference. */
  maxRedirects: number;
  /** Resources fetched for one page. */
  maxReferences: number;
  /** Characters of one URL. */
  maxUrlCharacters: number;
  /** Content codings on one response. */
  maxCodings: number;
}

export interface LoaderOptions {
  protocol?: Protocol;
  /**
   * Connections per origin; null: 4 for http1.0, 6 for persistent, 1 for pipelined and h2; auto takes 6 for a page over
   * HTTP/1.1 where the handshake took 20 ms or more, else 1.
   */
  connections?: number | null;
  batch?: Partial<BatchOptions>;
  pipeline?: Partial<PipelineOptions>;
  timeouts?: Partial<TimeoutOptions>;
  limits?: Partial<LimitOptions>;
  tls?: Partial<TlsOptions>;
  /** `minimal`: about 120 bytes a request. `browser`: what Chromium sends. */
  headers?: 'minimal' | 'browser';
  /** Sent with every request to the origin of the URL that is loaded; overrides ours of the same name. */
  extraHeaders?: Record<string, string> | HeaderPair[];
  userAgent?: string;
  /** Keep cookies between the requests and pages of a loader. */
  cookies?: boolean;
  /** Refuse to connect to any address that is not public (RFC 6890), at every hop. */
  refusePrivateAddresses?: boolean;
  /** Where responses are kept for reuse (`createHttpCache`); null: nowhere. The caller closes it. */
  cache?: HttpCache | null;
  /** `sizes-first`: of every image the first bytes first, the rests when all are asked for (Nielsen, Gettys et al. 1997, "Range Requests": poor man's multiplexing). */
  images?: 'whole' | 'sizes-first';
  /** How many bytes `sizes-first` asks for. */
  imageFirstBytes?: number;
  /**
   * An undici Dispatcher (ProxyAgent, MockAgent, an Agent with interceptors) that sends the requests in place of the
   * loader's own connections; null: none. Lost with it are batches, pipelining, sending again what a broken connection
   * took along, and the times and addresses of connections. The caller closes it.
   */
  dispatcher?: Dispatcher | null;
  /** Fetch what pages hint at into the cache while no page is loading; needs `cache`. null: nothing is. */
  prefetch?: PrefetchOptions | null;
}

export interface ResolvedOptions extends TransportOptions {
  timeouts: TimeoutOptions;
  limits: LimitOptions;
  headers: 'minimal' | 'browser';
  extraHeaders: HeaderPair[];
  userAgent: string;
  cookies: boolean;
  cache: HttpCache | null;
  images: 'whole' | 'sizes-first';
  imageFirstBytes: number;
  prefetch: Required<PrefetchOptions> | null;
}
