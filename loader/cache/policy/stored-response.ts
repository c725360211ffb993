// Makes the response that a client gets from a cache entry: whole, a range, or headers only. Other files decide whether
// the entry may be used.

import { withField } from '../../../http/header-pairs.ts';
import type { CacheRequest, StoredHead, StoredRange } from '../entry.ts';
import type { CachedResponse } from '../http-cache.ts';
import { currentAgeSeconds } from './freshness.ts';
import { covers, partFields, resolveRange, wantedRange } from './ranges.ts';

/** A response without its body, and the stored bytes that belong to it. */
export interface StoredResponse extends Omit<CachedResponse, 'body'> {
  /** Offsets in the stored body, end exclusive; null: the response has no body. */
  bytes: { start: number; end: number } | null;
}

/** Returns the entry's response to the request; null: the entry cannot answer it. */
export function storedResponseOf(entry: StoredHead, request: CacheRequest): StoredResponse | null {
  const { status, statusText, headers } = entry;
  const whole = { status, statusText, headers, bytes: { start: 0, end: entry.bodyBytes } };
  const range = rangeToSend(entry, request);
  if (range === null) return null;
  if (request.method === 'HEAD') return { ...whole, bytes: null };
  return range === 'whole' ? whole : part(entry, range);
}

/** Adds an Age field with the current age (RFC 9111 5.1). */
export function withAge(answer: StoredResponse, entry: StoredHead, nowMs: number): StoredResponse {
  const age = String(currentAgeSeconds(entry, nowMs));
  return { ...answer, headers: withField(answer.headers, 'Age', age) };
}

/**
 * Adds the stored body to a response.
 * @param body Reads the entry's body; not called for a response without a body. @returns null: the entry is gone.
 */
export function complete(answer: StoredResponse, body: () => Buffer | null): CachedResponse | null {
  const { bytes, ...head } = answer;
  if (bytes === null) return { ...head, body: Buffer.alloc(0) };
  const stored = body();
  return stored === null ? null : { ...head, body: stored.subarray(bytes.start, bytes.end) };
}

function rangeToSend(entry: StoredHead, request: CacheRequest): StoredRange | 'whole' | null {
  const wanted = wantedRange(request);
  const whole = entry.range === null ? 'whole' : null;
  if (wanted.kind === 'whole') return whole;
  // Range applies to a 200 only; other responses are used whole (RFC 9110 14.2).
  if (entry.status !== 200 && entry.range === null) return whole;
  if (wanted.kind === 'other') return null;
  const range = resolveRange(wanted, entry.range?.total ?? entry.bodyBytes);
  return range !== null && covers(entry.range, range) ? range : null;
}

function part(entry: StoredHead, range: StoredRange): StoredResponse {
  const offset = entry.range?.first ?? 0;
  return {
    status: 206,
    statusText: 'Partial Content',
    headers: partFields(entry.headers, range),
    bytes: { start: range.first - offset, end: range.last + 1 - offset },
  };
}
