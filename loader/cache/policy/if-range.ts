// The validator under which parts of a representation may be put together: a strong one only (RFC 9110
// 13.1.5, 8.8.1).

import { fieldLines, type HeaderPair, hasField } from '../../../http/header-pairs.ts';
import { parseHttpDate } from './http-date.ts';
import { strongTag } from './validators.ts';

/** @returns the value of If-Range; null when nothing names this very representation for sure. */
export function ifRangeOf(headers: readonly HeaderPair[]): string | null {
  if (hasField(headers, 'etag')) {
    const tag = strongTag(headers);
    // As the grammar has it (8.8.3): one that no server should have written is not sent back.
    return tag !== null && /^"[\x21\x23-\x7e\x80-\xff]*"$/.test(tag) ? tag : null;
  }
  const [modified] = fieldLines(headers, 'last-modified');
  const [date] = fieldLines(headers, 'date');
  if (modified === undefined || date === undefined) return null;
  const [modifiedMs, dateMs] = [modified, date].map((text) => parseHttpDate(text, Date.now()));
  if (modifiedMs == null || dateMs == null) return null;
  // A date is strong when the origin's clock had moved on by a second when it answered (8.8.2.2).
  return dateMs - modifiedMs >= 1000 ? modified : null;
}

/** Does a 206 come from the representation that If-Range named? (RFC 9110 15.3.7: it repeats ETag, and need not repeat Last-Modified.) */
export function isUnder(ifRange: string, headers: readonly HeaderPair[]): boolean {
  if (ifRange.startsWith('"')) return strongTag(headers) === ifRange;
  const [modified] = fieldLines(headers, 'last-modified');
  return modified === undefined || modified === ifRange;
}
