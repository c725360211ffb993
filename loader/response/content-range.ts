// Whether a 206 carries the requested range (RFC 9110 14.4).

import type { StoredRange } from '../cache/entry.ts';
import type { ByteRange } from '../request/request-plan.ts';

/** A server may send a shorter range, but not a different one. @param total null if unknown before. */
export function answersRange(came: StoredRange, asked: ByteRange, total: number | null): boolean {
  if (came.first !== asked.first) return false;
  if (asked.last !== null && came.last > asked.last) return false;
  return total === null || came.total === total;
}
