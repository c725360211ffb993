// What every wire format of hints has in common. A hint goes out only as the path and query of a URL
// that was parsed (WHATWG URL) and is of the site itself; what a parser left is printable ASCII without
// space, quote, < or >, so no URL can break out of <> or of a JSON string, or end a header line. Out:
// each URL once, capped: pages, then objects of pages that come next, then objects of the page shown, best
// first among these. In: http or https of the same origin, absolute, without fragment.

import type { AccessKind, Navigation } from '../access.ts';
import { PrefetchdError } from '../errors.ts';
import { normaliseDefaults } from '../normalise-url.ts';

export interface Hint {
  /** A path and query of the site (`/a?b`), or an absolute http or https URL. */
  url: string;
  /** How likely the client wants it next, 0..1. */
  probability: number;
  /** `document`: navigated to. `object`: embedded in a document. */
  kind: AccessKind;
  /** Of an object: embedded in the page that was asked about (`current`), or in one that comes next; absent:
   *  nobody can tell, and of documents. The words are those of preload and prefetch (HTML 4.6.7): fetched
   *  for the current navigation, or for the next. */
  navigation?: Navigation;
}

/** A hint that may go out. */
export interface SiteHint {
  /** Path and query as the URL parser leaves them; begins with one slash. */
  path: string;
  /** 0..1, two digits. */
  probability: number;
  kind: AccessKind;
  navigation: Navigation | undefined;
}

/** Longer URLs are never hinted, characters. */
export const longestUrl = normaliseDefaults.maxCharacters;

/** Reading stops at so many hints, whatever the format. */
export const mostHintsRead = 100;

/**
 * What may go out of these hints, in the order it goes: of the site itself, each URL once with its best
 * probability. Left out: other origins, other schemes, credentials, a path that begins with // (it would
 * name a host), a relative path, a probability that is none. `origin` is the site's; without it, or when it
 * is no http origin, absolute URLs are left out. Never throws for what a hint says.
 */
export function siteHints(hints: readonly Hint[], origin?: string | null): SiteHint[] {
  const site = httpOrigin(origin ?? '');
  const sorted = hints
    .filter(({ probability }) => isProbability(probability))
    .sort((a, b) => b.probability - a.probability);
  const found = new Map<string, SiteHint>();
  for (const { url, probability, kind, navigation } of sorted) {
    const path = sitePath(url, site);
    if (path === null || found.has(path)) continue;
    const rounded = Number(probability.toFixed(2));
    found.set(path, {
      path,
      probability: rounded,
      kind,
      navigation: navigationOf(kind, navigation),
    });
  }
  const rank = ({ kind, navigation }: SiteHint) => hintRank(kind, navigation);
  return [...found.values()].sort((a, b) => rank(a) - rank(b));
}

export const hintRanks = [0, 1, 2] as const;

/**
 * Which hints go first where not all may: 0 pages, 1 objects of pages that come next, 2 objects of the page
 * shown, which a browser finds by itself, while what comes next it has from us alone. Objects of which
 * nobody can tell are ranked with pages.
 */
export function hintRank(
  kind: AccessKind,
  navigation: Navigation | undefined,
): (typeof hintRanks)[number] {
  if (kind === 'document' || navigation === undefined) return 0;
  return navigation === 'next' ? 1 : 2;
}

/** What a hint says of its navigation; nothing when it is of a document, or no such word. */
export function navigationOf(kind: AccessKind, navigation: unknown): Navigation | undefined {
  if (kind !== 'object') return undefined;
  return navigation === 'current' || navigation === 'next' ? navigation : undefined;
}

/** A hint as it was read. */
export function readHint(
  url: string,
  probability: number,
  kind: AccessKind,
  navigation: unknown,
): Hint {
  const read = navigationOf(kind, navigation);
  return read === undefined
    ? { url, probability, kind }
    : { url, probability, kind, navigation: read };
}

/** Path and query as they may be written; null: not a URL of this site. */
export function sitePath(raw: string, site: string | null): string | null {
  if (raw.length > longestUrl) return null;
  const isPath = raw.startsWith('/');
  // //host/path, also as a browser reads it: backslashes are slashes, tabs and line ends are nothing.
  if (isPath && /^\/[\t\n\r]*[/\\]/.test(raw)) return null;
  if (!isPath && (site === null || !/^https?:\/\//i.test(raw))) return null;
  const parsed = URL.parse(isPath ? `http://path.invalid${raw}` : raw);
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return null;
  if (!isPath && parsed.origin !== site) return null;
  parsed.hash = '';
  const path = parsed.href.slice(parsed.origin.length);
  return path.startsWith('//') || path.length > longestUrl ? null : path;
}

/** The absolute URL that `raw` means on a page at `base`; null when it is of another origin. */
export function sameOriginUrl(raw: string, base: string): string | null {
  if (raw.length > longestUrl) return null;
  const parsed = URL.parse(raw, base);
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return null;
  if (parsed.origin !== httpOrigin(base)) return null;
  parsed.hash = '';
  return parsed.href;
}

/** Null for what is no http or https URL. */
export function httpOrigin(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.origin : null;
}

export function isProbability(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

/** @throws PrefetchdError `invalid-option` */
export function checkCap(name: string, value: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
  throw new PrefetchdError(
    'invalid-option',
    `${name} must be a whole number from 1 to ${most}, not ${String(value)}`,
  );
}
