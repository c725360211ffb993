// From what came to what is kept: the entry a response becomes, and what of the stored gives way to it.

import type { CacheRequest, CacheResponse, NewEntry, StoredHead, StoredRange } from '../entry.ts';
import { asWhole, combined, soundRange } from './ranges.ts';
import { fieldsToStore } from './stored-fields.ts';
import { strongTag } from './validators.ts';
import { selectingFields } from './vary.ts';

/** @returns null for a part whose length is not what its Content-Range says. */
export function newEntry(
  request: CacheRequest,
  response: CacheResponse,
  body: Buffer,
  shared: boolean,
  note: number | null = null,
): NewEntry | null {
  const range = response.status === 206 ? soundRange(response.headers) : null;
  if (range !== null && body.length !== range.last - range.first + 1) return null;
  const { status, statusText, requestedAtMs, receivedAtMs } = response;
  return asWhole({
    url: request.url,
    status,
    statusText,
    headers: fieldsToStore(response.headers, shared),
    requestedAtMs,
    receivedAtMs,
    vary: selectingFields(request, response, shared),
    range,
    note,
    body,
  });
}

/** Chosen by the same requests? */
export function isSameVariant(one: Pick<NewEntry, 'vary'>, other: Pick<NewEntry, 'vary'>): boolean {
  return JSON.stringify(one.vary) === JSON.stringify(other.vary);
}

/**
 * What is to be kept of a new entry beside the stored ones.
 * @param stored what is stored for its URL.
 * @param bodyOf reads a stored body; null when it is gone.
 * @param maxBytes parts are not put together beyond it.
 */
export function merge(
  entry: NewEntry,
  stored: StoredHead[],
  bodyOf: (id: number) => Buffer | null,
  maxBytes: number,
): { entry: NewEntry; outdated: number[] } {
  let kept = entry;
  const outdated: StoredHead[] = [];
  for (const other of stored.filter((candidate) => isSameVariant(candidate, entry))) {
    const tooLarge = kept.body.length + other.bodyBytes > maxBytes;
    const union = kept.range === null || tooLarge ? null : joined(kept, other, bodyOf);
    if (union !== null) kept = union;
    if (union !== null || givesWay(other, kept)) outdated.push(other);
  }
  // One of the same range gives way by itself; a store may give its id to the new one.
  const others = outdated.filter(({ range }) => !isSameRange(range, kept.range));
  return { entry: kept, outdated: others.map(({ id }) => id) };
}

function joined(
  entry: NewEntry,
  other: StoredHead,
  bodyOf: (id: number) => Buffer | null,
): NewEntry | null {
  const tag = strongTag(entry.headers);
  if (tag === null || strongTag(other.headers) !== tag) return null;
  const body = bodyOf(other.id);
  return body === null ? null : combined({ ...other, body }, entry);
}

/** A whole one makes parts needless; other bytes under a new strong ETag make all older ones outdated. */
function givesWay(other: StoredHead, entry: NewEntry): boolean {
  if (entry.range === null) return other.range !== null;
  const tag = strongTag(entry.headers);
  return tag !== null && strongTag(other.headers) !== tag;
}

function isSameRange(one: StoredRange | null, other: StoredRange | null): boolean {
  return one?.first === other?.first && one?.last === other?.last && one?.total === other?.total;
}
