// The validator for combining parts of a representation, which must be a strong one (RFC 9110 13.1.5, 8.8.1).

import { fieldLines, type HeaderPair, hasField } from '../../../http/header-pairs.ts';
import { parseHttpDate } from './http-date.ts';
import { strongTag } from './validators.ts';

/** @returns The value of If-Range; null if no validator identifies this exact representation. */
export function ifRangeOf(headers: readonly HeaderPair[]): string | null {
  if (hasField(headers, 'etag')) {
    const tag = strongTag(headers);
    // Only ETags that follow the grammar (8.8.3) are sent back.
    return tag !== null && /^"[\x21\x23-\x7e\x80-\xff]*"$/.test(tag) ? tag : null;
  }
  const [modified] = fieldLines(headers, 'last-modified');
  const [date] = fieldLines(headers, 'date');
  if (modified === undefined || date === undefined) return null;
  const [modifiedMs, dateMs] = [modified, date].map((text) => parseHttpDate(text, Date.now()));
  if (modifiedMs == null || dateMs == null) return null;
  // A date is strong if the origin answered at least one second after it (8.8.2.2).
  return dateMs - modifiedMs >= 1000 ? modified : null;
}

/**
 * Whether a 206 belongs to the representation identified by If-Range. It repeats ETag, but need not repeat
 * Last-Modified (RFC 9110 15.3.7).
 */
export function isUnder(ifRange: string, headers: readonly HeaderPair[]): boolean {
  if (ifRange.startsWith('"')) return strongTag(headers) === ifRange;
  const [modified] = fieldLines(headers, 'last-modified');
  return modified === undefined || modified === ifRange;
}
