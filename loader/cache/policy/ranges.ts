// Judges ranges of representations (RFC 9110 14, RFC 9111 3.3, 3.4): which range a request asks for, whether it is
// stored, and when two ranges can be combined.

import {
  fieldLines,
  fieldValue,
  type HeaderPair,
  hasField,
  withField,
  withoutFields,
} from '../../../http/header-pairs.ts';
import type { CacheRequest, NewEntry, StoredRange } from '../entry.ts';
import { freshenedFields } from './freshen.ts';
import { strongTag } from './validators.ts';

/** First and last position, both inclusive. `first` null: the final `last` bytes; `last` null: all from `first`. */
interface RangeSpec {
  first: number | null;
  last: number | null;
}

export type WantedRange =
  | { kind: 'whole' }
  | ({ kind: 'single' } & RangeSpec)
  /** Range is malformed, or asks for several ranges or for a unit other than bytes: the server has to decide. */
  | { kind: 'other' };

/** Returns the range that a request asks for; Range applies to GET only (RFC 9110 14.2). */
export function wantedRange(request: CacheRequest): WantedRange {
  if (request.method !== 'GET' || !hasField(request.headers, 'range')) return { kind: 'whole' };
  const found = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})$/i.exec(fieldValue(request.headers, 'range'));
  const first = numberOrNull(found?.[1]);
  const last = numberOrNull(found?.[2]);
  if (first === null && last === null) return { kind: 'other' };
  if (first !== null && last !== null && last < first) return { kind: 'other' };
  return { kind: 'single', first, last };
}

/** Returns the Content-Range of a single-part 206; null if it is missing, invalid or lacks the complete length. */
export function soundRange(headers: readonly HeaderPair[]): StoredRange | null {
  const lines = fieldLines(headers, 'content-range');
  const found = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i.exec(lines.join(', '));
  if (found === null) return null;
  const [first, last, total] = found.slice(1).map(Number) as [number, number, number];
  return first <= last && last < total ? { first, last, total } : null;
}

/** Returns the requested range of a representation of `total` bytes; null if it has no byte of it (RFC 9110 14.1.2). */
export function resolveRange(spec: RangeSpec, total: number): StoredRange | null {
  const { first, last } = spec;
  if (first === null) {
    const length = Math.min(last ?? 0, total);
    return length === 0 ? null : { first: total - length, last: total - 1, total };
  }
  if (first >= total) return null;
  return { first, last: Math.min(last ?? total - 1, total - 1), total };
}

/** Whether the stored body contains all bytes of `wanted`. */
export function covers(stored: StoredRange | null, wanted: StoredRange): boolean {
  return stored === null || (stored.first <= wanted.first && wanted.last <= stored.last);
}

/** Returns the header section of a 206 for `range`, made from that of the whole representation. */
export function partFields(headers: readonly HeaderPair[], range: StoredRange): HeaderPair[] {
  const { first, last, total } = range;
  const described = withField(headers, 'Content-Range', `bytes ${first}-${last}/${total}`);
  return withField(described, 'Content-Length', String(last - first + 1));
}

/**
 * Combines two ranges into one entry, if they are of the same bytes: they have the same strong ETag, total length and
 * coding, and leave no gap (RFC 9111 3.4). The newer fields are kept. null: they cannot be combined.
 */
export function combined(older: NewEntry, newer: NewEntry): NewEntry | null {
  const a = older.range;
  const b = newer.range;
  const tag = strongTag(newer.headers);
  if (a === null || b === null || a.total !== b.total) return null;
  if (tag === null || strongTag(older.headers) !== tag || !sameCoding(older, newer)) return null;
  if (a.first > b.last + 1 || b.first > a.last + 1) return null;
  const range = {
    first: Math.min(a.first, b.first),
    last: Math.max(a.last, b.last),
    total: b.total,
  };
  const before = older.body.subarray(0, Math.max(0, b.first - a.first));
  const after = older.body.subarray(Math.max(0, b.last + 1 - a.first));
  const body = Buffer.concat(a.first < b.first ? [before, newer.body, after] : [newer.body, after]);
  const headers = freshenedFields(older.headers, newer.headers);
  return asWhole({ ...newer, headers: partFields(headers, range), range, body });
}

/** Turns a 206 that covers the whole representation into a 200; returns any other entry as it is. */
export function asWhole(entry: NewEntry): NewEntry {
  const { range } = entry;
  if (range === null || range.first !== 0 || range.last !== range.total - 1) return entry;
  const headers = wholeFields(entry.headers, range.total);
  return { ...entry, status: 200, statusText: 'OK', headers, range: null };
}

/** Returns the header section of a 200, made from that of a 206. */
export function wholeFields(headers: readonly HeaderPair[], total: number): HeaderPair[] {
  return withField(
    withoutFields(headers, new Set(['content-range'])),
    'Content-Length',
    String(total),
  );
}

function sameCoding(one: NewEntry, other: NewEntry): boolean {
  const coding = (entry: NewEntry): string =>
    fieldValue(entry.headers, 'content-encoding').toLowerCase();
  return coding(one) === coding(other);
}

function numberOrNull(digits: string | undefined): number | null {
  return digits === undefined || digits === '' ? null : Number(digits);
}
