// Writes hints as a speculation rules document (HTML 7.6.1, `application/speculationrules+json`) of the site's own
// pages, and reads such documents. The format has eagerness instead of probabilities. From probability 3/4 on, the
// likeliest two pages are fetched at once: at most 4/3 fetches per page that is used. From 1/2 on, three are `eager`:
// the browser waits until the pointer is on the link, if only in passing, or on a phone until the link is in view. The
// others are `moderate`: the browser waits until the pointer rests on the link, which predicts better than the
// probability, so that may be far lower. Each rule has a tag, which prefetches send in Sec-Speculation-Tags.
// Guarantees: same origin, limited length, ASCII, and no < in the text, so it can be embedded in a script element.

import { defaultsOf } from '../../options/options.ts';
import { longestUrl } from '../access.ts';
import { PrefetchdError } from '../errors.ts';
import { type Hint, mostHintsRead, sameOriginUrl, siteHints } from './hint.ts';
import {
  type SpeculationTerms,
  speculationTable,
  usualImmediateFrom,
} from './speculation-settings.ts';

export const speculationRulesType = 'application/speculationrules+json';

export interface SpeculationRulesOptions extends Partial<SpeculationTerms> {
  /** The site's origin, `https://example.com`; without it, hints with absolute URLs are left out. */
  origin?: string | null;
  /** Links that the speculation rule for all links of a page (`otherLinks`) leaves out. */
  except?: ExceptedLinks;
  /** Path below which visitors see the site, `/shop`: `otherLinks` applies to links below it. URLs of hints
   *  already contain the prefix. '': the root. */
  prefix?: string;
}

export interface ExceptedLinks {
  /** URL patterns of the links to leave out, for `href_matches` in a document rule. */
  patterns: readonly string[];
  /** CSS selectors of the links to leave out, for `selector_matches`; '': none. */
  selectors: string;
}

export const speculationRulesDefaults: Readonly<Required<SpeculationRulesOptions>> = {
  ...defaultsOf(speculationTable),
  immediateFrom: usualImmediateFrom,
  origin: null,
  except: { patterns: [], selectors: '' },
  prefix: '',
};

/** Tag of the rules document (Sec-Speculation-Tags); the tags of its rules begin with it. */
export const rulesTag = 'prefetchd';
/** Suffixes that make tags of single rules of `rulesTag`, one for each kind of rule. */
export const speculationTags = ['immediate', 'eager', 'moderate', 'links', 'prerender'] as const;
export type SpeculationTag = (typeof speculationTags)[number];

const mostUrls = 30;
/** Limit on the pages that a rules document has browsers fetch at once; from probability 3/4 on, most are opened. */
const mostImmediate = 2;
/** Least probability of an `eager` page, which browsers may fetch even if the pointer merely crosses its link. */
const eagerFrom = 0.5;
const mostEager = 3;
/** Least probability of a `moderate` page, fetched when the pointer rests on its link. It is low, because the pointer
 *  predicts the visit far better than the probability does. */
export const moderateFrom = 0.05;
export const mostModerate = 8;
/** Least probability for an immediate prerender: it runs the page, so a visit must be near certain. */
const prerenderImmediatelyFrom = 0.9;

type RulesSettings = Required<SpeculationRulesOptions>;

/** Returns the rules document for the pages among these hints; without any, it has an empty list. */
export function speculationRulesOf(
  hints: readonly Hint[],
  options: SpeculationRulesOptions = {},
): string {
  const settings = { ...speculationRulesDefaults, ...options };
  const pages = siteHints(
    hints.filter(({ kind }) => kind === 'document'),
    settings.origin,
  ).slice(0, mostUrls);
  const prefetch = [...prefetchRules(pages, settings), ...linkRules(settings)];
  const prerender = prerenderRules(pages, settings);
  return JSON.stringify({
    tag: rulesTag,
    prefetch,
    ...(prerender.length > 0 && { prerender }),
  }).replaceAll('<', '\\u003c');
}

type RulePage = ReturnType<typeof siteHints>[number];

function prefetchRules(pages: readonly RulePage[], settings: RulesSettings): object[] {
  const immediate = likeliest(pages, settings.immediateFrom, mostImmediate);
  const others = pages.filter((page) => !immediate.includes(page));
  const eager = likeliest(others, eagerFrom, mostEager);
  const moderate = others.filter((page) => !eager.includes(page)).slice(0, mostModerate);
  return [
    ...listRules(immediate, 'immediate', 'immediate'),
    ...listRules(eager, 'eager', 'eager'),
    ...listRules(moderate, 'moderate', 'moderate'),
  ];
}

/** Returns the pages that are so probable that they need no sign from the pointer. @param pages the likeliest first */
const likeliest = (pages: readonly RulePage[], from: number, most: number): RulePage[] =>
  pages
    .filter(({ probability, byRulesOnly }) => probability >= from && !byRulesOnly)
    .slice(0, most);

/** Returns prerender rules for pages that run the beacon's script: only its reports show that such a page was seen. */
function prerenderRules(pages: readonly RulePage[], settings: RulesSettings): object[] {
  if (settings.prerender === 'off') return [];
  const telling = pages.filter(({ hasBeacon }) => hasBeacon);
  const most = settings.prerender === 'immediate' ? 1 : 0;
  const immediate = likeliest(telling, prerenderImmediatelyFrom, most);
  const moderate = telling.filter((page) => !immediate.includes(page));
  return [
    ...listRules(immediate, 'immediate', 'prerender'),
    ...listRules(moderate, 'moderate', 'prerender'),
  ];
}

/** Makes one rule for all pages that have the same value of No-Vary-Search. */
function listRules(
  pages: readonly RulePage[],
  eagerness: 'immediate' | 'eager' | 'moderate',
  tag: SpeculationTag,
): object[] {
  const groups = Map.groupBy(pages, ({ noVarySearch }) => noVarySearch);
  return [...groups].map(([noVarySearch, group]) => ({
    source: 'list',
    urls: group.map(({ path }) => path),
    eagerness,
    tag: `${rulesTag}-${tag}`,
    ...(noVarySearch !== undefined && { expects_no_vary_search: noVarySearch }),
  }));
}

function linkRules(settings: RulesSettings): object[] {
  const { otherLinks, except, prefix } = settings;
  if (otherLinks === 'off') return [];
  const denied = except.patterns.map((pattern) => prefix + pattern);
  const not = [
    ...(denied.length > 0 ? [{ not: { href_matches: denied } }] : []),
    ...(except.selectors !== '' ? [{ not: { selector_matches: except.selectors } }] : []),
  ];
  const where = { and: [{ href_matches: `${prefix}/*` }, ...not] };
  return [{ source: 'document', where, eagerness: otherLinks, tag: `${rulesTag}-links` }];
}

/**
 * For each eagerness, the probability that `parseSpeculationRules` gives its pages: the lowest for which
 * speculationRulesOf chooses it by default; for `conservative`, a lower one.
 */
const probabilities = new Map([
  ['immediate', usualImmediateFrom],
  ['eager', 0.5],
  ['moderate', 0.05],
  ['conservative', 0.01],
]);

const longestDocument = 64 * 1024;

/**
 * Reads the hints in a rules document fetched from `base`: pages of that origin, in order, with absolute URLs. Rules
 * with `where` need the page and are left out. Never throws; reads at most 100 hints, and no text longer than 64 KiB.
 */
export function parseSpeculationRules(
  text: string,
  base: string,
): { tag: string | null; hints: Hint[] } {
  const document = text.length <= longestDocument ? parsedObject(text) : null;
  const hints: Hint[] = [];
  for (const action of ['prefetch', 'prerender']) {
    const rules = document?.[action];
    if (Array.isArray(rules)) for (const rule of rules) readRule(rule, base, hints);
  }
  const tag = document?.tag;
  const isTag = typeof tag === 'string' && /^[\x20-\x7e]{1,256}$/.test(tag);
  return { tag: isTag ? tag : null, hints };
}

function readRule(rule: unknown, base: string, hints: Hint[]): void {
  if (typeof rule !== 'object' || rule === null) return;
  const { source = 'list', urls, eagerness = 'immediate' } = rule as Record<string, unknown>;
  const probability = typeof eagerness === 'string' ? probabilities.get(eagerness) : undefined;
  if (source !== 'list' || !Array.isArray(urls) || probability === undefined) return;
  for (const raw of urls) {
    if (hints.length >= mostHintsRead) return;
    if (typeof raw !== 'string' || raw.length > longestUrl) continue;
    const url = sameOriginUrl(raw, base);
    if (url !== null) hints.push({ url, probability, kind: 'document' });
  }
}

function parsedObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/**
 * Returns the value of the Speculation-Rules header field (HTML 7.6.3), a list of strings (RFC 9651 3.1, 3.3.3).
 * @param urls where the rules documents are: paths, absolute URLs, or a parameter such as `?prefetchd-rules`, which is
 * appended to the page's own URL
 * @throws PrefetchdError `invalid-option` for a URL that is not printable ASCII (RFC 9651 3.3.3)
 */
export function speculationRulesHeaderOf(urls: readonly string[]): string {
  return urls.map(sfString).join(', ');
}

/** Writes a URL as a string of a structured field (RFC 9651 4.1.6). */
export function sfString(url: string): string {
  if (!/^[\x20-\x7e]+$/.test(url)) {
    throw new PrefetchdError(
      'invalid-option',
      `the URL of speculation rules must be printable ASCII, not ${JSON.stringify(url)}`,
    );
  }
  return `"${url.replace(/["\\]/g, '\\$&')}"`;
}
