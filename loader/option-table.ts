// Every option of a loader with its kind, default and description. `npm run options` writes the table of
// docs/options.md from it. Numbers carry their unit in their name; `null` (never 0) switches a rule off.

import type { Dispatcher } from 'undici';
import {
  any,
  milliseconds,
  oneOf,
  orNull,
  text,
  trueOrFalse,
  wholeNumber,
} from '../options/kinds.ts';
import {
  objectOf,
  option,
  optionWithoutDefault,
  section,
  type TableOf,
} from '../options/options.ts';
import type { HttpCache } from './cache/http-cache.ts';
import type { LimitOptions, LoaderOptions, TimeoutOptions } from './options.ts';
import { prefetchTable } from './prefetch/prefetch-options.ts';
import {
  type BatchOptions,
  type PipelineOptions,
  protocols,
  type TlsOptions,
} from './transport/transport-options.ts';

const batch = {
  maxBytes: option(
    orNull(wholeNumber, { least: 1, most: 2 ** 24 }),
    14_600,
    'Requests that fill this much are written at once; no write is larger unless one request is. Ten segments, what a fresh connection may send before it is answered (RFC 6928); the paper used 1,024. null: no such rule.',
  ),
  flushOnSegment: option(
    trueOrFalse(),
    true,
    'What one chunk of HTML yielded is written as soon as that chunk is scanned.',
  ),
  maxDelayMs: option(
    orNull(milliseconds, { least: 0 }),
    50,
    'How long a request may wait in the buffer when `flushOnSegment` is off. null: until the document ends.',
  ),
} satisfies TableOf<BatchOptions>;

const pipeline = {
  maxDepth: option(
    wholeNumber({ least: 1, most: 10_000 }),
    128,
    'Requests outstanding on one connection at most.',
  ),
  stallMs: option(
    milliseconds({ least: 1 }),
    1_000,
    'A pipeline whose head stays silent this long (or twice as long as the slowest answer of the connection so far, if that is more), after the connection served before, counts as broken: its head is asked for again.',
  ),
  fallbackConnections: option(
    wholeNumber({ least: 1, most: 64 }),
    6,
    'Connections used in place of one when a server proved to serve few requests on each.',
  ),
  relearnMs: option(
    milliseconds({ least: 0 }),
    60_000,
    'What broken pipelines taught of a server is forgotten after this long, when its next page begins.',
  ),
  settleMs: option(
    milliseconds({ least: 0 }),
    250,
    'How long, at most, a connection is watched for surplus bytes before its bodies are trusted.',
  ),
} satisfies TableOf<PipelineOptions>;

const timeouts = {
  connectMs: option(
    milliseconds({ least: 1 }),
    10_000,
    'Look-up, TCP and TLS of one connection together.',
  ),
  responseMs: option(
    milliseconds({ least: 1 }),
    15_000,
    'From being first in line on its connection to the first byte of the final response.',
  ),
  resourceMs: option(
    milliseconds({ least: 1 }),
    60_000,
    'From being first in line on its connection to the last byte.',
  ),
  pageMs: option(milliseconds({ least: 1 }), 120_000, 'The page with everything on it.'),
  minRateBytes: option(
    orNull(wholeNumber, { least: 1, most: 2 ** 31 }),
    500,
    'A body that brings fewer in `minRateWindowMs` is given up. null: no minimum.',
  ),
  minRateWindowMs: option(
    milliseconds({ least: 1 }),
    10_000,
    'The stretch of time that `minRateBytes` is about.',
  ),
} satisfies TableOf<TimeoutOptions>;

const limits = {
  maxHeaderBytes: option(
    wholeNumber({ least: 1 }),
    256 * 1024,
    'Header section of one response; Chromium takes as much.',
  ),
  maxResourceBytes: option(
    wholeNumber({}),
    64 * 1024 * 1024,
    'One body, as it comes and after decoding.',
  ),
  maxPageBytes: option(
    wholeNumber({}),
    256 * 1024 * 1024,
    'All bodies of a page together, after decoding.',
  ),
  maxInterimResponses: option(wholeNumber({}), 20, '1xx responses to one request.'),
  maxRedirects: option(wholeNumber({}), 10, 'Redirects behind one reference.'),
  maxReferences: option(wholeNumber({ least: 1 }), 1_000, 'Resources fetched for one page.'),
  maxUrlCharacters: option(
    wholeNumber({}),
    16_384,
    'Longest URL that is fetched; a longer one is a row with `invalid-url`.',
  ),
  maxCodings: option(wholeNumber({}), 2, 'Content codings on one response, one inside the other.'),
} satisfies TableOf<LimitOptions>;

const isPem = (value: unknown) => typeof value === 'string' || value instanceof Uint8Array;

const tls = {
  ca: optionWithoutDefault(
    any<NonNullable<TlsOptions['ca']>>(
      (value) => isPem(value) || (Array.isArray(value) && value.every(isPem)),
      'PEM in a string or Buffer, or a list of these',
    ),
    'Certificate authorities in PEM (a string, a Buffer, or a list of these) in place of the built-in ones. Each must hold a certificate that can be read.',
  ),
  verify: option(
    trueOrFalse(),
    true,
    'false: accept any certificate. Never switched off by itself.',
  ),
} satisfies TableOf<TlsOptions>;

const isDispatcher = (value: unknown) =>
  typeof (value as Dispatcher | null)?.dispatch === 'function';
const isCache = (value: unknown) => typeof (value as HttpCache | null)?.lookup === 'function';
const isObject = (value: unknown) => typeof value === 'object' && value !== null;

export const loaderTable = {
  protocol: option(
    oneOf(protocols),
    'auto',
    '`http1.0`: `Connection: close` on parallel connections. `persistent`: one request at a time on a connection. `pipelined`: requests run ahead of responses. `h2`: HTTP/2, by ALPN over TLS, by prior knowledge in clear. `auto`: h2 where ALPN gives it, else pipelined with fall back.',
  ),
  connections: option(
    orNull(wholeNumber, { least: 1, most: 64 }),
    null,
    'Connections per origin. null: 4 for http1.0, 6 for persistent, 1 for pipelined and h2; auto takes 6 for a page over HTTP/1.1 where the handshake took 20 ms or more, else 1.',
  ),
  batch: section(batch),
  pipeline: section(pipeline),
  timeouts: section(timeouts),
  limits: section(limits),
  tls: section(tls),
  headers: option(
    oneOf(['minimal', 'browser']),
    'minimal',
    '`minimal`: about 120 bytes for an image. `browser`: Accept by kind, Referer by policy, Origin, Sec-Fetch, client hints and the other fields Chromium sends, in its order; `userAgent` stays as it is set, and the client hints say what it says.',
  ),
  extraHeaders: option(
    // request/extra-headers.ts checks each name and value.
    any<NonNullable<LoaderOptions['extraHeaders']>>(
      isObject,
      'an object or a list of [name, value]',
    ),
    [],
    'Your own fields, `{ name: value }` or `[[name, value], ...]`. Sent to the origin of the URL that is loaded, and to no other, also after redirects; they override ours of the same name. Not Host, Connection and other fields that belong to the connection.',
  ),
  userAgent: option(
    // Other characters could split the request.
    text({
      rule: 'a string of visible characters (RFC 9110 5.5)',
      pattern: /^[\t\x20-\x7e\x80-\xff]*$/,
    }),
    'loadahead/0.1',
    'User-Agent of every request. An empty string: none is sent.',
  ),
  cookies: option(
    trueOrFalse(),
    true,
    'Keep cookies between the requests and the pages of a loader, as RFC 6265bis has it (SameSite, Secure, limits).',
  ),
  refusePrivateAddresses: option(
    trueOrFalse(),
    false,
    'Refuse to connect to any address that is not public (loopback, private, link-local and reserved ones), at every redirect and for every spelling. For use inside a service that loads what strangers name.',
  ),
  dispatcher: option(
    any<Dispatcher | null>(
      (value) => value === null || isDispatcher(value),
      'an undici Dispatcher, or null',
    ),
    null,
    "An undici `Dispatcher` (`ProxyAgent`, `MockAgent`, an `Agent` with interceptors) that sends the requests in place of the loader's own connections. Lost with it: batches, pipelining, retries of what a broken connection took along, and the times and addresses of connections; `protocol`, `connections`, `batch`, `pipeline`, `tls` and `refusePrivateAddresses` are refused. Close it yourself. null: own connections.",
  ),
  cache: option(
    any<HttpCache | null>(
      (value) => value === null || isCache(value),
      'what createHttpCache returns, or null',
    ),
    null,
    'Where responses are kept for reuse: what `createHttpCache(store)` returns ([caching](caching.md)). null: nowhere. Close it yourself.',
  ),
  images: option(
    oneOf(['whole', 'sizes-first']),
    'whole',
    '`sizes-first`: of every image the first bytes are asked for first, so that its width and height are known early; the rests follow in the order of the page.',
  ),
  imageFirstBytes: option(
    wholeNumber({ least: 1, most: 2 ** 20 }),
    512,
    'How many bytes `sizes-first` asks for first.',
  ),
  prefetch: option(
    orNull(() => objectOf(prefetchTable), {}),
    null,
    'Fetch what pages hint at into the cache while no page is loading ([prefetching](prefetching.md)); `{}` is all defaults. Needs `cache`. null: nothing is prefetched.',
  ),
} satisfies TableOf<LoaderOptions>;

export const loaderKind = objectOf(loaderTable);
