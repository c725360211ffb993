// What a prefetch may cost, and what is never prefetched. Everything is bounded: a hint is somebody else's
// word, and a prefetched page that nobody opens is waste.

import { type DenyListOptions, denyList } from '../../prefetchd/rules/deny-list.ts';
import { LoaderError } from '../errors.ts';

export interface PrefetchOptions {
  /** Hints below this are not followed, 0..1. */
  minProbability?: number;
  /** Bodies asked for behind one page, at most; each may come in several parts. */
  maxRequests?: number;
  /** Bytes of bodies, as they come, behind one page, at most. */
  maxBytes?: number;
  /** Bytes of one body, as it comes, at most. */
  maxResourceBytes?: number;
  /** Bytes of one body that cannot come in parts, such as a document, as it comes, at most. */
  maxWholeBytes?: number;
  /** Requests at a time. */
  concurrency?: number;
  /** What a prefetched document needs is prefetched, too. */
  subresources?: boolean;
  /** URLs with a query may be prefetched. */
  queries?: boolean;
  /** What is never prefetched, besides or instead of logout, delete, cart and their kind. */
  deny?: DenyListOptions;
  /** Obey the site's robots.txt (RFC 9309). */
  robots?: boolean;
  /** Leave out what the page links to with rel=nofollow, or all where the page says so. */
  nofollow?: boolean;
  /** Share of the processor time it could have that the thread uses, 0..1, from which on nothing is prefetched. */
  maxLoad?: number;
}

export const prefetchDefaults: Readonly<Required<PrefetchOptions>> = Object.freeze({
  minProbability: 0.25,
  maxRequests: 16,
  maxBytes: 4 * 1024 * 1024,
  maxResourceBytes: 1024 * 1024,
  maxWholeBytes: 64 * 1024,
  concurrency: 1,
  subresources: false,
  queries: false,
  deny: {},
  robots: false,
  nofollow: false,
  maxLoad: 0.7,
});

/** @throws LoaderError `invalid-option` */
export function resolvePrefetch(given: PrefetchOptions): Required<PrefetchOptions> {
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(prefetchDefaults, key)) continue;
    fail(key, `one of ${Object.keys(prefetchDefaults).join(', ')}`, key);
  }
  const told = Object.entries(given).filter(([, value]) => value !== undefined);
  const options = { ...prefetchDefaults, ...Object.fromEntries(told) };
  share('minProbability', options.minProbability);
  share('maxLoad', options.maxLoad);
  whole('maxRequests', options.maxRequests, 0, 1_000);
  whole('maxBytes', options.maxBytes, 0, Number.MAX_SAFE_INTEGER);
  whole('maxResourceBytes', options.maxResourceBytes, 0, Number.MAX_SAFE_INTEGER);
  whole('maxWholeBytes', options.maxWholeBytes, 0, Number.MAX_SAFE_INTEGER);
  whole('concurrency', options.concurrency, 1, 16);
  for (const name of ['subresources', 'queries', 'robots', 'nofollow'] as const) {
    if (typeof options[name] !== 'boolean') fail(name, 'true or false', options[name]);
  }
  checkDeny(options.deny);
  return options;
}

function checkDeny(deny: unknown): void {
  const names = ['extra', 'replace', 'allow'];
  const isObject = typeof deny === 'object' && deny !== null && !Array.isArray(deny);
  if (!isObject) fail('deny', `an object with ${names.join(', ')}`, deny);
  for (const [name, list] of Object.entries(deny)) {
    if (!names.includes(name)) fail(`deny.${name}`, `one of ${names.join(', ')}`, name);
    const isNone = list === undefined || (list === null && name === 'replace');
    if (!isNone && !Array.isArray(list)) fail(`deny.${name}`, 'a list of patterns', list);
  }
  try {
    denyList(deny);
  } catch (cause) {
    const { message } = cause as Error;
    throw new LoaderError('invalid-option', `prefetch.deny: ${message}`, { cause });
  }
}

function share(name: string, value: unknown): void {
  if (typeof value === 'number' && value >= 0 && value <= 1) return;
  fail(name, 'a number from 0 to 1', value);
}

function whole(name: string, value: unknown, least: number, most: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most)
    return;
  fail(name, `a whole number from ${least} to ${most}`, value);
}

function fail(name: string, rule: string, value: unknown): never {
  const isText = typeof value === 'string';
  const isObject = typeof value === 'object' && value !== null;
  const shown = isText
    ? JSON.stringify(value.slice(0, 200))
    : isObject
      ? typeof value
      : String(value);
  throw new LoaderError('invalid-option', `prefetch.${name} must be ${rule}; got ${shown}`);
}
