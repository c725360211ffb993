// Reads the hints in the header section of a final or interim response: Link and Speculation-Rules. `next` has absolute
// URLs of the page's origin, each once. The parsers of the wire formats limit the number of hints.

import { type FieldValue, joinedLines } from '../../http/field-syntax.ts';
import { fieldLines, type HeaderPair } from '../../http/header-pairs.ts';
import { parseList } from '../../http/structured-fields.ts';
import type { Hint } from '../../prefetchd/wire/hint.ts';
import { parseLinks } from '../../prefetchd/wire/link-header.ts';
import { hintsOfLinks } from '../../prefetchd/wire/link-hints.ts';
import { type HeaderReference, preloadOf } from '../scan/html/link-header.ts';
import { defaultScreen, type Screen } from '../scan/style/environment.ts';

/** The page whose hints lead to prefetches. */
export interface HintingDocument {
  /** URL of the document, after redirects. */
  url: string;
  /** Origin of the URL that the caller asked to load; only it gets the caller's `extraHeaders`. */
  askedOrigin: string;
}

/** A loaded page and its hints. */
export interface HintingPage {
  source: HintingDocument;
  hints: readonly Hint[];
  /** URLs of the page's speculation rules. */
  rules: readonly string[];
}

export interface PageHints {
  /** Pages that the client may load next. */
  next: Hint[];
  /** Resources that this page needs, announced before its HTML names them. */
  preload: HeaderReference[];
  /** Absolute URLs of speculation rules on the page's origin. */
  rules: string[];
}

/** Reads the hints in one header section. @param screen The screen that the page is loaded for. */
export function hintsOf(
  headers: readonly HeaderPair[],
  pageUrl: string,
  screen: Screen = defaultScreen,
): PageHints {
  const lines = (name: string) => fieldLines(headers, name);
  const links = parseLinks(lines('link'), pageUrl);
  const prefetches = links.filter(({ rels }) => rels.includes('prefetch'));
  const fromLinks = hintsOfLinks(prefetches, { pageUrl, sameOriginOnly: true });
  const base = new URL(pageUrl);
  const preload = links
    .filter(({ anchor }) => anchor === null)
    .flatMap((link) => preloadOf(link, base, screen) ?? []);
  const { origin } = base;
  const rules = parseSpeculationRulesHeader(lines('speculation-rules')).flatMap((written) => {
    const url = URL.parse(written, pageUrl);
    return url?.origin === origin ? [url.href] : [];
  });
  return { next: merged(fromLinks), preload, rules };
}

/** Sorts hints with the most probable first; a repeated URL keeps its highest probability. */
export function merged(hints: readonly Hint[]): Hint[] {
  const best = new Map<string, Hint>();
  for (const hint of hints) {
    const known = best.get(hint.url);
    if (known === undefined || known.probability < hint.probability) best.set(hint.url, hint);
  }
  return [...best.values()].toSorted((a, b) => b.probability - a.probability);
}

const longestField = 8 * 1024;
const mostMembers = 20;

/**
 * Reads the Speculation-Rules header field (HTML 7.6.3): a structured-field list of strings (RFC 9651 3.1, 3.3.3), each
 * the URL of a rules document. Members that are not strings are skipped (HTML); a syntax error invalidates the whole
 * field (RFC 9651 4.2).
 * @returns The first 20 URLs as written, not resolved; none for a field of more than 8 KiB. Never throws.
 */
export function parseSpeculationRulesHeader(field: FieldValue): string[] {
  const text = joinedLines(field);
  if (text.length > longestField) return [];
  const values = (parseList(text) ?? []).map(({ value }) => value);
  return values.filter((value) => typeof value === 'string').slice(0, mostMembers);
}
