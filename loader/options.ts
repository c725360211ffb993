// Every setting of a load: one table of defaults, checked once, when the loader is made. A number
// carries its unit in its name; `null` switches a rule off (never 0). docs/options.md is this table
// in words.

import { LoaderError } from './errors.ts';
import type { HeaderPair, Protocol } from './page-load.ts';

/** When buffered requests leave (paper: Nielsen, Gettys et al. 1997, "Pipelining", "Buffer Tuning"). */
export interface BatchOptions {
  /** Buffer size that forces a write, bytes; null: no size rule. One Ethernet segment by default, the paper used 1,024. */
  maxBytes: number | null;
  /** Write what one chunk of HTML yielded as soon as that chunk is scanned. */
  flushOnSegment: boolean;
  /** How long a request may wait in the buffer when `flushOnSegment` is off, ms; null: until the document ends. */
  maxDelayMs: number | null;
}

/** How far requests run ahead of responses on one HTTP/1.1 connection. */
export interface PipelineOptions {
  /** Requests outstanding on one connection at most. */
  maxDepth: number;
  /** A pipeline whose head stays silent this long, after the connection served before, is taken as broken, ms. */
  stallMs: number;
  /** Connections used in place of one when a server proved to serve few requests per connection. */
  fallbackConnections: number;
  /** How long a connection is watched for surplus bytes before its bodies are trusted, ms, at most. */
  settleMs: number;
}

/** No load outlives these; all on a monotonic clock, in ms. */
export interface TimeoutOptions {
  /** Look-up, TCP and TLS of one connection. */
  connectMs: number;
  /** From being first in line on its connection to the first byte of the final response. */
  responseMs: number;
  /** From being first in line on its connection to the last byte. */
  resourceMs: number;
  /** The page with everything on it. */
  pageMs: number;
  /** Fewer bytes than `minRateBytes` in a stretch of `minRateWindowMs` of a body end it; null: no minimum. */
  minRateBytes: number | null;
  minRateWindowMs: number;
}

/** What a hostile or broken server can make us hold or do. */
export interface LimitOptions {
  /** Header section of one response, bytes. */
  maxHeaderBytes: number;
  /** One body after decoding, bytes. */
  maxResourceBytes: number;
  /** All bodies of a page after decoding, bytes. */
  maxPageBytes: number;
  /** 1xx responses to one request. */
  maxInterimResponses: number;
  /** Hops behind one reference. */
  maxRedirects: number;
  /** Resources fetched for one page. */
  maxReferences: number;
  /** Content codings on one response. */
  maxCodings: number;
}

export interface TlsOptions {
  /** Certificate authorities in PEM, in place of the built-in ones. */
  ca?: string | Buffer | Array<string | Buffer>;
  /** false: accept any certificate. The loader says so in every report. */
  verify: boolean;
}

export interface LoaderOptions {
  protocol?: Protocol;
  /** Connections per origin; null: 4 for http1.0, 6 for persistent, 1 for pipelined and h2. */
  connections?: number | null;
  batch?: Partial<BatchOptions>;
  pipeline?: Partial<PipelineOptions>;
  timeouts?: Partial<TimeoutOptions>;
  limits?: Partial<LimitOptions>;
  tls?: Partial<TlsOptions>;
  /** `minimal`: about 120 bytes a request. `browser`: what Chromium sends. */
  headers?: 'minimal' | 'browser';
  /** Sent with every request to the page's own origin; overrides ours of the same name. */
  extraHeaders?: Record<string, string> | HeaderPair[];
  userAgent?: string;
  /** Keep cookies between the requests and pages of a loader. */
  cookies?: boolean;
  /** Refuse to connect to any address that is not public (RFC 6890), at every hop. */
  refusePrivateAddresses?: boolean;
}

export interface ResolvedOptions {
  protocol: Protocol;
  connections: number | null;
  batch: BatchOptions;
  pipeline: PipelineOptions;
  timeouts: TimeoutOptions;
  limits: LimitOptions;
  tls: TlsOptions;
  headers: 'minimal' | 'browser';
  extraHeaders: HeaderPair[];
  userAgent: string;
  cookies: boolean;
  refusePrivateAddresses: boolean;
}

export const protocols: readonly Protocol[] = ['auto', 'http1.0', 'persistent', 'pipelined', 'h2'];

export const defaults: Readonly<ResolvedOptions> = Object.freeze({
  protocol: 'auto',
  connections: null,
  batch: { maxBytes: 1460, flushOnSegment: true, maxDelayMs: 50 },
  pipeline: { maxDepth: 128, stallMs: 5_000, fallbackConnections: 6, settleMs: 250 },
  timeouts: {
    connectMs: 10_000,
    responseMs: 15_000,
    resourceMs: 60_000,
    pageMs: 120_000,
    minRateBytes: 500,
    minRateWindowMs: 10_000,
  },
  limits: {
    maxHeaderBytes: 32 * 1024,
    maxResourceBytes: 64 * 1024 * 1024,
    maxPageBytes: 256 * 1024 * 1024,
    maxInterimResponses: 20,
    maxRedirects: 10,
    maxReferences: 1_000,
    maxCodings: 2,
  },
  tls: { verify: true },
  headers: 'minimal',
  extraHeaders: [],
  userAgent: 'loadahead/0.1',
  cookies: true,
  refusePrivateAddresses: false,
});

/**
 * The options with every default filled in.
 * @throws LoaderError `invalid-option` naming the option, the rule and the value.
 */
export function resolveOptions(options: LoaderOptions = {}): ResolvedOptions {
  if (options === null || typeof options !== 'object') fail('options', 'an object', options);
  for (const key of Object.keys(options)) {
    if (!(key in defaults))
      fail(`options.${key}`, `one of ${Object.keys(defaults).join(', ')}`, key);
  }
  const resolved: ResolvedOptions = {
    protocol: options.protocol ?? defaults.protocol,
    connections: options.connections ?? defaults.connections,
    batch: section('batch', options.batch),
    pipeline: section('pipeline', options.pipeline),
    timeouts: section('timeouts', options.timeouts),
    limits: section('limits', options.limits),
    tls: { ...defaults.tls, ...options.tls },
    headers: options.headers ?? defaults.headers,
    extraHeaders: headerPairs(options.extraHeaders ?? []),
    userAgent: headerValue('userAgent', options.userAgent ?? defaults.userAgent),
    cookies: options.cookies ?? defaults.cookies,
    refusePrivateAddresses: options.refusePrivateAddresses ?? defaults.refusePrivateAddresses,
  };
  if (!protocols.includes(resolved.protocol)) {
    fail('protocol', `one of ${protocols.join(', ')}`, resolved.protocol);
  }
  if (resolved.connections !== null) wholeNumber('connections', resolved.connections, 1, 64);
  checkBatch(resolved.batch);
  wholeNumber('pipeline.maxDepth', resolved.pipeline.maxDepth, 1, 10_000);
  wholeNumber('pipeline.fallbackConnections', resolved.pipeline.fallbackConnections, 1, 64);
  milliseconds('pipeline.stallMs', resolved.pipeline.stallMs, 1);
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
  if (typeof resolved.tls.verify !== 'boolean')
    fail('tls.verify', 'true or false', resolved.tls.verify);
  if (resolved.headers !== 'minimal' && resolved.headers !== 'browser') {
    fail('headers', 'minimal or browser', resolved.headers);
  }
  return resolved;
}

function section<K extends 'batch' | 'pipeline' | 'timeouts' | 'limits'>(
  name: K,
  given: Partial<ResolvedOptions[K]> | undefined,
): ResolvedOptions[K] {
  const base = defaults[name];
  for (const key of Object.keys(given ?? {})) {
    if (!(key in base)) fail(`${name}.${key}`, `one of ${Object.keys(base).join(', ')}`, key);
  }
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(given ?? {}))
    if (value !== undefined) merged[key] = value;
  return merged as unknown as ResolvedOptions[K];
}

function checkBatch(batch: BatchOptions): void {
  if (batch.maxBytes !== null) wholeNumber('batch.maxBytes', batch.maxBytes, 1, 2 ** 24);
  if (batch.maxDelayMs !== null) milliseconds('batch.maxDelayMs', batch.maxDelayMs, 0);
  if (typeof batch.flushOnSegment !== 'boolean') {
    fail('batch.flushOnSegment', 'true or false', batch.flushOnSegment);
  }
}

function headerPairs(given: Record<string, string> | HeaderPair[]): HeaderPair[] {
  const pairs = Array.isArray(given) ? given : Object.entries(given);
  for (const pair of pairs) {
    const [name, value] = pair;
    // RFC 9110 5.6.2: a field name is a token.
    if (typeof name !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      fail('extraHeaders', 'field names made of token characters (RFC 9110 5.6.2)', name);
    }
    headerValue(`extraHeaders.${name}`, value);
    const lower = name.toLowerCase();
    if (['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade'].includes(lower)) {
      fail(
        'extraHeaders',
        'without Host, Connection and framing fields, which the loader sets',
        name,
      );
    }
  }
  return pairs.map(([name, value]) => [name.toLowerCase(), value]);
}

function headerValue(name: string, value: unknown): string {
  // RFC 9110 5.5: visible characters, spaces and tabs; anything else could split the request.
  if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    fail(name, 'a string of visible characters (RFC 9110 5.5)', value);
  }
  return value;
}

function wholeNumber(name: string, value: unknown, least: number, most: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) {
    fail(name, `a whole number from ${least} to ${most}`, value);
  }
}

function milliseconds(name: string, value: unknown, least: number): void {
  const longest = 2 ** 31 - 1; // what a timer can hold
  if (typeof value !== 'number' || !(value >= least && value <= longest)) {
    fail(name, `milliseconds from ${least} to ${longest}`, value);
  }
}

function fail(name: string, rule: string, value: unknown): never {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  throw new LoaderError('invalid-option', `${name} must be ${rule}; got ${shown}`);
}
