// Every option of a loader with its kind, default and description. `npm run options` generates the table in
// docs/options.md from it. The options are validated once, when the loader is created: each one by itself by the table,
// then rules that involve several options, the content of a certificate, or the header fields that users add: fields
// that the loader controls are refused, as is any name or value that could split a request or change its framing. The
// options of a single load have a table of their own.

import type { HeaderPair } from '../http/header-pairs.ts';
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
  timeOrMs,
  trueOrFalse,
  wholeNumber,
} from '../options/kinds.ts';
import {
  checked,
  isOf,
  joined,
  type Kind,
  type OptionsOf,
  objectOf,
  option,
  optionWithoutDefault,
  section,
  type ValuesOf,
} from '../options/options.ts';
import { about, refusal } from '../options/refusal.ts';
import { product } from '../process/version.ts';
import { cacheModes, type HttpCache } from './cache/http-cache.ts';
import { discoveryKind } from './discovery-options.ts';
import { invalidOption } from './errors.ts';
import type { Layer } from './layer.ts';
import type { LoadProgress } from './page/page-progress.ts';
import { prefetchConstants, prefetchKind } from './prefetch/prefetch-options.ts';
import { authorityFault } from './transport/connect/connect-faults.ts';
import {
  transportConstants,
  transportTable,
  transportTimeouts,
} from './transport/transport-options.ts';

const pageTimeouts = {
  /**
   * Time limit for the page with all its resources. One response may take half of it, or 60 s if that is longer, from
   * the moment when its request is next on its connection to the last byte.
   */
  pageMs: option(milliseconds({ least: 1 }), 120_000, {
    flag: '--timeout <time>',
    help: 'give up on a page after this time',
    written: timeOrMs({ least: 1 }),
  }),
};

const pageLimits = {
  /**
   * Largest length of one body, both encoded and decoded. All decoded bodies of a page together may have four times as
   * many bytes.
   */
  maxResourceBytes: option(wholeNumber({}), 64 * 1024 * 1024),
};

/** Limits on the duration of each step of a load, measured on a monotonic clock. */
export type TimeoutOptions = OptionsOf<typeof transportTimeouts> & OptionsOf<typeof pageTimeouts>;
const timeoutTable = { ...transportTimeouts, ...pageTimeouts };
const timeoutKind: Kind<ValuesOf<typeof timeoutTable>, TimeoutOptions> = objectOf(timeoutTable);

/** Limits on what a hostile or broken server can make the loader store or do. */
export type LimitOptions = OptionsOf<typeof pageLimits>;
const limitKind: Kind<ValuesOf<typeof pageLimits>, LimitOptions> = objectOf(pageLimits);

const isHold = (value: unknown) => isOf(wholeNumber({ least: 1, most: longestHold }), value);
const isCache = (value: unknown) => typeof (value as HttpCache | null)?.lookup === 'function';
const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/** Options that mean nothing for a single request, so that `createFetch` refuses them. */
const pageTable = {
  discovery: section(discoveryKind),
  /**
   * `minimal`: few fields, about 120 bytes for an image. `browser`: the fields Chromium sends, in its order (Accept,
   * Referer, Origin, Sec-Fetch, client hints); client hints match the User-Agent.
   */
  headers: option(oneOf(['minimal', 'browser']), 'minimal', {
    flag: '--headers <set>',
    help: 'request headers: few, or those Chromium sends',
  }),
  /**
   * Ask for a page and the resources of its origin that it names in one response, with the Get-All field
   * ([caching](loader.md#a-page-in-one-response)). `auto`: on the first visit of a page whose origin said that it knows
   * the field. true: always; a server that does not know the field answers as usual. false: never.
   */
  getAll: option(oneOfOr(['auto']), 'auto', {
    flag: '--get-all',
    help: 'ask for a page and what it names in one response (Get-All)',
    never: 'never; default: of servers that said they can, on first visits',
  }),
  /**
   * Offer stored responses as dictionaries, so that a page can come as its difference to another (RFC 9842, [shared
   * dictionaries](protocol.md#shared-dictionaries)). This works only over https or to this machine; it needs `cache`,
   * and a Node that has `URLPattern` (23.8 and later).
   */
  dictionaries: option(trueOrFalse(), true, {
    flag: '--no-dictionaries',
    help: 'offer no cached page for the next to differ from (RFC 9842)',
  }),
  /**
   * `sizes-first`: request the first bytes of each image first, so that its dimensions are known early; the rest
   * follows in page order.
   */
  images: option(oneOf(['whole', 'sizes-first']), 'whole', {
    flag: '--images <how>',
    help: 'whole, or the first bytes of every image before the rest of any',
  }),
  /**
   * Fetch hinted URLs into the cache while no page is loading ([prefetching](loader.md#prefetching)); needs `cache`.
   * `{}`: with default limits. null: off.
   */
  prefetch: option(
    orNull(() => prefetchKind, {}),
    null,
  ),
  /**
   * Functions `(dispatch) => (request, handler) => dispatch(request, handler)` around each request to the network, the
   * outermost first (`examples/wrap-requests.js`): they may add fields, look at responses, or answer requests
   * themselves. The cache does not see fields that they add.
   */
  layers: option(listOf(aFunction<Layer>(), 'a list of functions'), []),
};

/** Names of the options that apply only to loads of pages. */
export const ofPages = [
  'batch',
  ...(Object.keys(pageTable) as (keyof typeof pageTable)[]),
] as const;

const ownTable = {
  /**
   * Send `Hold-Line`, which asks the server to keep an idle HTTP/1.x connection ([protocol](protocol.md#hold-line)).
   * true: the request names no time. A number: it asks for that many seconds. With `http1.0`, a connection carries the
   * next request if the server's reply grants this.
   */
  holdLine: option(
    anyOf(
      [trueOrFalse(), wholeNumber({ least: 1, most: longestHold })],
      `true, false or seconds, a whole number from 1 to ${longestHold}`,
    ),
    false,
    {
      flag: '--hold-line [seconds]',
      help: 'ask servers to hold idle connections (1994); put it after the URL, or write --hold-line=5',
      written: any<number>(
        isHold,
        `seconds, a whole number from 1 to ${longestHold}; without them, put the flag behind the URL`,
      ),
    },
  ),
  timeouts: section(timeoutKind),
  limits: section(limitKind),
  /**
   * Additional request fields, `{ name: value }` or `[[name, value], ...]`. They override built-in ones and are sent
   * only to the origin of the loaded URL, also after redirects; but a User-Agent, which is no secret, is sent with all
   * requests, and an empty one leaves the field out. Host, Connection and other connection fields are refused.
   */
  extraHeaders: option(
    // `extraHeaderPairs` checks each name and value.
    any<Record<string, string> | HeaderPair[]>(isObject, 'an object or a list of [name, value]'),
    [],
    {
      flag: '--header <field>',
      help: "send 'Name: value' to the page's origin; repeatable",
      written: listOf(text({ rule: "written as 'Name: value'", pattern: /^[^:\s]+:/ }), 'a list'),
      isRepeated: true,
    },
  ),
  /** Keep cookies between the requests and pages of a loader, by RFC 6265bis (SameSite, Secure, limits). */
  cookies: option(trueOrFalse(), true, {
    flag: '--no-cookies',
    help: 'neither keep nor send cookies',
  }),
  /** Cache of responses, from `createHttpCache(store)` ([caching](loader.md#caching)). You close it. null: no cache. */
  cache: option(
    orNull(() => any<HttpCache>(isCache, 'what createHttpCache returns, or null'), {}),
    null,
  ),
};

export type LoaderOptions = OptionsOf<typeof transportTable> &
  OptionsOf<typeof ownTable> &
  OptionsOf<typeof pageTable>;

export const loaderTable = { ...transportTable, ...ownTable, ...pageTable };

export const loaderKind = objectOf(loaderTable);

/** Settings that no caller needs to change; tests and measurements change them by `withConstants`. */
const constantsOf = ({ timeouts, limits }: ValuesOf<typeof loaderTable>) => ({
  ...transportConstants,
  timeouts: {
    ...transportConstants.timeouts,
    /**
     * Time limit of one response: half of the page's, so that the requests behind a response that never ends have the
     * other half. At least 60 s, so that on a page with a short deadline no response fails that could still be in time.
     */
    resourceMs: Math.max(60_000, timeouts.pageMs / 2),
  },
  limits: {
    ...transportConstants.limits,
    /**
     * Limit on all decoded bodies of a page together, bytes: it has room for four of the largest size. No honest page
     * has more bodies of that size, and many small bodies stay below the limit.
     */
    maxPageBytes: 4 * limits.maxResourceBytes,
    /** Limit on the redirects of one resource; sites need two or three. */
    maxRedirects: 10,
    /** Limit on the resources of one page, above what real pages have; a hostile page may name millions. */
    maxReferences: 5_000,
    /** Limit on the length of a chain of style sheets or modules, each of which names the next. */
    maxDepth: 16,
    /** Longest URL, characters; a longer one is reported with `invalid-url` and not fetched. */
    maxUrlCharacters: 16_384,
    /** Limit on the nested content codings of one response; no known server sends more. */
    maxCodings: 2,
  },
  ...prefetchConstants,
  /** The User-Agent of all requests, unless `extraHeaders` has one. */
  userAgent: product,
  /** Number of bytes of an image that `sizes-first` requests first; in any format they usually contain the size. */
  imageFirstBytes: 512,
});

export type ResolvedOptions = Omit<ValuesOf<typeof loaderTable>, 'extraHeaders'> &
  ReturnType<typeof constantsOf> & { extraHeaders: HeaderPair[] };
export type LoaderLimits = ResolvedOptions['limits'];

/** Options of the loader's own connections; they are refused if the caller supplies a dispatcher. */
const ofOurConnections = [
  'protocol',
  'connections',
  'batch',
  'holdLine',
  'tls',
  'refusePrivateAddresses',
] as const;

/**
 * Validates the options and fills in all defaults.
 * @throws LoaderError `invalid-option` with the option, the rule and the value.
 */
export function resolveOptions(options: LoaderOptions = {}): ResolvedOptions {
  const given = checked(loaderKind, options, invalidOption);
  const { ca } = given.tls;
  for (const authority of ca === undefined ? [] : [ca].flat()) {
    const fault = authorityFault(authority);
    const why = `must be certificates in PEM; one entry ${fault}`;
    if (fault !== null) invalidOption(...about('tls.ca', why));
  }
  if (given.dispatcher !== null) {
    const idle = ofOurConnections.find((name) => options[name] !== undefined);
    const why = 'must be left out with a dispatcher, whose connections it cannot affect';
    if (idle !== undefined) invalidOption(...about(idle, why));
  }
  if (given.prefetch !== null && given.cache === null) {
    const why = 'must be used with a cache, which stores prefetched responses';
    invalidOption(...about('prefetch', why));
  }
  const resolved = joined(given, constantsOf(given), options);
  const pairs = extraHeaderPairs(given.extraHeaders);
  const { 'user-agent': userAgent = resolved.userAgent } = Object.fromEntries(pairs);
  return { ...resolved, userAgent, extraHeaders: pairs.filter(([name]) => name !== 'user-agent') };
}

/** Fields about the connection or the framing of a message (RFC 9110 7.6.1, 8.6, 10.1.1). */
export const connectionFields: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Validates the fields that the user adds to requests; returns names in lower case.
 * @throws LoaderError `invalid-option`
 */
export function extraHeaderPairs(given: Record<string, string> | HeaderPair[]): HeaderPair[] {
  const pairs: unknown[] = Array.isArray(given) ? given : Object.entries(given);
  return pairs.map((pair, index) => {
    if (!Array.isArray(pair) || pair.length !== 2) {
      fail(`extraHeaders[${index}]`, 'a pair [name, value]', pair);
    }
    const [name, value] = pair;
    // A field name is a token (RFC 9110 5.6.2).
    if (typeof name !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      fail('extraHeaders', 'named by token characters (RFC 9110 5.6.2)', name);
    }
    const lower = name.toLowerCase();
    if (connectionFields.has(lower)) {
      const rule = 'fields that the loader does not set, as it does Host and those of framing';
      fail('extraHeaders', rule, name);
    }
    if (!isFieldValue(value)) {
      fail(`extraHeaders.${name}`, 'a string of visible characters (RFC 9110 5.5)', value);
    }
    return [lower, value];
  });
}

/** Whether the value has only visible characters, spaces and tabs (RFC 9110 5.5); others could split the request. */
function isFieldValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function fail(place: string, rule: string, value: unknown): never {
  return invalidOption(...refusal(place, rule, value));
}

export const loadTable = {
  /** Aborts the load, which then rejects with the signal's reason. */
  signal: optionWithoutDefault(
    any<AbortSignal>((value) => value instanceof AbortSignal, 'an AbortSignal'),
  ),
  /** Called often: whenever a resource is found or done, or bytes have arrived. */
  onProgress: optionWithoutDefault(aFunction<(progress: LoadProgress) => void>()),
  /**
   * Called with each complete, decoded body, unless its resource failed; called again if the response had to be fetched
   * again. An error that it throws stops the load.
   */
  onBody: optionWithoutDefault(aFunction<(url: string, body: Buffer) => void>()),
  /** Request cache mode of the Fetch Standard. `no-cache` revalidates every response. */
  cacheMode: option(oneOf(cacheModes), 'default', {
    flag: '--cache-mode <mode>',
    help: 'how --cache is used: as HTTP says ({default}), no-cache validates everything, ...',
  }),
};

export type LoadOptions = OptionsOf<typeof loadTable>;

const { prefetch: _, ...usualTable } = loaderTable;

/** The options of a loader but `prefetch`: `loadPage` has no next page, and a walk has that option itself. */
export const usualKind = objectOf(usualTable);

/** The options of `loadPage`. */
export const loadPageTable = { ...usualTable, ...loadTable };

/** Validates the options of one load. @throws LoaderError `invalid-option` */
export function checkLoadOptions(options: LoadOptions): void {
  checked(objectOf(loadTable), options, invalidOption, { noun: 'option of one load ' });
}
