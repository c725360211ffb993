// Is what begins to come worth its bytes? Told at its header section, so that what would be of no use is given up
// before its body is on its way.

import { fieldValue, hasField } from '../../http/header-pairs.ts';
import type { HttpCache } from '../cache/http-cache.ts';
import type { ResponseHead } from '../transport/exchange.ts';
import { cacheResponseOf } from './cache-response.ts';
import { isForPages } from './for-pages.ts';
import type { PrefetchJob } from './prefetch-job.ts';

/** @param most bytes that its body may have. @returns why it is given up; null: go on. */
export function refusalOf(
  job: PrefetchJob,
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
