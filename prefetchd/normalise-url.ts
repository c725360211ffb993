// Normalises URLs, so that one page is one node (RFC 3986 6.2.2, WHATWG URL): no fragment, default port or dot
// segments; %7e becomes ~, %2f becomes %2F, the host lower case. A path stays a path; an absolute URL stays absolute
// unless it belongs to the site. The function is idempotent. Several slashes at the start of a path become one, as
// servers read them; in a hint they would name another host. Rules for query strings:
//   evidence         pages with a query that page-query.ts finds harmless are learned, and hinted on evidence that they
//                    are public (model/graph/graph.ts); without tracking parameters, and with the others in the
//                    order first seen (url-spelling.ts); versioned files (/style.css?v=3), which sites use to bust
//                    caches, are hinted
//   drop-from-hints  URLs with a query are never hinted, nor learned on a site, because fetching them may act and
//                    they may contain personal data; except versioned files
//   keep             learned and hinted as they are
//   strip            the query is removed: /search?q=a is /search
//   [names]          only these parameters stay, sorted by name; the result is hinted

import { also, anyOf, listOf, oneOf, text } from '../options/kinds.ts';
import { checked } from '../options/options.ts';
import type { AccessKind } from './access.ts';
import { invalidOption } from './errors.ts';
import { kindOfPath } from './rules/access-kind.ts';
import { isPagePath, isPageQuery } from './rules/page-query.ts';
import { PathSpelling, QuerySpelling } from './rules/url-spelling.ts';

export type QueryRule = 'evidence' | 'drop-from-hints' | 'keep' | 'strip' | readonly string[];

/** The names of the rules for query strings; one more rule is a list of parameters. */
const queryRules = ['evidence', 'drop-from-hints', 'keep', 'strip'] as const;
const queryRule = `${queryRules.join(', ')} or a list of parameter names`;

export const queryKind = anyOf(
  [oneOf(queryRules), listOf(text({ rule: 'the name of a parameter' }), queryRule)],
  queryRule,
);

/** Returns the kind of an option whose value is an origin, such as `https://example.com`. */
export function originKind({ or }: { or?: string }) {
  const rule = 'an http or https origin';
  const kind = text({ rule, pattern: /^https?:\/\//i, ...(or !== undefined && { or }) });
  return also(kind, (origin) => URL.canParse(origin), rule);
}

export interface NormaliseOptions {
  /** The rule for query strings. */
  query?: QueryRule;
  /** Origin of the site, `https://example.com`: its absolute URLs become paths; null: absolute URLs stay absolute. */
  origin?: string | null;
  /** Longest URL accepted, characters. */
  maxCharacters?: number;
  /**
   * Keeps escapes in a path as they were first seen, for all spellings of the path, because a browser finds a
   * prefetched page only under the spelling of the link. `isKnown` returns whether a path in normal form is a known
   * page. null: escapes get their normal form.
   */
  spelling?: { isKnown: (path: string) => boolean } | null;
}

export const normaliseDefaults: Readonly<Required<NormaliseOptions>> = {
  query: 'evidence',
  origin: null,
  maxCharacters: 2048,
  spelling: null,
};

/**
 * Returns a function that normalises a URL, or returns null if it is neither a path nor an http or https URL, or too
 * long. With `evidence` the function remembers the order of parameters of the last 10,000 pages.
 * @throws PrefetchdError `invalid-option`
 */
export function urlNormaliser(options: NormaliseOptions = {}): (raw: string) => string | null {
  const { query, origin, maxCharacters, spelling } = { ...normaliseDefaults, ...options };
  checkRule(query);
  const site = origin === null ? null : siteOf(origin).origin;
  const pages = query === 'evidence' ? new QuerySpelling() : null;
  const paths = spelling === null ? null : new PathSpelling(spelling.isKnown);
  return (raw) => {
    if (raw.length > maxCharacters) return null;
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
    const url = pages === null ? page + search : pages.of(page, search);
    return url.length > maxCharacters ? null : url;
  };
}

/** Returns a function that returns whether the query rule lets a normalised URL be hinted, for a predictor's
 *  `mayHint`. */
export function queryMayBeHinted(
  query: QueryRule = normaliseDefaults.query,
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
