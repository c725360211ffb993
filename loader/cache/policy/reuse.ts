// Decides whether a stored response may be used for a request now (RFC 9111 4, 4.2.4, 5.2; RFC 5861; RFC 8246).

import { type CacheDirectives, cacheDirectives } from '../../../http/cache-directives.ts';
import { fieldValue, hasField } from '../../../http/header-pairs.ts';
import type { CacheRequest, StoredHead } from '../entry.ts';
import type { CacheMode } from '../http-cache.ts';
import { currentAgeMs, lifetimeMs } from './freshness.ts';

/** What to do with a stored response. `refresh`: use it, and revalidate it in the background. */
export type ReuseDecision = 'use' | 'refresh' | 'validate';

export function reuse(
  entry: StoredHead,
  request: CacheRequest,
  mode: CacheMode,
  nowMs: number,
): ReuseDecision {
  if (mode === 'force-cache' || mode === 'only-if-cached') return 'use';
  const asked = cacheDirectives(request.headers);
  const said = cacheDirectives(entry.headers);
  const ageMs = currentAgeMs(entry, nowMs);
  const staleMs = ageMs - lifetimeMs(entry);
  const fresh = staleMs < 0;
  if (said.isUnqualified('no-cache') || forbidsUse(request, asked)) return 'validate';
  // The cache mode `no-cache` is like `max-age=0`, but a fresh immutable response is used all the same (RFC 8246 2).
  if (mode === 'no-cache') return fresh && said.has('immutable') ? 'use' : 'validate';
  if (!isYoungEnough(asked, ageMs) || !staysFresh(asked, staleMs)) return 'validate';
  if (fresh) return 'use';
  // The response forbids its use when stale (RFC 9111 5.2.2.2).
  if (said.has('must-revalidate')) return 'validate';
  if (isWithin(staleMs, maxStaleMs(asked))) return 'use';
  return isWithin(staleMs, windowMs(said, 'stale-while-revalidate')) ? 'refresh' : 'validate';
}

/** Whether a stale response may be used if the server is unreachable or fails (RFC 5861 4). */
export function isUsableOnError(entry: StoredHead, request: CacheRequest, nowMs: number): boolean {
  const asked = cacheDirectives(request.headers);
  const said = cacheDirectives(entry.headers);
  if (said.isUnqualified('no-cache') || said.has('must-revalidate')) return false;
  if (forbidsUse(request, asked)) return false;
  const staleMs = currentAgeMs(entry, nowMs) - lifetimeMs(entry);
  const allowedMs = Math.max(
    windowMs(said, 'stale-if-error'),
    windowMs(asked, 'stale-if-error'),
    maxStaleMs(asked),
  );
  return isWithin(staleMs, allowedMs);
}

/** Whether the request says no-cache (RFC 9111 5.2.1.4), or Pragma says so without Cache-Control (5.4). */
function forbidsUse(request: CacheRequest, asked: CacheDirectives): boolean {
  if (asked.has('no-cache')) return true;
  if (hasField(request.headers, 'cache-control')) return false;
  return /(?:^|,)\s{0,9}no-cache\s{0,9}(?:,|$)/i.test(fieldValue(request.headers, 'pragma'));
}

/** Whether the response meets the request's max-age (RFC 9111 5.2.1.1). */
function isYoungEnough(asked: CacheDirectives, ageMs: number): boolean {
  const seconds = asked.seconds('max-age');
  return seconds === null || (seconds > 0 && ageMs <= seconds * 1000);
}

/** Whether the response meets the request's min-fresh (RFC 9111 5.2.1.3). */
function staysFresh(asked: CacheDirectives, staleMs: number): boolean {
  const seconds = asked.seconds('min-fresh');
  return seconds === null || staleMs <= -seconds * 1000;
}

/** Returns the staleness that max-stale accepts, ms; without an argument it accepts any (RFC 9111 5.2.1.2). */
function maxStaleMs(asked: CacheDirectives): number {
  return (asked.seconds('max-stale', Number.POSITIVE_INFINITY) ?? 0) * 1000;
}

function windowMs(directives: CacheDirectives, name: string): number {
  return (directives.seconds(name) ?? 0) * 1000;
}

/** Whether a time such as max-stale allows this staleness; 0 allows none, not even of a response just become stale. */
function isWithin(staleMs: number, windowMs: number): boolean {
  return windowMs > 0 && staleMs <= windowMs;
}
