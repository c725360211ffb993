// What a 304, or a HEAD, changes in what is stored (RFC 9111 3.2, 4.3.4, 4.3.5).

import { fieldLines, type HeaderPair, withoutFields } from '../../../http/header-pairs.ts';
import type { CacheResponse, StoredHead } from '../entry.ts';
import { entityTag, lastModified, weaklyEqual } from './validators.ts';

/** They describe the stored bytes, which stay as they are. */
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

/** They are about the message they came with: the stored ones are outdated by any new response. */
const aboutTheMessage = new Set(['age', 'date']);

/** The stored fields, each replaced where the new response has it too; new ones are added. */
export function freshenedFields(
  stored: readonly HeaderPair[],
  fresh: readonly HeaderPair[],
): HeaderPair[] {
  const news = withoutFields(fresh, aboutTheBody);
  const replaced = new Set([...aboutTheMessage, ...news.map(([name]) => name.toLowerCase())]);
  return [...withoutFields(stored, replaced), ...news];
}

/**
 * Does this 304 speak of what is stored (RFC 9111 4.3.4)? Its ETag is compared weakly, as If-None-Match was:
 * nginx weakens the ETag of what it compresses, and answers with the strong one in its 304. A 304 without
 * validators speaks of what was asked about.
 */
export function isConfirmedBy(entry: StoredHead, response: CacheResponse): boolean {
  const tag = entityTag(response.headers);
  const stored = entityTag(entry.headers);
  if (tag !== null) return stored !== null && weaklyEqual(stored, tag);
  const modified = lastModified(response);
  return modified === null || modified === lastModified(entry);
}

/** Does the 200 that a HEAD brought describe the stored bytes (RFC 9111 4.3.5)? */
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
