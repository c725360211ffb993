// Hints as Link header members: a document as `</a>; rel=prefetch; probability=0.83`, an embedded object
// as `</i.png>; rel=preload; as=image; probability=0.71`, and one that is known to be of a page that comes next
// as `</j.png>; rel=prefetch; as=image; probability=0.64`: a preload is fetched at once, before what the page
// shown still needs. `as` does nothing for a prefetch in HTML, whose requests have no destination (4.6.7.14);
// it tells readers of ours that no document is meant. `probability` is ours: RFC 8288 3.4.2 lets
// anybody add target attributes, and clients skip those they do not know. An object goes out only when
// its extension tells how it will be fetched: a preload whose `as` or CORS mode is wrong is fetched twice,
// and one without `as` not at all (HTML 4.6.7.17). Invariant: what goes out comes back the same, but for what
// `preload` says by itself: the page shown embeds it.

import { type FieldValue, joinedLines } from '../../http/field-syntax.ts';
import {
  checkCap,
  type Hint,
  isProbability,
  longestUrl,
  mostHintsRead,
  readHint,
  type SiteHint,
  siteHints,
} from './hint.ts';
import { formatLink, type Link, parseLinks } from './link-header.ts';

export interface LinkHintOptions {
  /** The site's origin, `https://example.com`; without it hints with absolute URLs are left out. */
  origin?: string | null;
  /** At most so many links, 1..100. */
  maxLinks?: number;
  /** At most so many bytes of ours, separators included, 1..65536. */
  maxBytes?: number;
}

export const linkHintDefaults: Readonly<Required<LinkHintOptions>> = {
  origin: null,
  maxLinks: 8,
  maxBytes: 2048,
};

type Parameters = ReadonlyArray<readonly [string, string | null]>;

const image: Parameters = [['as', 'image']];
const style: Parameters = [['as', 'style']];
const script: Parameters = [['as', 'script']];
/** Modules, fonts and fetch() are fetched with CORS even from the own origin; a preload must match. */
const moduleScript: Parameters = [...script, ['crossorigin', null]];
const font: Parameters = [
  ['as', 'font'],
  ['crossorigin', null],
];
const fetched: Parameters = [
  ['as', 'fetch'],
  ['crossorigin', null],
];

// Not here: sound and video, which are asked for in ranges that a preload does not answer and are large;
// manifests and feeds, which no browser preloads.
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

/** The members for these hints, in their order; one that does not fit is left out whole. */
function members(hints: readonly SiteHint[], maxLinks: number, maxBytes: number): string[] {
  const links: string[] = [];
  let left = maxBytes;
  for (const hint of hints) {
    if (links.length >= maxLinks) break;
    const link = member(hint);
    const bytes = (link?.length ?? 0) + (links.length === 0 ? 0 : 2);
    if (link === null || bytes > left) continue;
    links.push(link);
    left -= bytes;
  }
  return links;
}

function member({ path, probability, kind, navigation }: SiteHint): string | null {
  const weight = ['probability', String(probability)] as const;
  if (kind === 'document') return formatLink(path, [['rel', 'prefetch'], weight]);
  const rel = navigation === 'next' ? 'prefetch' : 'preload';
  const extension = /\.([a-z0-9]{1,5})$/i.exec(withoutQuery(path))?.[1] ?? '';
  const how = preloadable.get(extension.toLowerCase());
  return how === undefined ? null : formatLink(path, [['rel', rel], ...how, weight]);
}

function withoutQuery(path: string): string {
  const query = path.indexOf('?');
  return query === -1 ? path : path.slice(0, query);
}

/**
 * The value of a Link header that carries these hints; '' when none may go out: send no header then.
 * ASCII only, so its bytes are its characters.
 * @throws PrefetchdError `invalid-option`
 */
export function linkHeaderOf(hints: readonly Hint[], options: LinkHintOptions = {}): string {
  return appendLinkHints(undefined, '', hints, options);
}

/**
 * An upstream's Link value with these hints after it. What was there stays first and untouched; a URL it
 * names already, whatever for, is not named again. The caps are for what is added.
 * @param pageUrl absolute URL of the response, which relative links of the existing value are read against
 * @throws PrefetchdError `invalid-option`
 */
export function appendLinkHints(
  existing: FieldValue,
  pageUrl: string,
  hints: readonly Hint[],
  options: LinkHintOptions = {},
): string {
  const { origin, maxLinks, maxBytes } = { ...linkHintDefaults, ...options };
  checkCap('maxLinks', maxLinks, mostHintsRead);
  checkCap('maxBytes', maxBytes, 64 * 1024);
  const before = joinedLines(existing);
  const named = before === '' ? new Set() : pathsNamed(existing, pageUrl);
  const offered = siteHints(hints, origin).filter(({ path }) => !named.has(path));
  const added = members(offered, maxLinks, maxBytes).join(', ');
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
 * The hints in links that parseLinks read: ours, and the prefetch, preload and modulepreload links that
 * a site writes itself. Those carry no number and count as 1: their author means them. Only http and
 * https, absolute, without fragment; other origins too unless `sameOriginOnly`. A link with an anchor is
 * about another resource and no hint (RFC 8288 3.2).
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

/** A number that is none, or out of its range, is one that nobody can rely on: 0. */
function probabilityOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const value = /^\d{1,3}(?:\.\d{1,10})?$/.test(text) ? Number(text) : Number.NaN;
  return isProbability(value) ? value : 0;
}
