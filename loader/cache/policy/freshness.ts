// Computes age and freshness lifetime of a response (RFC 9111 4.2). Times are in ms and never negative.

import { cacheDirectives, longestSeconds } from '../../../http/cache-directives.ts';
import { splitMembers } from '../../../http/field-syntax.ts';
import { fieldLines, fieldValue, hasField, soleValue } from '../../../http/header-pairs.ts';
import type { CacheResponse } from '../entry.ts';
import { parseHttpDate } from './http-date.ts';

/** Upper limit on a heuristic lifetime, which RFC 9111 4.2.2 leaves open. */
const longestHeuristicMs = 24 * 60 * 60 * 1000;
const heuristicFraction = 0.1;

/** Status codes that are heuristically cacheable (RFC 9110 15.1). */
const heuristicallyCacheable = new Set([
  200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501,
]);

type Timed = Pick<CacheResponse, 'headers' | 'requestedAtMs' | 'receivedAtMs'>;
type Judged = Timed & Pick<CacheResponse, 'status'>;

/** Returns when the response was generated: Date, or the time of receipt without a valid Date (RFC 9110 6.6.1). */
export function dateMs(response: Pick<CacheResponse, 'headers' | 'receivedAtMs'>): number {
  const lines = fieldLines(response.headers, 'date');
  const date = lines.length === 1 ? parseHttpDate(lines[0] ?? '', response.receivedAtMs) : null;
  return date ?? response.receivedAtMs;
}

/** Returns the current_age of RFC 9111 4.2.3, ms. */
export function currentAgeMs(response: Timed, nowMs: number): number {
  // Dates are rounded down to whole seconds, so a fraction of a second does not count as age.
  const apparentMs = Math.max(0, wholeSeconds(response.receivedAtMs - dateMs(response)));
  const delayMs = Math.max(0, response.receivedAtMs - response.requestedAtMs);
  const initialMs = Math.max(apparentMs, ageSeconds(response) * 1000 + delayMs);
  // If the clock was set back, the difference counts as age; otherwise the entry would stay fresh for too long.
  return initialMs + Math.abs(nowMs - response.receivedAtMs);
}

/** Returns the current age as the Age field states it, whole seconds (RFC 9111 5.1). */
export function currentAgeSeconds(response: Timed, nowMs: number): number {
  return Math.min(Math.floor(currentAgeMs(response, nowMs) / 1000), longestSeconds);
}

/** Returns the lifetime (RFC 9111 4.2.1), or a heuristic one (4.2.2) if none is stated, ms; 0: stale from the start. */
export function lifetimeMs(response: Judged): number {
  return explicitLifetimeMs(response) ?? heuristicLifetimeMs(response);
}

/** Returns the freshness lifetime that the response states, ms; null: it states none. */
export function explicitLifetimeMs(response: Timed): number | null {
  const seconds = cacheDirectives(response.headers).seconds('max-age');
  if (seconds !== null) return seconds * 1000;
  const expires = fieldLines(response.headers, 'expires');
  if (expires.length === 0) return null;
  // An invalid date, such as "0", is in the past (RFC 9111 5.3).
  const times = expires.map((line) => parseHttpDate(line, response.receivedAtMs) ?? 0);
  return Math.max(0, times.reduce((first, next) => Math.min(first, next)) - dateMs(response));
}

/** Whether the response may be stored without an explicit lifetime (RFC 9111 3, 4.2.2). */
export function allowsHeuristics({
  status,
  headers,
}: Pick<CacheResponse, 'status' | 'headers'>): boolean {
  return heuristicallyCacheable.has(status) || cacheDirectives(headers).has('public');
}

function heuristicLifetimeMs(response: Judged): number {
  const { headers } = response;
  if (!allowsHeuristics(response)) return 0;
  // `Pragma: no-cache` has no meaning in a response (RFC 9111 5.4), but its sender evidently wanted no heuristic
  // lifetime.
  if (!hasField(headers, 'cache-control') && /no-cache/i.test(fieldValue(headers, 'pragma'))) {
    return 0;
  }
  const modified = parseHttpDate(soleValue(headers, 'last-modified') ?? '', response.receivedAtMs);
  if (modified === null) return 0;
  const unchangedMs = Math.max(0, dateMs(response) - modified);
  return Math.min(unchangedMs * heuristicFraction, longestHeuristicMs);
}

/** Returns the first member of the Age field, seconds; 0 if it is not a whole number (RFC 9111 5.1). */
function ageSeconds({ headers }: Timed): number {
  const [first = ''] = splitMembers(fieldValue(headers, 'age')).members;
  return /^\d+$/.test(first) ? Math.min(Number(first), longestSeconds) : 0;
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
