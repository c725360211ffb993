// Hints as a speculation rules document (HTML 7.6.1, `application/speculationrules+json`): `prefetch` lists of the
// site's own documents, one per eagerness. The format has eagerness instead of probabilities. From 3/4 on, documents
// are fetched at once, which costs at most 4/3 fetches per page that is used. The others are `moderate`: the browser
// waits until the pointer rests on the link, by then the better predictor. Guarantees: same origin, limited length,
// ASCII, and no < in the text, so it can be embedded in a script element.

import { type ReferrerPolicy, referrerPolicies } from '../../http/referrer-policies.ts';
import { PrefetchdError } from '../errors.ts';
import {
  checkCap,
  type Hint,
  longestUrl,
  mostHintsRead,
  sameOriginUrl,
  siteHints,
} from './hint.ts';

export const speculationRulesType = 'application/speculationrules+json';

export interface SpeculationRulesOptions {
  /** The site's origin, `https://example.com`; without it, hints with absolute URLs are left out. */
  origin?: string | null;
  /** Returned in Sec-Speculation-Tags; printable ASCII, 1..256 characters. */
  tag?: string;
  /** Documents with at least this probability are fetched at once, the others are `moderate`; 0..1. */
  immediateFrom?: number;
  /** Most URLs, 1..100. */
  maxUrls?: number;
  referrerPolicy?: ReferrerPolicy | null;
  /** The No-Vary-Search the responses will carry, `params=("utm_source")`; printable ASCII. */
  expectsNoVarySearch?: string | null;
}

export const speculationRulesDefaults: Readonly<Required<SpeculationRulesOptions>> = {
  origin: null,
  tag: 'prefetchd',
  immediateFrom: 0.75,
  maxUrls: 8,
  referrerPolicy: null,
  expectsNoVarySearch: null,
};

/**
 * The document for these hints; objects are left out. If nothing remains, it is valid with an empty list.
 * @throws PrefetchdError `invalid-option`
 */
export function speculationRulesOf(
  hints: readonly Hint[],
  options: SpeculationRulesOptions = {},
): string {
  const settings = { ...speculationRulesDefaults, ...options };
  checkSettings(settings);
  const { tag, immediateFrom, referrerPolicy, expectsNoVarySearch } = settings;
  const documents = siteHints(
    hints.filter(({ kind }) => kind === 'document'),
    settings.origin,
  ).slice(0, settings.maxUrls);
  const rule = (eagerness: string, isIn: (probability: number) => boolean) => {
    const urls = documents.filter((hint) => isIn(hint.probability)).map(({ path }) => path);
    if (urls.length === 0) return [];
    const shared = {
      ...(referrerPolicy !== null && { referrer_policy: referrerPolicy }),
      ...(expectsNoVarySearch !== null && { expects_no_vary_search: expectsNoVarySearch }),
    };
    return [{ source: 'list', urls, eagerness, ...shared }];
  };
  const prefetch = [
    ...rule('immediate', (probability) => probability >= immediateFrom),
    ...rule('moderate', (probability) => probability < immediateFrom),
  ];
  return JSON.stringify({ tag, prefetch }).replaceAll('<', '\\u003c');
}

function checkSettings(settings: Required<SpeculationRulesOptions>): void {
  const { tag, immediateFrom, maxUrls, referrerPolicy, expectsNoVarySearch } = settings;
  const wrong = (rule: string, value: unknown) =>
    new PrefetchdError('invalid-option', `${rule}, not ${JSON.stringify(value)}`);
  if (typeof tag !== 'string' || !/^[\x20-\x7e]{1,256}$/.test(tag)) {
    throw wrong('tag must be 1 to 256 characters of printable ASCII', tag);
  }
  if (typeof immediateFrom !== 'number' || !(immediateFrom >= 0 && immediateFrom <= 1)) {
    throw wrong('immediateFrom must be a number from 0 to 1', immediateFrom);
  }
  checkCap('maxUrls', maxUrls, mostHintsRead);
  if (referrerPolicy !== null && !referrerPolicies.includes(referrerPolicy)) {
    throw wrong(`referrerPolicy must be one of ${referrerPolicies.join(', ')}`, referrerPolicy);
  }
  if (expectsNoVarySearch !== null && !/^[\x20-\x7e]{1,1024}$/.test(expectsNoVarySearch)) {
    throw wrong(
      'expectsNoVarySearch must be 1 to 1024 characters of printable ASCII',
      expectsNoVarySearch,
    );
  }
}

/** Probability implied by an eagerness: the lowest for which speculationRulesOf chooses it by default. */
const probabilities = new Map([
  ['immediate', 0.75],
  ['eager', 0.75],
  ['moderate', 0.5],
  ['conservative', 0.25],
]);

const longestDocument = 64 * 1024;

/**
 * The lists of a document fetched from `base`: documents of that origin, in order, absolute. Rules with `where` need
 * the page and are left out. Never throws; reads at most 100 hints, and no text longer than 64 KiB.
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
