// Normalises URLs, so that one page is one node (RFC 3986 6.2.2, WHATWG URL): no fragment, default port or dot
// segments; %7e becomes ~, %2f becomes %2F, the host lower case. A path stays a path; an absolute URL stays absolute
// unless it belongs to the site. The function is idempotent. Several slashes at the start of a path become one, as
// servers read them; in a hint they would name another host. Rules for query strings:
//   evidence         pages with a query that page-query.ts finds harmless are learned, and hinted on evidence that they
//                    are public (model/graph/graph.ts); tracking parameters are removed, the others keep the order
//                    first seen; versioned files (/style.css?v=3), which sites use to bust caches, are hinted
//   drop-from-hints  URLs with a query are never hinted, nor learned on a site, because fetching them may act and
//                    they may contain personal data; except versioned files
//   keep             learned and hinted as they are
//   strip            the query is removed: /search?q=a is /search
//   [names]          only these parameters stay, sorted by name; the result is hinted
//
// Each page gets one spelling: that of the site's links, because under another a browser fetches the page twice:
//   queries  lose tracking parameters; the others keep the order in which the page was first seen. Only queries that
//            may be learned (page-query.ts) are remembered, so that searches and tokens cannot flush the table; the
//            order of other queries is kept.
//   escapes  `/%d0%bf`, `/%D0%BF` and `/п` are one page (RFC 3986 6.2.2); it has the spelling in which it was first
//            requested. A page that is known in its normal form keeps that form, so that nobody changes it by
//            requesting `/%6eews`.
// The tables hold the latest pages. A page that was evicted gets the spelling in which it is seen next.

import { also, anyOf, listOf, oneOf, orNull, text } from '../options/kinds.ts';
import { checked, type OptionsOf, objectOf, option } from '../options/options.ts';
import { LatestMap } from '../process/latest-map.ts';
import { ownText } from '../process/text-memo.ts';
import { type AccessKind, longestUrl } from './access.ts';
import { invalidOption } from './errors.ts';
import { kindOfPath } from './rules/access-kind.ts';
import { isPagePath, isPageQuery, mostParameters } from './rules/page-query.ts';

export type QueryRule = 'evidence' | 'drop-from-hints' | 'keep' | 'strip' | readonly string[];

/** The names of the rules for query strings; one more rule is a list of parameters. */
const queryRules = ['evidence', 'drop-from-hints', 'keep', 'strip'] as const;
export const usualQuery = 'evidence';
const queryRule = `${queryRules.join(', ')} or a list of parameter names`;

const queryKind = anyOf(
  [oneOf(queryRules), listOf(text({ rule: 'the name of a parameter' }), queryRule)],
  queryRule,
);

/** Returns the kind (schema and reader) of an option whose value is an origin, such as `https://example.com`. */
export function originKind({ or }: { or?: string }) {
  const rule = 'an http or https origin';
  const kind = text({ rule, pattern: /^https?:\/\//i, ...(or !== undefined && { or }) });
  return also(kind, (origin) => URL.canParse(origin), rule);
}

export const normaliseTable = {
  /**
   * URLs with a query. `evidence` hints pages whose query looks harmless once five clients fetched them, and files
   * whose query is a version (`/a.css?v=3`); `drop-from-hints` hints only such files, `keep` hints all URLs, `strip`
   * removes the query; a list names the parameters to keep.
   */
  query: option(queryKind, usualQuery, {
    flag: '--query <rule>',
    help: 'queries: evidence, drop-from-hints, keep, strip, or parameters to keep',
  }),
  /**
   * Origin of the site. Absolute URLs of this origin become paths, all others are refused. null: absolute URLs are
   * kept.
   */
  origin: option(orNull(originKind, {}), null, {
    flag: '--origin <url>',
    help: 'origin of the site: its absolute URLs become paths, others are refused',
    written: originKind({}),
  }),
};

export type NormaliseOptions = OptionsOf<typeof normaliseTable>;

/**
 * Returns a function that normalises a URL, or returns null if it is neither a path nor an http or https URL, or too
 * long. With the query rule `evidence` the function remembers the order of parameters of the last 10,000 pages.
 * @param isKnown Whether a path in normal form is a known page: escapes in its path then stay as they were first seen,
 * because a browser finds a prefetched page only under the spelling of the link. Absent: they get their normal form
 * @throws PrefetchdError `invalid-option`
 */
export function urlNormaliser(
  options: NormaliseOptions = {},
  isKnown?: (path: string) => boolean,
): (raw: string) => string | null {
  const { query, origin } = checked(objectOf(normaliseTable), options, invalidOption);
  const site = origin === null ? null : new URL(origin).origin;
  const pages = query === 'evidence' ? new QuerySpelling() : null;
  const paths = isKnown === undefined ? null : new PathSpelling(isKnown);
  return (raw) => {
    if (raw.length > longestUrl) return null;
    const isPath = raw.startsWith('/');
    if (!isPath && !/^https?:\/\//i.test(raw)) return null;
    const parsed = URL.parse(isPath ? `http://path.invalid${raw}` : raw);
    if (parsed === null || parsed.hostname === '') return null;
    const isOfSite = isPath || parsed.origin === site;
    const normal = normalPercents(parsed.pathname);
    const given = paths?.of(normal, parsed.pathname) ?? normal;
    const path = isOfSite ? given.replace(/^\/+/, '/') : given;
    const page = isOfSite ? path : parsed.origin + path;
    const search = normalPercents(searchBy(query, parsed));
    const url = pages === null ? page + search : pages.spelledAsBefore(page, search);
    return url.length > longestUrl ? null : url;
  };
}

/** Returns a function that returns whether the query rule lets a normalised URL be hinted, for a predictor's
 *  `mayHint`. */
export function queryMayBeHinted(
  query: QueryRule = usualQuery,
): (url: string, kind: AccessKind) => boolean {
  checkRule(query);
  if (query === 'evidence') return mayBePage;
  if (query !== 'drop-from-hints') return () => true;
  return (url, kind) => !url.includes('?') || (kind === 'object' && isVersioned(url));
}

function mayBePage(url: string, kind: AccessKind): boolean {
  const pathEnd = url.indexOf('?');
  if (pathEnd === -1) return true;
  if (kind === 'object') return isVersioned(url);
  const path = url.slice(0, pathEnd);
  if (kindOfPath(path) !== 'document' || !isPagePath(path)) return false;
  return isPageQuery(url.slice(pathEnd + 1));
}

/** Returns whether a file has a version, by a usual parameter or a bare number (`app.css?1478862001`). */
function isVersioned(url: string): boolean {
  return /^[^?]*\.[a-z0-9]{1,12}\?(?:(?:v|ver|version|rev|revision|build|hash|ts|cb|_)=|(?=[^=]*\d))[\w.-]{1,40}$/i.test(
    url,
  );
}

function searchBy(query: QueryRule, url: URL): string {
  if (query === 'strip') return '';
  if (typeof query === 'string') return url.search;
  const kept = url.search
    .slice(1)
    .split('&')
    .map((pair) => ({ pair, name: parameterName(pair) }))
    .filter(({ pair, name }) => pair !== '' && query.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return kept.length === 0 ? '' : `?${kept.map(({ pair }) => pair).join('&')}`;
}

function parameterName(pair: string): string {
  return new URLSearchParams(pair).keys().next().value ?? '';
}

/** Normalises %7E to ~ and %2f to %2F (RFC 3986 6.2.2.1, 6.2.2.2); invalid escapes are kept. */
function normalPercents(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(character) ? character : escaped.toUpperCase();
  });
}

function checkRule(query: QueryRule): void {
  checked(queryKind, query, invalidOption, { name: 'query' });
}

/** Parses the origin of a site. @throws PrefetchdError `invalid-option` */
export function siteOf(origin: string): URL {
  return new URL(checked(originKind({}), origin, invalidOption, { name: 'origin' }));
}

/** Returns the origin of a normalised URL; a page and its hints have the same one. '' for a path of the site. */
export function originOf(url: string): string {
  if (url.charCodeAt(0) === 47) return '';
  const end = url.indexOf('/', url.indexOf('//') + 2);
  return end === -1 ? url : url.slice(0, end);
}

const mostPages = 10_000;
const mostPaths = 5_000;
/** Longest URL, in characters, that keeps its parameters in the order first seen; in a longer one, they are sorted. */
const longestPage = 512;

class QuerySpelling {
  /** The URL in which each page was first seen, by its URL with sorted parameters. */
  readonly #pages = new LatestMap<string, string>(mostPages);

  /** Returns the page's URL with its parameters in the order first seen; a file keeps its query (`/a.css?v=3`). @param
   *  search query with `?`, or empty */
  spelledAsBefore(path: string, search: string): string {
    if (search === '' || kindOfPath(path) === 'object') return path + search;
    const pairs = search.slice(1).split('&').filter(isKept);
    if (pairs.length === 0) return path;
    const page = `${path}?${pairs.join('&')}`;
    if (pairs.length === 1 || pairs.length > mostParameters) return page;
    const sorted = `${path}?${pairs.toSorted().join('&')}`;
    const known = this.#pages.get(sorted);
    if (known !== undefined) return known;
    if (!isPageQuery(page.slice(path.length + 1))) return page;
    if (page.length > longestPage) return sorted;
    this.#pages.set(sorted, ownText(page));
    return page;
  }
}

class PathSpelling {
  readonly #isKnown: (path: string) => boolean;
  readonly #spellings = new LatestMap<string, string>(mostPaths);

  constructor(isKnown: (path: string) => boolean) {
    this.#isKnown = isKnown;
  }

  /** Returns the spelling in which the path was first requested, for all its spellings. @param normal the normal form
   *  of the path @param path the path as it was sent */
  of(normal: string, path: string): string {
    const known = this.#spellings.get(normal);
    if (known !== undefined) return known;
    if (!path.includes('%') || (path !== normal && this.#isKnown(normal))) return normal;
    this.#spellings.set(ownText(normal), ownText(path));
    return path;
  }
}

function isKept(pair: string): boolean {
  if (pair === '') return false;
  const equals = pair.indexOf('=');
  const name = equals === -1 ? pair : pair.slice(0, equals);
  return !isTrackingParameter(name.includes('%') ? decodedName(name) : name);
}

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const trackingPrefixes = /^(?:utm|hsa|mtm|piwik|matomo|oly|vero|_bta)_/;

const trackingNames = new Set(
  `gclid gclsrc gbraid wbraid dclid gad_source gad_campaignid srsltid _ga _gl _gac _gid
   fbclid fb_action_ids fb_action_types fb_ref fb_source igshid igsh mibextid
   msclkid twclid ttclid li_fat_id epik rdt_cid sccid irclickid irgwc cjevent ranmid raneaid ransiteid
   yclid ysclid ymclid _openstat pk_campaign pk_kwd pk_keyword pk_source pk_medium pk_content pk_cid
   itm_source itm_medium itm_campaign itm_content itm_term at_medium at_campaign
   mc_cid mc_eid mkt_tok _hsenc _hsmi __hssc __hstc __hsfp hsctatracking _kx dm_i ml_subscriber ml_subscriber_hash
   rb_clickid wickedid s_cid s_kwcid wt_mc wt.mc_id ef_id
   ref_src ref_url __s guccounter guce_referrer guce_referrer_sig wprov sfnsn spm _branch_match_id
   _branch_referrer`.split(/\s+/),
);

/**
 * Returns whether a parameter is one by which campaigns, advertisers, newsletters and analytics count where visitors
 * come from. They do not choose the page, so a page is one node with and without them. Names are case-insensitive. The
 * list has only names that no site uses for anything else: dropping one that chooses the page would make two pages one.
 * @param name decoded
 */
function isTrackingParameter(name: string): boolean {
  const lower = name.toLowerCase();
  return trackingNames.has(lower) || trackingPrefixes.test(lower);
}
