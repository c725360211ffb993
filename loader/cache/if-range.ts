// The validator under which parts of a representation may be put together: a strong one only (RFC 9110
// 13.1.5, 8.8.1).

import type { HeaderPair } from '../page-load.ts';

/** @returns the value of If-Range; null when nothing names this very representation for sure. */
export function ifRangeOf(headers: readonly HeaderPair[]): string | null {
  const value = (name: string) => headers.find(([key]) => key.toLowerCase() === name)?.[1].trim();
  const etag = value('etag');
  if (etag !== undefined) return /^"[\x21\x23-\x7e\x80-\xff]*"$/.test(etag) ? etag : null;
  const [modified, date] = [value('last-modified'), value('date')];
  if (modified === undefined || date === undefined) return null;
  // A date is strong when the origin's clock had moved on by a second when it answered (8.8.2.2).
  return Date.parse(date) - Date.parse(modified) >= 1000 ? modified : null;
}
