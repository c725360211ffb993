// Writes hints as Link header members, and reads them. A document: `</a>; rel=prefetch; probability=0.83`. An embedded
// object: `</i.png>; rel=preload; as=image; probability=0.71`. An object known to belong to a page that comes next:
// `</j.png>; rel=prefetch; as=image; probability=0.64`, because a preload is fetched at once, before the needs of the
// page shown. `as` has no effect on a prefetch in HTML (4.6.7.14); it tells our readers that this is not a document.
// `probability` is an extension (RFC 8288 3.4.2), which other clients ignore. Chromium 156 does not ignore it in a 103:
// there it drops each link with this parameter, so links of a 103 have none.
//
// An object is sent only if its extension determines how it is fetched: a preload with the wrong `as` or CORS mode is
// fetched twice, and one without `as` not at all (HTML 4.6.7.17). Invariant: reading returns what was written, except
// that a `preload` implies the page shown.

import { type FieldValue, joinedLines } from '../../http/field-syntax.ts';
import { longestUrl } from '../access.ts';
import {
  type Hint,
  isProbability,
  notByRulesOnly,
  readHint,
  type SiteHint,
  siteHints,
} from './hint.ts';
import { formatLink, type Link, parseLinks } from './link-header.ts';

export interface LinkHintOptions {
  /** The site's origin, `https://example.com`; without it, hints with absolute URLs are left out. */
  origin?: string | null;
  /** Limit on the links that are added to the Link value, 1..100. */
  maxLinks?: number;
  /** Limit on the bytes that are added to the Link value, separators included, 1..65536. */
  maxBytes?: number;
}

export const linkHintDefaults: Readonly<Required<LinkHintOptions>> = {
  origin: null,
  maxLinks: 8,
  maxBytes: 2048,
};

type Parameters = ReadonlyArray<readonly [string, string | null]>;

const image: Parameters = [['as', 'image']];
/** A preload of a page's largest image has high priority: else browsers load it after style sheets and scripts. */
const largestImage: Parameters = [...image, ['fetchpriority', 'high']];
const style: Parameters = [['as', 'style']];
const script: Parameters = [['as', 'script']];
/** Modules, fonts and fetch() use CORS even on the same origin, so a preload for them must use it, too. */
const moduleScript: Parameters = [...script, ['crossorigin', null]];
const font: Parameters = [
  ['as', 'font'],
  ['crossorigin', null],
];
const fetched: Parameters = [
  ['as', 'fetch'],
  ['crossorigin', null],
];

// Audio and video are omitted, because they are large and requested in ranges that a preload does not satisfy;
// manifests and feeds are omitted, because browsers do not preload them.
const preloadable = new Map<string, Parameters>([
  ...['png', 'gif', 'jpg', 'jpeg', 'jpe', 'jfif', 'webp', 'avif', 'svg', 'ico', 'bmp'].map(
    (extension) => [extension, image] as const,
  ),
  ['css', style],
  ['js', script],
  ['mjs', moduleScript],
  ...['woff', 'woff2', 'ttf', 'otf'].map((extension) => [extension, font] as const),
  ...['json', 'wasm'].map((extension) => [extension, fetched] as const),
]);

/** Returns whether the extension determines `as` and `crossorigin` of a preload. @param url a path or absolute URL */
export function isPreloadable(url: string): boolean {
  return preloadable.has(extensionOf(url));
}

/** Returns whether a URL names a font, which no browser fetches before style and layout need it. */
export function isLateByName(url: string): boolean {
  return preloadable.get(extensionOf(url)) === font;
}

function extensionOf(url: string): string {
  return (/\.([a-z0-9]{1,5})$/i.exec(withoutQuery(url))?.[1] ?? '').toLowerCase();
}

type Caps = Required<Pick<LinkHintOptions, 'maxLinks' | 'maxBytes'>>;

/** Returns the Link members for these hints, in order; a hint that does not fit into the limits is left out. */
function members(
  hints: readonly SiteHint[],
  { maxLinks, maxBytes }: Caps,
  write: (hint: SiteHint) => string | null = member,
): string[] {
  const links: string[] = [];
  let left = maxBytes;
  for (const hint of hints) {
    if (links.length >= maxLinks) break;
    const link = write(hint);
    const bytes = (link?.length ?? 0) + (links.length === 0 ? 0 : 2);
    if (link === null || bytes > left) continue;
    links.push(link);
    left -= bytes;
  }
  return links;
}

function member(hint: SiteHint): string | null {
  const { path, probability, kind, navigation } = hint;
  const weight = ['probability', String(probability)] as const;
  if (kind === 'document') return formatLink(path, [['rel', 'prefetch'], weight]);
  const rel = navigation === 'next' ? 'prefetch' : 'preload';
  const how = howFetched(hint);
  return how === undefined ? null : formatLink(path, [['rel', rel], ...how, weight]);
}

function earlyMember(hint: SiteHint): string | null {
  const { path, kind, navigation } = hint;
  const how = kind === 'object' && navigation !== 'next' ? howFetched(hint) : undefined;
  return how === undefined ? null : formatLink(path, [['rel', 'preload'], ...how]);
}

function howFetched({ path, isLargest }: SiteHint): Parameters | undefined {
  return isLargest ? largestImage : preloadable.get(extensionOf(path));
}

function withoutQuery(path: string): string {
  const query = path.indexOf('?');
  return query === -1 ? path : path.slice(0, query);
}

/**
 * Returns a Link header value with these hints; '' if there are none: then no field is to be sent. It is ASCII, so it
 * has as many bytes as characters.
 * @throws PrefetchdError `invalid-option`
 */
export function linkHeaderOf(hints: readonly Hint[], options: LinkHintOptions = {}): string {
  return appendLinkHints(undefined, '', hints, options);
}

/** Returns the Link members of a 103 with these hints: preloads of the page's own objects. */
export function earlyLinksOf(hints: readonly Hint[], origin: string | null): string[] {
  return members(siteHints(notByRulesOnly(hints), origin), linkHintDefaults, earlyMember);
}

/**
 * Appends these hints to an upstream's Link value. The existing value stays first and unchanged, and URLs that it
 * already names are not repeated. The limits apply only to what is added.
 * @param pageUrl absolute URL of the response, the base of relative links in the existing value
 * @throws PrefetchdError `invalid-option`
 */
export function appendLinkHints(
  existing: FieldValue,
  pageUrl: string,
  hints: readonly Hint[],
  options: LinkHintOptions = {},
): string {
  const { origin, maxLinks, maxBytes } = { ...linkHintDefaults, ...options };
  const before = joinedLines(existing);
  const named = before === '' ? new Set() : pathsNamed(existing, pageUrl);
  const offered = siteHints(notByRulesOnly(hints), origin).filter(({ path }) => !named.has(path));
  const added = members(offered, { maxLinks, maxBytes }).join(', ');
  if (before === '' || added === '') return before + added;
  return `${before}, ${added}`;
}

function pathsNamed(existing: FieldValue, pageUrl: string): Set<string> {
  const site = URL.parse(pageUrl);
  const paths = new Set<string>();
  for (const { url } of parseLinks(existing, pageUrl, { maxLinks: 1000 })) {
    const parsed = new URL(url);
    parsed.hash = '';
    if (parsed.origin === site?.origin) paths.add(parsed.href.slice(parsed.origin.length));
  }
  return paths;
}

/**
 * Returns the hints in links from parseLinks: those that this library wrote, and a site's own prefetch, preload and
 * modulepreload links, which have no probability and get 1. URLs are http or https, absolute, without fragment, and may
 * be of other origins unless `sameOriginOnly` is set. A link with the anchor of another resource is ignored (RFC 8288
 * 3.2).
 */
export function hintsOfLinks(
  links: readonly Link[],
  options: { pageUrl?: string; sameOriginOnly?: boolean } = {},
): Hint[] {
  const { pageUrl = '', sameOriginOnly = false } = options;
  const page = URL.parse(pageUrl);
  const hints: Hint[] = [];
  for (const { url, rels, params, anchor } of links) {
    const isPrefetch = rels.includes('prefetch');
    if (!isPrefetch && !rels.includes('preload') && !rels.includes('modulepreload')) continue;
    if (anchor !== null && anchor !== page?.href) continue;
    const parsed = new URL(url);
    if (!/^https?:$/.test(parsed.protocol) || url.length > longestUrl) continue;
    if (sameOriginOnly && parsed.origin !== page?.origin) continue;
    parsed.hash = '';
    const as = (params.get('as') ?? '').toLowerCase();
    const kind = as === 'document' || (isPrefetch && as === '') ? 'document' : 'object';
    const navigation = isPrefetch ? 'next' : 'current';
    const probability = probabilityOf(params.get('probability'));
    hints.push(readHint(parsed.href, probability, kind, navigation));
  }
  return hints;
}

/** Reads the probability in a parameter: 1 if it is absent; 0 if it is invalid or out of range. */
function probabilityOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const value = /^\d{1,3}(?:\.\d{1,10})?$/.test(text) ? Number(text) : Number.NaN;
  return isProbability(value) ? value : 0;
}
