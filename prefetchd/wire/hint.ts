// What every wire format of hints has in common. A hint goes out only as the path and query of a URL
// that was parsed (WHATWG URL) and is of the site itself; what a parser left is printable ASCII without
// space, quote, < or >, so no URL can break out of <> or of a JSON string, or end a header line. Out:
// best first, each URL once, capped. In: http or https of the same origin, absolute, without fragment.

import type { AccessKind } from '../access.ts';
import { PrefetchdError } from '../errors.ts';
import { normaliseDefaults } from '../normalise-url.ts';

export interface Hint {
  /** A path and query of the site (`/a?b`), or an absolute http or https URL. */
  url: string;
  /** How likely the client wants it next, 0..1. */
  probability: number;
  /** `document`: navigated to. `object`: embedded in a document. */
  kind: AccessKind;
}

/** A hint that may go out. */
export interface SiteHint {
  /** Path and query as the URL parser leaves them; begins with one slash. */
  path: string;
  /** 0..1, two digits. */
  probability: number;
  kind: AccessKind;
}

/** Longer URLs are never hinted, characters. */
export const longestUrl = normaliseDefaults.maxCharacters;

/** Reading stops at so many hints, whatever the format. */
export const mostHintsRead = 100;

/**
 * What may go out of these hints: of the site itself, best first, each URL once. Left out: other
 * origins, other schemes, credentials, a path that begins with // (it would name a host), a relative
 * path, a probability that is none. `origin` is the site's; without it, or when it is no http origin,
 * absolute URLs are left out. Never throws for what a hint says.
 */
export function siteHints(hints: readonly Hint[], origin?: string | null): SiteHint[] {
  const site = httpOrigin(origin ?? '');
  const sorted = hints
    .filter(({ probability }) => isProbability(probability))
    .sort((a, b) => b.probability - a.probability);
  const found = new Map<string, SiteHint>();
  for (const { url, probability, kind } of sorted) {
    const path = sitePath(url, site);
    if (path === null || found.has(path)) continue;
    found.set(path, { path, probability: Number(probability.toFixed(2)), kind });
  }
  return [...found.values()];
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
