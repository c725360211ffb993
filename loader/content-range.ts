// The one range of a 206 (RFC 9110 14.4), and whether it is the one that was asked for.

import type { ByteRange } from './request-plan.ts';

export interface ContentRange {
  first: number;
  last: number;
  /** Length of the whole representation, bytes. */
  total: number;
}

/** @returns null when it is no single range of bytes of a known whole. */
export function parseContentRange(value: string): ContentRange | null {
  const match = /^\s*bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15})\s*$/i.exec(value);
  if (match === null) return null;
  const [first, last, total] = match.slice(1).map(Number) as [number, number, number];
  return first <= last && last < total ? { first, last, total } : null;
}

/** A server may send less than was asked for, never something else. @param total null: not known before. */
export function answersRange(came: ContentRange, asked: ByteRange, total: number | null): boolean {
  if (came.first !== asked.first) return false;
  if (asked.last !== null && came.last > asked.last) return false;
  return total === null || came.total === total;
}
