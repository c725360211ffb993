// Updates stored header fields from a 304 or the response to a HEAD (RFC 9111 3.2, 4.3.4, 4.3.5).

import { fieldLines, type HeaderPair, withoutFields } from '../../../http/header-pairs.ts';
import type { CacheResponse, StoredHead } from '../entry.ts';
import { entityTag, lastModified, weaklyEqual } from './validators.ts';

/** Fields that describe the stored bytes, which a 304 does not change. */
const aboutTheBody = new Set([
  'content-digest',
  'content-encoding',
  'content-length',
  'content-md5',
  'content-range',
  'digest',
  'etag',
  'repr-digest',
]);

/** Fields about one message, not the resource: those stored are dropped at a newer response, even if it lacks them. */
const aboutTheMessage = new Set(['age', 'date']);

/** Returns the stored fields, updated and supplemented with those of a newer response. */
export function freshenedFields(
  stored: readonly HeaderPair[],
  fresh: readonly HeaderPair[],
): HeaderPair[] {
  const news = withoutFields(fresh, aboutTheBody);
  const replaced = new Set([...aboutTheMessage, ...news.map(([name]) => name.toLowerCase())]);
  return [...withoutFields(stored, replaced), ...news];
}

/**
 * Whether this 304 refers to the entry (RFC 9111 4.3.4). ETags are compared weakly, as for If-None-Match: nginx
 * weakens the ETag of a compressed response but sends the strong one in its 304. A 304 without validators refers to
 * the entry that the request validated.
 */
export function isConfirmedBy(entry: StoredHead, response: CacheResponse): boolean {
  const tag = entityTag(response.headers);
  const stored = entityTag(entry.headers);
  if (tag !== null) return stored !== null && weaklyEqual(stored, tag);
  const modified = lastModified(response);
  return modified === null || modified === lastModified(entry);
}

/** Whether the 200 to a HEAD describes the stored bytes (RFC 9111 4.3.5). */
export function isDescribedBy(entry: StoredHead, head: CacheResponse): boolean {
  if (entry.status !== 200 && entry.status !== 206) return false;
  const tag = entityTag(head.headers);
  if (tag !== null && tag !== entityTag(entry.headers)) return false;
  const modified = lastModified(head);
  if (modified !== null && modified !== lastModified(entry)) return false;
  const lengths = fieldLines(head.headers, 'content-length');
  const stored = entry.range?.total ?? entry.bodyBytes;
  return lengths.every((length) => length === String(stored));
}
