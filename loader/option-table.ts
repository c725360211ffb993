// Every option of a loader with its kind, default and description. `npm run options` generates the table in
// docs/options.md from it. The names of numbers include their unit; `null` (never 0) turns a rule off.

import type { Dispatcher } from 'undici';
import { longestHold } from '../http/hold-line.ts';
import {
  aFunction,
  any,
  anyOf,
  listOf,
  milliseconds,
  oneOf,
  oneOfOr,
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
import { discoveryTable } from './discovery-options.ts';
import type { Layer } from './layer.ts';
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
    'Buffered requests are written once they reach this size; only a single larger request exceeds it. The default is the initial window of a connection, ten segments (RFC 6928). null: no limit.',
  ),
  flushOnSegment: option(
    trueOrFalse(),
    true,
    'Write the requests found in a chunk of HTML when the chunk is scanned, or when the HTML ends if that is near (`maxEndWaitMs`).',
  ),
  maxDelayMs: option(
    orNull(milliseconds, { least: 0 }),
    50,
    'Longest time a request is buffered if `flushOnSegment` is false. null: until the document ends.',
  ),
  maxEndWaitMs: option(
    orNull(milliseconds, { least: 0 }),
    null,
    'Longest time that the requests of an HTML chunk wait for the end of the HTML, if at most ten segments are missing and seem to come in time. They then leave together and acknowledge it; a server that leaves Nagle on would otherwise wait for the acknowledgment, a round trip or 40 ms. In cleartext only. null: a quarter of a round trip, at most 25 ms. 0: they do not wait.',
  ),
} satisfies TableOf<BatchOptions>;

const pipeline = {
  maxDepth: option(
    wholeNumber({ least: 1, most: 10_000 }),
    128,
    'Most outstanding requests on a connection. `auto` has twelve at most where its connection is the only one, unless it revalidates.',
  ),
  stallMs: option(
    milliseconds({ least: 1 }),
    1_000,
    'Longest silence of a connection that has already responded, or twice its slowest response if that is longer. After that the pipeline is broken, and its first request is sent again.',
  ),
  fallbackConnections: option(
    wholeNumber({ least: 1, most: 64 }),
    6,
    'Most connections to a server that serves few requests per connection or breaks pipelines.',
  ),
  relearnMs: option(
    milliseconds({ least: 0 }),
    60_000,
    'Broken pipelines of a server are forgotten after this time, when its next page starts.',
  ),
  settleMs: option(
    milliseconds({ least: 0 }),
    250,
    'Longest time a connection is watched for surplus bytes before its bodies are trusted.',
  ),
} satisfies TableOf<PipelineOptions>;

const timeouts = {
  connectMs: option(
    milliseconds({ least: 1 }),
    10_000,
    'DNS, TCP and TLS of one connection together.',
  ),
  responseMs: option(
    milliseconds({ least: 1 }),
    15_000,
    'From the request being next on its connection to the first byte of the final response.',
  ),
  resourceMs: option(
    milliseconds({ least: 1 }),
    60_000,
    'From the request being next on its connection to the last byte of the response.',
  ),
  pageMs: option(milliseconds({ least: 1 }), 120_000, 'The page with all its resources.'),
  minRateBytes: option(
    orNull(wholeNumber, { least: 1, most: 2 ** 31 }),
    500,
    'Fewest bytes of a body per `minRateWindowMs`; a slower one is cancelled. null: no minimum.',
  ),
  minRateWindowMs: option(milliseconds({ least: 1 }), 10_000, 'Interval of `minRateBytes`.'),
} satisfies TableOf<TimeoutOptions>;

const limits = {
  maxHeaderBytes: option(
    wholeNumber({ least: 1 }),
    256 * 1024,
    'Header section of one response, as in Chromium.',
  ),
  maxResourceBytes: option(
    wholeNumber({}),
    64 * 1024 * 1024,
    'One body, both encoded and decoded.',
  ),
  maxPageBytes: option(
    wholeNumber({}),
    256 * 1024 * 1024,
    'All bodies of a page together, decoded.',
  ),
  maxInterimResponses: option(wholeNumber({}), 20, '1xx responses to one request.'),
  maxRedirects: option(wholeNumber({}), 10, 'Redirects per resource.'),
  maxReferences: option(wholeNumber({ least: 1 }), 1_000, 'Resources per page.'),
  maxDepth: option(
    wholeNumber({ least: 1, most: 1_000 }),
    16,
    'Style sheets or modules that lead from one to the next.',
  ),
  maxUrlCharacters: option(
    wholeNumber({}),
    16_384,
    'Length of a URL; a longer one is not fetched and reported with `invalid-url`.',
  ),
  maxCodings: option(wholeNumber({}), 2, 'Nested content codings of one response.'),
} satisfies TableOf<LimitOptions>;

const isPem = (value: unknown) => typeof value === 'string' || value instanceof Uint8Array;

const tls = {
  ca: optionWithoutDefault(
    any<NonNullable<TlsOptions['ca']>>(
      (value) => isPem(value) || (Array.isArray(value) && value.every(isPem)),
      'PEM in a string or Buffer, or a list of these',
    ),
    'Certificate authorities that replace the built-in ones: PEM in a string, a Buffer, or a list of these. Each must contain a valid certificate.',
  ),
  verify: option(trueOrFalse(), true, 'Verify server certificates. false: accept any.'),
} satisfies TableOf<TlsOptions>;

const isDispatcher = (value: unknown) =>
  typeof (value as Dispatcher | null)?.dispatch === 'function';
const isCache = (value: unknown) => typeof (value as HttpCache | null)?.lookup === 'function';
const isObject = (value: unknown) => typeof value === 'object' && value !== null;

export const loaderTable = {
  protocol: option(
    oneOf(protocols),
    'auto',
    '`http1.0`: a connection for each request, with that version and `Connection: close`. `persistent`: one request at a time per connection. `pipelined`: requests do not wait for responses. `h2`: HTTP/2 by ALPN, or by prior knowledge without TLS. `auto`: h2 if ALPN selects it, else pipelined with fallback.',
  ),
  connections: option(
    orNull(wholeNumber, { least: 1, most: 64 }),
    null,
    'Connections per origin. null: 4 for http1.0, 6 for persistent, 1 for pipelined and h2; for auto 6 if a page comes over HTTP/1.1 and the handshake took 2 ms or more, else 1.',
  ),
  batch: section(batch),
  pipeline: section(pipeline),
  holdLine: option(
    anyOf(
      [trueOrFalse(), wholeNumber({ least: 1, most: longestHold })],
      `true, false or seconds, a whole number from 1 to ${longestHold}`,
    ),
    false,
    'Send `Hold-Line`, which asks the server to keep an idle HTTP/1.x connection ([protocol](protocol.md#hold-line)). true: without a time. A number: for these seconds. With `http1.0`, a connection whose reply grants it carries the next request.',
  ),
  timeouts: section(timeouts),
  limits: section(limits),
  tls: section(tls),
  discovery: section(discoveryTable),
  headers: option(
    oneOf(['minimal', 'browser']),
    'minimal',
    '`minimal`: about 120 bytes for an image. `browser`: the fields Chromium sends, in its order (Accept, Referer, Origin, Sec-Fetch, client hints); client hints match `userAgent`.',
  ),
  extraHeaders: option(
    // request/extra-headers.ts checks each name and value.
    any<NonNullable<LoaderOptions['extraHeaders']>>(
      isObject,
      'an object or a list of [name, value]',
    ),
    [],
    'Additional request fields, `{ name: value }` or `[[name, value], ...]`. They override built-in ones and are sent only to the origin of the loaded URL, also after redirects. Host, Connection and other connection fields are refused.',
  ),
  userAgent: option(
    // Other characters could split the request.
    text({
      rule: 'a string of visible characters (RFC 9110 5.5)',
      pattern: /^[\t\x20-\x7e\x80-\xff]*$/,
    }),
    'loadahead/0.1',
    'User-Agent of all requests. An empty string: none.',
  ),
  cookies: option(
    trueOrFalse(),
    true,
    'Keep cookies between the requests and pages of a loader, by RFC 6265bis (SameSite, Secure, limits).',
  ),
  tolerant: option(
    trueOrFalse(),
    true,
    'Request a response again that has faults which browsers take ([list](errors.md#tolerated-faults)), on a connection of its own that is closed after it, and read it. `quirks` of the row names them; nothing of it is stored. createFetch: false.',
  ),
  refusePrivateAddresses: option(
    trueOrFalse(),
    false,
    'Refuse connections to loopback, private, link-local and reserved addresses in any notation, also after redirects. Set it if strangers choose the URLs.',
  ),
  dispatcher: option(
    any<Dispatcher | null>(
      (value) => value === null || isDispatcher(value),
      'an undici Dispatcher, or null',
    ),
    null,
    "An undici `Dispatcher` (`ProxyAgent`, `MockAgent`) that sends the requests. It has no batches, pipelining, retries after a broken connection, or times and addresses of connections; `protocol`, `connections`, `batch`, `pipeline`, `holdLine`, `tls`, `tolerant` and `refusePrivateAddresses` are refused with it. You close it. null: the loader's own connections.",
  ),
  cache: option(
    any<HttpCache | null>(
      (value) => value === null || isCache(value),
      'what createHttpCache returns, or null',
    ),
    null,
    'Cache of responses, from `createHttpCache(store)` ([caching](caching.md)). You close it. null: no cache.',
  ),
  getAll: option(
    oneOfOr(['auto']),
    'auto',
    'Ask for a page and what it names of its origin in one response, with the Get-All field ([caching](caching.md#a-page-in-one-response)). `auto`: on the first visit of a page whose origin said that it knows the field. true: always; a server that does not know it answers as usual. false: never.',
  ),
  dictionaries: option(
    trueOrFalse(),
    true,
    'Offer stored responses as dictionaries, so that a page can come as its difference to another (RFC 9842, [shared dictionaries](protocol.md#shared-dictionaries)). Over https and to this machine only; it needs `cache`, and a Node that has `URLPattern` (23.8 and later).',
  ),
  images: option(
    oneOf(['whole', 'sizes-first']),
    'whole',
    '`sizes-first`: request the first bytes of each image first, so that its dimensions are known early; the rest follows in page order.',
  ),
  imageFirstBytes: option(
    wholeNumber({ least: 1, most: 2 ** 20 }),
    512,
    'Bytes that `sizes-first` requests first.',
  ),
  prefetch: option(
    orNull(() => objectOf(prefetchTable), {}),
    null,
    'Fetch hinted URLs into the cache while no page is loading ([prefetching](prefetching.md)). `{}`: with the defaults below; needs `cache`. null: off.',
  ),
  layers: option(
    listOf(aFunction<Layer>(), 'a list of functions'),
    [],
    'Functions `(dispatch) => (request, handler) => dispatch(request, handler)` around each request to the network, the outermost first (`examples/wrap-requests.js`): they add fields, look at responses, answer themselves. The cache does not see fields that they add.',
  ),
} satisfies TableOf<LoaderOptions>;

export const loaderKind = objectOf(loaderTable);
