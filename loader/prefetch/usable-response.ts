// Decides whether the response to a prefetch is usable: a page's own request must get the same response, and the cache
// must be allowed to store it. The check needs only the header section, so that unusable bodies are cancelled early.

import { fieldValue, hasField } from '../../http/header-pairs.ts';
import { type CacheRequest, cacheResponse } from '../cache/entry.ts';
import type { HttpCache, Validation } from '../cache/http-cache.ts';
import type { Batch, ResponseHead } from '../transport/exchange.ts';

/** A prefetch that was sent and whose response is checked. */
interface AnsweredPrefetch {
  target: { isRules?: true };
  request: CacheRequest;
  validation: Validation | null;
  batch: Batch | null;
}

/**
 * Checks the header section of the response to a prefetch.
 * @param most Largest allowed body, bytes. @returns why the prefetch must be cancelled; null if it may continue
 */
export function refusalOf(
  job: AnsweredPrefetch,
  head: ResponseHead,
  most: number,
  cache: HttpCache,
): string | null {
  const { status, headers } = head;
  if (status === 304 && job.validation !== null) return null;
  // A redirect is refused by its status, too: it may lead anywhere, such as to a logout, so a prefetch follows none.
  if (!isForPages(head)) return `status ${status}, for prefetches`;
  if (Number(fieldValue(headers, 'content-length')) > most) return 'too large';
  if (job.target.isRules) return null;
  // A cookie must not be set before the page is opened, and must not be missing when the page comes from the cache.
  if (hasField(headers, 'set-cookie')) return 'it sets a cookie';
  const response = cacheResponse(head, job.batch?.sentAt);
  return cache.mayStore(job.request, response) ? null : 'not to be stored';
}

/** Whether a page's own request would get this response; not if Vary names Sec-Purpose, which pages do not send. */
export function isForPages({ status, headers }: ResponseHead): boolean {
  return status === 200 && !/(?:^|[\s,])sec-purpose(?:$|[\s,])/i.test(fieldValue(headers, 'vary'));
}
