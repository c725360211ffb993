// Is what a prefetch got of use? It must be what a page would have got, and the cache must be allowed to keep it. This
// is decided at the header section, so that a body of no use is cancelled before it is on its way.

import { fieldValue, type HeaderPair, hasField } from '../../http/header-pairs.ts';
import type { CacheRequest, CacheResponse } from '../cache/entry.ts';
import type { HttpCache, Validation } from '../cache/http-cache.ts';
import type { Batch, ResponseHead } from '../transport/exchange.ts';

/** A prefetch: what was asked for, and what came. */
interface Prefetch {
  target: { isRules?: true };
  request: CacheRequest;
  validation: Validation | null;
  head: ResponseHead | null;
  batch: Batch | null;
}

/** @param most bytes that its body may have. @returns why it is given up; null: go on. */
export function refusalOf(
  job: Prefetch,
  head: ResponseHead,
  most: number,
  cache: HttpCache,
): string | null {
  const { status, headers } = head;
  if (status === 304 && job.validation !== null) return null;
  // A redirect may lead anywhere, to logout for one: only who asks for a page follows it.
  if (!isForPages(head)) return `status ${status}, for prefetches`;
  if (Number(fieldValue(headers, 'content-length')) > most) return 'too large';
  if (job.target.isRules) return null;
  // A cookie set behind the user's back, or lost where the page comes out of the cache, does harm.
  if (hasField(headers, 'set-cookie')) return 'it sets a cookie';
  const response = cacheResponseOf(job);
  const isUseful = response === null || cache.mayStore(job.request, response);
  return isUseful ? null : 'not to be stored';
}

/** Not an answer that only a prefetch gets. */
export function isForPages({ status, headers }: ResponseHead): boolean {
  return status === 200 && !variesByPurpose(headers);
}

/** A page's request has no Sec-Purpose: it would have got another answer (RFC 9111 4.1). */
function variesByPurpose(headers: readonly HeaderPair[]): boolean {
  return /(?:^|[\s,])sec-purpose(?:$|[\s,])/i.test(fieldValue(headers, 'vary'));
}

/** @returns null: no header section came yet. */
export function cacheResponseOf({
  head,
  batch,
}: Pick<Prefetch, 'head' | 'batch'>): CacheResponse | null {
  if (head === null) return null;
  const { status, statusText, headers, startedAt } = head;
  const requestedAtMs = wallTime(batch?.sentAt ?? startedAt);
  return { status, statusText, headers, requestedAtMs, receivedAtMs: wallTime(startedAt) };
}

/** From a monotonic time to the wall clock, ms since the epoch. */
function wallTime(at: number): number {
  return Date.now() - performance.now() + at;
}
