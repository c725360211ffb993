// Holds what all wire formats of hints have in common. A hint is written only as path and query of a parsed URL (WHATWG
// URL) of the site itself. The parser leaves printable ASCII without space, quote, < or >, so no URL can break out of
// <> or a JSON string, or end a header line. Hints are written, each URL once, up to a limit: first pages, then objects
// of pages that come next, then objects of the shown page, its largest image first, then those that browsers find late;
// each group best first. Hints are read only if they are http or https URLs of the same origin; they become absolute,
// without fragment.

import { type AccessKind, longestUrl, type Navigation } from '../access.ts';

export interface Hint {
  /** A path and query of the site (`/a?b`), or an absolute http or https URL. */
  url: string;
  /** Probability that the client requests the URL next, 0..1. */
  probability: number;
  /** `document`: the URL is navigated to. `object`: a document embeds it. */
  kind: AccessKind;
  /** For an object: embedded in the requested page (`current`), or in a page that comes next; absent if unknown, and
   *  for documents. It decides between preload, for the current navigation, and prefetch, for the next (HTML 4.6.7). */
  navigation?: Navigation;
  /** For a page: it runs the beacon's script, so it reports when it is shown (wire/beacon.ts). */
  hasBeacon?: boolean;
  /** For an object of the shown page: it is the page's largest image, according to beacons. */
  isLargest?: boolean;
  /** For an object of the shown page: browsers find it late, because a style sheet names it. */
  isLate?: boolean;
  /** For a page: the value of No-Vary-Search in its response. */
  noVarySearch?: string;
  /**
   * Only speculation rules may name the page, as one to fetch when the pointer rests on its link, because it is below
   * the threshold, beyond the limit or too large for other hints; or because a shared cache may give the response to
   * several visitors, some of whom shall get no hints, for comparison.
   */
  byRulesOnly?: boolean;
}

/** A hint to a URL of the site itself, checked and ready to send (`siteHints`). */
export interface SiteHint extends Omit<Hint, 'url' | 'navigation'> {
  /** The normalised path and query, which begins with exactly one slash. */
  path: string;
  navigation: Navigation | undefined;
}

/** Returns the hints without those that only speculation rules may name. */
export function notByRulesOnly(hints: readonly Hint[]): readonly Hint[] {
  return hints.filter(({ byRulesOnly }) => byRulesOnly !== true);
}

/** Returns the hints with the paths that visitors see: `prefix`, such as `/shop`, comes first; '': the root. */
export function belowPrefix(hints: readonly Hint[], prefix: string): readonly Hint[] {
  if (prefix === '') return hints;
  return hints.map((hint) =>
    hint.url.startsWith('/') ? { ...hint, url: prefix + hint.url } : hint,
  );
}

/** Returns the site's own path for a path that visitors see; null if it is not below `prefix`. */
export function withoutPrefix(path: string, prefix: string): string | null {
  if (prefix === '') return path;
  const rest = path.startsWith(prefix) ? path.slice(prefix.length) : '-';
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : null;
}

/** Limit on the hints that are read from one Link field, rules document or prefetchd answer; the rest is ignored. */
export const mostHintsRead = 100;

/**
 * Returns the hints that may be sent, in sending order: those of the site itself, each URL once with its highest
 * probability. It leaves out other origins and schemes, URLs with credentials, paths that begin with // (they would
 * name a host), relative paths, and invalid probabilities. `origin` is the site's; without it, or if it is not an http
 * origin, absolute URLs are left out. Never throws, whatever a hint contains.
 */
export function siteHints(hints: readonly Hint[], origin?: string | null): SiteHint[] {
  const site = httpOrigin(origin ?? '');
  const sorted = hints
    .filter(({ probability }) => isProbability(probability))
    .sort((a, b) => b.probability - a.probability);
  const found = new Map<string, SiteHint>();
  for (const hint of sorted) {
    const path = sitePath(hint.url, site);
    if (path === null || found.has(path)) continue;
    const navigation = navigationOf(hint.kind, hint.navigation);
    found.set(path, {
      ...hint,
      path,
      probability: Number(hint.probability.toFixed(2)),
      navigation,
      isLate: hint.isLate === true && navigation === 'current',
    });
  }
  const rank = ({ kind, navigation, isLargest, isLate }: SiteHint) =>
    hintRank(kind, navigation) - (isLargest ? 0.5 : isLate ? lateFirst : 0);
  return [...found.values()].sort((a, b) => rank(a) - rank(b));
}

/** Number subtracted from the rank of an object that browsers find late, so that it precedes others of its page. */
export const lateFirst = 0.25;

export const hintRanks = [0, 1, 2] as const;

/**
 * Returns the rank of a hint, the lowest first if not all can be sent: 0 for pages, 1 for objects of pages that come
 * next, 2 for objects of the page shown, which a browser finds by itself. Objects of unknown use rank with pages.
 */
export function hintRank(
  kind: AccessKind,
  navigation: Navigation | undefined,
): (typeof hintRanks)[number] {
  if (kind === 'document' || navigation === undefined) return 0;
  return navigation === 'next' ? 1 : 2;
}

/** Returns the navigation, current or next, that needs an object (`Hint.navigation`); undefined if unknown. */
export function navigationOf(kind: AccessKind, navigation: unknown): Navigation | undefined {
  if (kind !== 'object') return undefined;
  return navigation === 'current' || navigation === 'next' ? navigation : undefined;
}

/** Makes a hint of values read from a Link field, a rules document or JSON; an unknown `navigation` is left out. */
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

/** Returns path and query of a URL as the URL parser writes them; null if `raw` is not a URL of this site. */
export function sitePath(raw: string, site: string | null): string | null {
  if (raw.length > longestUrl) return null;
  const isPath = raw.startsWith('/');
  // The pattern excludes //host/path, with variants that browsers accept: backslashes count as slashes, tabs and line
  // ends are ignored.
  if (isPath && /^\/[\t\n\r]*[/\\]/.test(raw)) return null;
  if (!isPath && (site === null || !/^https?:\/\//i.test(raw))) return null;
  const parsed = URL.parse(isPath ? `http://path.invalid${raw}` : raw);
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return null;
  if (!isPath && parsed.origin !== site) return null;
  parsed.hash = '';
  const path = parsed.href.slice(parsed.origin.length);
  return path.startsWith('//') || path.length > longestUrl ? null : path;
}

/** Returns the absolute URL of `raw` on a page at `base`; null if it is of another origin. */
export function sameOriginUrl(raw: string, base: string): string | null {
  if (raw.length > longestUrl) return null;
  const parsed = URL.parse(raw, base);
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return null;
  if (parsed.origin !== httpOrigin(base)) return null;
  parsed.hash = '';
  return parsed.href;
}

/** Returns the origin of a URL; null if it is not an http or https URL. */
export function httpOrigin(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.origin : null;
}

export function isProbability(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}
