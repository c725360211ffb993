// Every setting of a load: one table of defaults, checked once, when the loader is made. A number
// carries its unit in its name; `null` switches a rule off (never 0). docs/options.md is this table
// in words.

import type { Dispatcher } from 'undici';
import type { HeaderPair } from '../http/header-pairs.ts';
import type { HttpCache } from './cache/http-cache.ts';
import { LoaderError } from './errors.ts';
import {
  checkNames,
  checkObject,
  fail,
  milliseconds,
  oneOf,
  trueOrFalse,
  wholeNumber,
} from './option-rules.ts';
import { type PrefetchOptions, resolvePrefetch } from './prefetch/prefetch-options.ts';
import { extraHeaderPairs, headerValue } from './request/extra-headers.ts';
import { authorityFault } from './transport/connect/authorities.ts';
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

export const protocols: readonly Protocol[] = ['auto', 'http1.0', 'persistent', 'pipelined', 'h2'];

export const defaults: Readonly<ResolvedOptions> = Object.freeze({
  protocol: 'auto',
  connections: null,
  batch: { maxBytes: 14_600, flushOnSegment: true, maxDelayMs: 50 },
  pipeline: {
    maxDepth: 128,
    stallMs: 1_000,
    fallbackConnections: 6,
    relearnMs: 60_000,
    settleMs: 250,
  },
  timeouts: {
    connectMs: 10_000,
    responseMs: 15_000,
    resourceMs: 60_000,
    pageMs: 120_000,
    minRateBytes: 500,
    minRateWindowMs: 10_000,
  },
  limits: {
    maxHeaderBytes: 256 * 1024,
    maxResourceBytes: 64 * 1024 * 1024,
    maxPageBytes: 256 * 1024 * 1024,
    maxInterimResponses: 20,
    maxRedirects: 10,
    maxReferences: 1_000,
    maxUrlCharacters: 16_384,
    maxCodings: 2,
  },
  tls: { verify: true },
  headers: 'minimal',
  extraHeaders: [],
  userAgent: 'loadahead/0.1',
  cookies: true,
  refusePrivateAddresses: false,
  dispatcher: null,
  cache: null,
  images: 'whole',
  imageFirstBytes: 512,
  prefetch: null,
});

/**
 * The options with every default filled in.
 * @throws LoaderError `invalid-option` naming the option, the rule and the value.
 */
export function resolveOptions(options: LoaderOptions = {}): ResolvedOptions {
  checkObject('options', options);
  checkNames('options', options, Object.keys(defaults));
  const given = <K extends keyof LoaderOptions>(name: K) =>
    options[name] === undefined ? defaults[name] : options[name];
  const resolved = {
    protocol: given('protocol'),
    connections: given('connections'),
    batch: section('batch', options.batch),
    pipeline: section('pipeline', options.pipeline),
    timeouts: section('timeouts', options.timeouts),
    limits: section('limits', options.limits),
    tls: section('tls', options.tls, ['verify', 'ca']),
    headers: given('headers'),
    extraHeaders: extraHeaderPairs(given('extraHeaders')),
    userAgent: headerValue('userAgent', given('userAgent')),
    cookies: given('cookies'),
    refusePrivateAddresses: given('refusePrivateAddresses'),
    dispatcher: given('dispatcher'),
    cache: given('cache'),
    images: given('images'),
    imageFirstBytes: given('imageFirstBytes'),
    prefetch: prefetchOf(options.prefetch),
  } as ResolvedOptions;
  oneOf('protocol', resolved.protocol, protocols);
  if (resolved.connections !== null) wholeNumber('connections', resolved.connections, 1, 64);
  checkBatch(resolved.batch);
  wholeNumber('pipeline.maxDepth', resolved.pipeline.maxDepth, 1, 10_000);
  wholeNumber('pipeline.fallbackConnections', resolved.pipeline.fallbackConnections, 1, 64);
  milliseconds('pipeline.stallMs', resolved.pipeline.stallMs, 1);
  milliseconds('pipeline.relearnMs', resolved.pipeline.relearnMs, 0);
  milliseconds('pipeline.settleMs', resolved.pipeline.settleMs, 0);
  for (const [name, value] of Object.entries(resolved.timeouts)) {
    if (name === 'minRateBytes' && value === null) continue;
    if (name === 'minRateBytes') wholeNumber(`timeouts.${name}`, value, 1, 2 ** 31);
    else milliseconds(`timeouts.${name}`, value, 1);
  }
  for (const [name, value] of Object.entries(resolved.limits)) {
    const least = name === 'maxHeaderBytes' || name === 'maxReferences' ? 1 : 0;
    wholeNumber(`limits.${name}`, value, least, Number.MAX_SAFE_INTEGER);
  }
  checkTls(resolved.tls);
  oneOf('headers', resolved.headers, ['minimal', 'browser']);
  trueOrFalse('cookies', resolved.cookies);
  trueOrFalse('refusePrivateAddresses', resolved.refusePrivateAddresses);
  checkDispatcher(resolved.dispatcher, options);
  checkCache(resolved.cache);
  if (resolved.prefetch !== null && resolved.cache === null) {
    fail('prefetch', 'used with a cache, where what is prefetched can wait', options.prefetch);
  }
  oneOf('images', resolved.images, ['whole', 'sizes-first']);
  wholeNumber('imageFirstBytes', resolved.imageFirstBytes, 1, 2 ** 20);
  return resolved;
}

/** The defaults of one section with what is given laid over them; checked for names only. */
function section<K extends 'batch' | 'pipeline' | 'timeouts' | 'limits' | 'tls'>(
  name: K,
  given: Partial<ResolvedOptions[K]> | undefined,
  names: string[] = Object.keys(defaults[name]),
): ResolvedOptions[K] {
  if (given === undefined) return { ...defaults[name] };
  checkObject(name, given);
  checkNames(name, given, names);
  const told = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults[name], ...Object.fromEntries(told) };
}

function checkBatch(batch: BatchOptions): void {
  if (batch.maxBytes !== null) wholeNumber('batch.maxBytes', batch.maxBytes, 1, 2 ** 24);
  if (batch.maxDelayMs !== null) milliseconds('batch.maxDelayMs', batch.maxDelayMs, 0);
  trueOrFalse('batch.flushOnSegment', batch.flushOnSegment);
}

function prefetchOf(given: PrefetchOptions | null | undefined): Required<PrefetchOptions> | null {
  if (given === undefined || given === null) return null;
  checkObject('prefetch', given);
  return resolvePrefetch(given);
}

function checkCache(cache: unknown): void {
  if (cache === null || typeof (cache as HttpCache)?.lookup === 'function') return;
  fail('cache', 'what createHttpCache returns, or null', cache);
}

/** With it there are no connections of ours that these could mean. */
const ofOurConnections = [
  'protocol',
  'connections',
  'batch',
  'pipeline',
  'tls',
  'refusePrivateAddresses',
] as const;

function checkDispatcher(dispatcher: Dispatcher | null, options: LoaderOptions): void {
  if (dispatcher === null) return;
  if (typeof dispatcher?.dispatch !== 'function') {
    fail('dispatcher', 'an undici Dispatcher, or null', dispatcher);
  }
  const idle = ofOurConnections.find((name) => options[name] !== undefined);
  if (idle !== undefined) {
    fail(idle, 'left out with a dispatcher, whose connections it says nothing to', options[idle]);
  }
}

function checkTls({ ca, verify }: TlsOptions): void {
  trueOrFalse('tls.verify', verify);
  if (ca === undefined) return;
  const pem = (value: unknown) => typeof value === 'string' || value instanceof Uint8Array;
  if (!pem(ca) && !(Array.isArray(ca) && ca.every(pem))) {
    fail('tls.ca', 'PEM in a string or Buffer, or a list of these', ca);
  }
  for (const authority of [ca].flat() as (string | Uint8Array)[]) {
    const fault = authorityFault(authority);
    if (fault === null) continue;
    throw new LoaderError(
      'invalid-option',
      `tls.ca must be certificates in PEM; got what ${fault}`,
    );
  }
}
