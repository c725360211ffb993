// Is the range of a 206 the one that was asked for (RFC 9110 14.4)?

import type { StoredRange } from '../cache/entry.ts';
import type { ByteRange } from '../request/request-plan.ts';

/** A server may send less than was asked for, never something else. @param total null: not known before. */
export function answersRange(came: StoredRange, asked: ByteRange, total: number | null): boolean {
  if (came.first !== asked.first) return false;
  if (asked.last !== null && came.last > asked.last) return false;
  return total === null || came.total === total;
}
