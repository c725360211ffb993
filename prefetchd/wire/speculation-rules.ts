// Hints as a speculation rules document (HTML 7.6.1, `application/speculationrules+json`): `prefetch`
// lists of the site's own documents, one for each eagerness. The format has no probabilities, only
// eagerness; the cut stands at 3/4: at least three of four pages fetched at once are then wanted, so a
// page won costs at most 4/3 pages fetched. Less probable ones are `moderate`: the browser waits until
// the pointer rests on the link, which is a better predictor than we are by then.
// Guarantees: same origin, capped, ASCII, and no < in the text, so it may stand inside a script element.

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
  /** The site's origin, `https://example.com`; without it hints with absolute URLs are left out. */
  origin?: string | null;
  /** Comes back in Sec-Speculation-Tags; printable ASCII, 1..256 characters. */
  tag?: string;
  /** Documents of at least this probability are fetched at once, the rest on `moderate`; 0..1. */
  immediateFrom?: number;
  /** At most so many URLs, 1..100. */
  maxUrls?: number;
  referrerPolicy?: ReferrerPolicy | null;
  /** What No-Vary-Search the answers will carry, `params=("utm_source")`; printable ASCII. */
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
 * The document for these hints; objects are left out. Valid, with an empty list, when nothing remains.
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

/** What an eagerness says of a probability: the least that speculationRulesOf gives it by default. */
const probabilities = new Map([
  ['immediate', 0.75],
  ['eager', 0.75],
  ['moderate', 0.5],
  ['conservative', 0.25],
]);

const longestDocument = 64 * 1024;

/**
 * The lists of a document that was fetched from `base`: documents of that origin, in their order,
 * absolute. Rules with `where` need the page and are left out. Never throws; at most 100 hints; longer
 * texts than 64 KiB are not read.
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
