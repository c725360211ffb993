// Conditions that the caller wrote (RFC 9111 4.3.2): a stored response that may be used is held against them
// as the server would.

import { fieldValue, hasField } from '../../../http/header-pairs.ts';
import type { CacheRequest, StoredHead } from '../entry.ts';
import { dateMs } from './freshness.ts';
import { parseHttpDate } from './http-date.ts';
import { entityTag, lastModified, listedTags, strongTag, weaklyEqual } from './validators.ts';

/** They ask about the resource as it is now: only its server can say. */
export function needsServer(request: CacheRequest): boolean {
  return ['if-match', 'if-unmodified-since'].some((name) => hasField(request.headers, name));
}

/** Conditions of the caller's own, that a validation of ours would disturb. */
export function isConditional(request: CacheRequest): boolean {
  return ['if-none-match', 'if-modified-since', 'if-range'].some((name) =>
    hasField(request.headers, name),
  );
}

/** Does the caller have what is stored? Then it is told so by a 304. */
export function isNotModified(request: CacheRequest, entry: StoredHead): boolean {
  if (entry.status !== 200 && entry.status !== 206) return false;
  // If-Modified-Since does not count beside If-None-Match (RFC 9110 13.1.3).
  if (hasField(request.headers, 'if-none-match')) {
    const tags = listedTags(fieldValue(request.headers, 'if-none-match'));
    const stored = entityTag(entry.headers);
    return tags.includes('*') || (stored !== null && tags.some((tag) => weaklyEqual(tag, stored)));
  }
  const since = parseHttpDate(fieldValue(request.headers, 'if-modified-since'), entry.receivedAtMs);
  return since !== null && modifiedMs(entry) <= since;
}

/**
 * What If-Range makes of a Range (RFC 9110 13.1.5): `part` where it names the stored bytes, `whole` where it
 * names others, null where that cannot be told here.
 */
export function rangeCondition(request: CacheRequest, entry: StoredHead): 'part' | 'whole' | null {
  if (!hasField(request.headers, 'if-range')) return 'part';
  const asked = fieldValue(request.headers, 'if-range');
  const stored = strongTag(entry.headers);
  if (!asked.startsWith('"') || stored === null) return null;
  return asked === stored ? 'part' : 'whole';
}

/** Without Last-Modified, Date and the time it came stand in (RFC 9111 4.3.2). */
function modifiedMs(entry: StoredHead): number {
  const modified = lastModified(entry);
  return modified === null
    ? dateMs(entry)
    : (parseHttpDate(modified, entry.receivedAtMs) ?? Number.POSITIVE_INFINITY);
}
