// Evaluates the caller's own conditions against a usable stored response, as the server would (RFC 9111 4.3.2).

import { fieldValue, hasField } from '../../../http/header-pairs.ts';
import type { CacheRequest, StoredHead } from '../entry.ts';
import { dateMs } from './freshness.ts';
import { parseHttpDate } from './http-date.ts';
import { entityTag, lastModified, listedTags, strongTag, weaklyEqual } from './validators.ts';

/** Whether the request has conditions that depend on the current state of the resource, known only to its server. */
export function needsServer(request: CacheRequest): boolean {
  return ['if-match', 'if-unmodified-since'].some((name) => hasField(request.headers, name));
}

/** Whether the caller set conditions that our own validation would interfere with. */
export function isConditional(request: CacheRequest): boolean {
  return ['if-none-match', 'if-modified-since', 'if-range'].some((name) =>
    hasField(request.headers, name),
  );
}

/** Whether the caller already has the stored response and should get a 304. */
export function isNotModified(request: CacheRequest, entry: StoredHead): boolean {
  if (entry.status !== 200 && entry.status !== 206) return false;
  // If-None-Match overrides If-Modified-Since (RFC 9110 13.1.3).
  if (hasField(request.headers, 'if-none-match')) {
    const tags = listedTags(fieldValue(request.headers, 'if-none-match'));
    const stored = entityTag(entry.headers);
    return tags.includes('*') || (stored !== null && tags.some((tag) => weaklyEqual(tag, stored)));
  }
  const since = parseHttpDate(fieldValue(request.headers, 'if-modified-since'), entry.receivedAtMs);
  return since !== null && modifiedMs(entry) <= since;
}

/**
 * The effect of If-Range on a Range (RFC 9110 13.1.5): `part` if it identifies the stored bytes, `whole` if it
 * identifies others, null if that cannot be decided here.
 */
export function rangeCondition(request: CacheRequest, entry: StoredHead): 'part' | 'whole' | null {
  if (!hasField(request.headers, 'if-range')) return 'part';
  const asked = fieldValue(request.headers, 'if-range');
  const stored = strongTag(entry.headers);
  if (!asked.startsWith('"') || stored === null) return null;
  return asked === stored ? 'part' : 'whole';
}

/** Time of the last modification; if there is no Last-Modified, Date or the time of receipt (RFC 9111 4.3.2). */
function modifiedMs(entry: StoredHead): number {
  const modified = lastModified(entry);
  return modified === null
    ? dateMs(entry)
    : (parseHttpDate(modified, entry.receivedAtMs) ?? Number.POSITIVE_INFINITY);
}
