// The types of the loader's options. option-table.ts defines kinds, defaults and descriptions; resolve-options.ts
// validates them once, when the loader is created.

import type { Dispatcher } from 'undici';
import type { HeaderPair } from '../http/header-pairs.ts';
import type { HttpCache } from './cache/http-cache.ts';
import type { DiscoveryOptions } from './discovery-options.ts';
import type { Layer } from './layer.ts';
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

export type { BatchOptions, DiscoveryOptions, PipelineOptions, TlsOptions };

/** Limits on the duration of each step of a load, measured on a monotonic clock, ms. */
export interface TimeoutOptions extends TransportTimeouts {
  /** For the page with all its resources. */
  pageMs: number;
}

/** Limits on what a hostile or broken server can make the loader store or do. */
export interface LimitOptions extends TransportLimits {
  /** Maximum length of one decoded body, bytes. */
  maxResourceBytes: number;
  /** Maximum length of all decoded bodies of a page, bytes. */
  maxPageBytes: number;
  /** Maximum number of redirects per reference. */
  maxRedirects: number;
  /** Maximum number of resources loaded for one page. */
  maxReferences: number;
  /** Maximum length of a chain of style sheets or modules that lead from one to the next. */
  maxDepth: number;
  /** Maximum length of a URL, characters. */
  maxUrlCharacters: number;
  /** Maximum number of content codings per response. */
  maxCodings: number;
}

export interface LoaderOptions {
  protocol?: Protocol;
  /**
   * Connections per origin. null: 4 for http1.0, 6 for persistent, 1 for pipelined and h2; auto uses 6 for a page
   * over HTTP/1.1 if the handshake took 2 ms or more, else 1.
   */
  connections?: number | null;
  batch?: Partial<BatchOptions>;
  pipeline?: Partial<PipelineOptions>;
  /**
   * Asks servers to hold idle HTTP/1.x connections with `Hold-Line` (Hauck 1994): true, as long as they like; a number,
   * for this many seconds, 1 to 3600. With `http1.0`, a connection that a response holds carries the next request.
   */
  holdLine?: boolean | number;
  timeouts?: Partial<TimeoutOptions>;
  limits?: Partial<LimitOptions>;
  tls?: Partial<TlsOptions>;
  /** Which of the resources that a page names are fetched, and for which screen. */
  discovery?: Partial<DiscoveryOptions>;
  /** `minimal`: about 120 bytes per request. `browser`: the fields that Chromium sends. */
  headers?: 'minimal' | 'browser';
  /** Fields sent with each request to the origin of the loaded URL; they override the loader's fields of that name. */
  extraHeaders?: Record<string, string> | HeaderPair[];
  userAgent?: string;
  /** Keeps cookies between the requests and pages of a loader. */
  cookies?: boolean;
  /**
   * Requests a response with faults that browsers tolerate (line ends without CR, a line without a colon, a folded
   * field, two equal Content-Lengths ...) again on a separate connection, and reads it. Nothing of it is stored.
   */
  tolerant?: boolean;
  /** Refuses to connect to any address that is not public (RFC 6890), on each redirect as well. */
  refusePrivateAddresses?: boolean;
  /** Cache for responses (`createHttpCache`); null: none. The caller closes it. */
  cache?: HttpCache | null;
  /** Offers stored responses as dictionaries for later ones (RFC 9842); without a cache there are none. */
  dictionaries?: boolean;
  /**
   * Requests a page and what it names on its origin in one response (Padmanabhan 1995, 5.1). `auto`: on the first visit
   * of a page whose origin has said that it supports the Get-All field.
   */
  getAll?: 'auto' | boolean;
  /**
   * `sizes-first`: requests the first bytes of every image first, and the rest once all first bytes are requested
   * (Nielsen, Gettys et al. 1997, "Range Requests": poor man's multiplexing).
   */
  images?: 'whole' | 'sizes-first';
  /** Number of bytes that `sizes-first` requests first. */
  imageFirstBytes?: number;
  /**
   * An undici Dispatcher (ProxyAgent, MockAgent, an Agent with interceptors) that sends the requests instead of the
   * loader's own connections; null: none. Not available with it: batches, pipelining, retries after a lost connection,
   * and the times and addresses of connections. The caller closes it.
   */
  dispatcher?: Dispatcher | null;
  /** Prefetches what pages hint at into the cache while no page is loading; needs `cache`. null: off. */
  prefetch?: PrefetchOptions | null;
  /** Code around each request: may add fields, answer it in another way, or look at its response. */
  layers?: readonly Layer[];
}

export interface ResolvedOptions extends TransportOptions {
  holdLine: boolean | number;
  timeouts: TimeoutOptions;
  limits: LimitOptions;
  discovery: DiscoveryOptions;
  headers: 'minimal' | 'browser';
  extraHeaders: HeaderPair[];
  userAgent: string;
  cookies: boolean;
  cache: HttpCache | null;
  getAll: 'auto' | boolean;
  dictionaries: boolean;
  images: 'whole' | 'sizes-first';
  imageFirstBytes: number;
  prefetch: Required<PrefetchOptions> | null;
  /** The first is the outermost. */
  layers: readonly Layer[];
}
