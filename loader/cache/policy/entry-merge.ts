// Turns a received response into an entry, and finds the stored entries that it replaces.

import { cacheDirectives } from '../../../http/cache-directives.ts';
import { nameList } from '../../../http/field-syntax.ts';
import { fieldValue, type HeaderPair, withoutFields } from '../../../http/header-pairs.ts';
import { hopByHop } from '../../../http/hop-by-hop.ts';
import type { CacheRequest, CacheResponse, NewEntry, StoredHead, StoredRange } from '../entry.ts';
import { asWhole, combined, soundRange } from './ranges.ts';
import { strongTag } from './validators.ts';
import { selectingFields } from './vary.ts';

/**
 * Fields that change the meaning of the stored response; they are kept even if named in `Connection` or `no-cache`.
 */
const neverDropped = new Set([
  'age',
  'cache-control',
  'content-encoding',
  'content-range',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'vary',
]);

/** Drops hop-by-hop fields and those that `Connection` and `no-cache="..."` name (RFC 9111 3.1). */
export function fieldsToStore(headers: HeaderPair[]): HeaderPair[] {
  const named = [
    ...nameList(fieldValue(headers, 'connection')),
    ...cacheDirectives(headers).fieldNames('no-cache'),
  ].filter((name) => !neverDropped.has(name));
  return withoutFields(headers, new Set([...hopByHop, 'trailer', ...named]));
}

/** Makes the entry to store. @returns null if the response is a 206 whose length differs from its Content-Range. */
export function newEntry(
  request: CacheRequest,
  response: CacheResponse,
  body: Buffer,
): NewEntry | null {
  const range = response.status === 206 ? soundRange(response.headers) : null;
  if (range !== null && body.length !== range.last - range.first + 1) return null;
  const { status, statusText, requestedAtMs, receivedAtMs } = response;
  return asWhole({
    url: request.url,
    status,
    statusText,
    headers: fieldsToStore(response.headers),
    requestedAtMs,
    receivedAtMs,
    vary: selectingFields(request, response),
    range,
    body,
  });
}

/** Whether both entries are selected by the same requests. */
export function isSameVariant(one: Pick<NewEntry, 'vary'>, other: Pick<NewEntry, 'vary'>): boolean {
  return JSON.stringify(one.vary) === JSON.stringify(other.vary);
}

/**
 * Combines the entry to store with stored ones. @returns The result, and the ids of the entries that it makes outdated.
 * @param stored The stored entries of the same URL.
 * @param bodyOf Reads a stored body; null if it is gone.
 * @param maxBytes Largest combined body, bytes.
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
  // An entry with the same range is not listed as outdated: the store itself replaces it, and may reuse its id.
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

/**
 * Whether `entry` replaces `other`: a whole response replaces any range; a range with a strong ETag replaces whatever
 * has another ETag or none.
 */
function givesWay(other: StoredHead, entry: NewEntry): boolean {
  if (entry.range === null) return other.range !== null;
  const tag = strongTag(entry.headers);
  return tag !== null && strongTag(other.headers) !== tag;
}

function isSameRange(one: StoredRange | null, other: StoredRange | null): boolean {
  return one?.first === other?.first && one?.last === other?.last && one?.total === other?.total;
}
