// Decides which ETag and Last-Modified (RFC 9110 8.8) can be trusted, compares them, and makes conditions of them.

import { fieldLines, type HeaderPair, hasField, soleValue } from '../../../http/header-pairs.ts';
import type { CacheResponse } from '../entry.ts';
import { parseHttpDate } from './http-date.ts';

type Described = Pick<CacheResponse, 'headers' | 'receivedAtMs'>;

/** Returns the ETag as written, quoted or not; null if there is none, or if there are several that differ. */
export function entityTag(headers: readonly HeaderPair[]): string | null {
  const tag = soleValue(headers, 'etag') ?? '';
  // An unquoted ETag is malformed, but the server that sent it will recognize it.
  return /^(?:(?:W\/)?"[^"]*"|[^\s",]+)$/i.test(tag) ? tag : null;
}

/** Returns the ETag if it is strong, so that it identifies exactly these bytes; else null. */
export function strongTag(headers: readonly HeaderPair[]): string | null {
  const tag = entityTag(headers);
  return tag?.startsWith('"') ? tag : null;
}

/** Returns Last-Modified as written; null if it is not a valid date. */
export function lastModified(response: Described): string | null {
  const value = soleValue(response.headers, 'last-modified') ?? '';
  return parseHttpDate(value, response.receivedAtMs) === null ? null : value;
}

/** Compares two ETags weakly (RFC 9110 8.8.3.2). */
export function weaklyEqual(one: string, other: string): boolean {
  return opaque(one) === opaque(other);
}

/** Returns conditions on both ETag and Last-Modified, as some servers support only one (RFC 9110 13.1.3). */
export function conditionsFor(response: Described): HeaderPair[] {
  const conditions: HeaderPair[] = [];
  const tag = entityTag(response.headers);
  const modified = lastModified(response);
  if (tag !== null) conditions.push(['if-none-match', tag]);
  if (modified !== null) conditions.push(['if-modified-since', modified]);
  return conditions;
}

/**
 * Returns the value of If-Range to request a range that can be combined with stored ones (RFC 9110 13.1.5, 8.8.1).
 * @returns null if no validator identifies this exact representation.
 */
export function ifRangeOf(headers: readonly HeaderPair[]): string | null {
  if (hasField(headers, 'etag')) {
    const tag = strongTag(headers);
    // Only ETags that follow the grammar (RFC 9110 8.8.3) are sent back.
    return tag !== null && /^"[\x21\x23-\x7e\x80-\xff]*"$/.test(tag) ? tag : null;
  }
  const [modified] = fieldLines(headers, 'last-modified');
  const [date] = fieldLines(headers, 'date');
  if (modified === undefined || date === undefined) return null;
  const [modifiedMs, dateMs] = [modified, date].map((text) => parseHttpDate(text, Date.now()));
  if (modifiedMs == null || dateMs == null) return null;
  // A date is strong if the origin answered at least one second after it (RFC 9110 8.8.2.2).
  return dateMs - modifiedMs >= 1000 ? modified : null;
}

/**
 * Whether a 206 belongs to the representation identified by If-Range. A 206 repeats the ETag, but need not repeat
 * Last-Modified (RFC 9110 15.3.7).
 */
export function isUnder(ifRange: string, headers: readonly HeaderPair[]): boolean {
  if (ifRange.startsWith('"')) return strongTag(headers) === ifRange;
  const [modified] = fieldLines(headers, 'last-modified');
  return modified === undefined || modified === ifRange;
}

function opaque(tag: string): string {
  return tag.replace(/^W\//i, '');
}
