// ETag and Last-Modified (RFC 9110 8.8): which of a response can be trusted, how they are compared, and the
// conditions made of them.

import { fieldLines, fieldValue, type HeaderPair } from '../../../http/header-pairs.ts';
import type { CacheResponse } from '../entry.ts';
import { parseHttpDate } from './http-date.ts';

type Described = Pick<CacheResponse, 'headers' | 'receivedAtMs'>;

/** The ETag as it was written, quotes or not; null when there is none, or more than one. */
export function entityTag(headers: readonly HeaderPair[]): string | null {
  const lines = fieldLines(headers, 'etag');
  const tag = lines.length === 1 ? (lines[0] ?? '') : '';
  // Without quotes it is malformed, but the server that wrote it knows it again.
  return /^(?:(?:W\/)?"[^"]*"|[^\s",]+)$/i.test(tag) ? tag : null;
}

/** An ETag that stands for exactly these bytes; null when there is none. */
export function strongTag(headers: readonly HeaderPair[]): string | null {
  const tag = entityTag(headers);
  return tag?.startsWith('"') ? tag : null;
}

/** Last-Modified as it was written; null when it is no date. */
export function lastModified(response: Described): string | null {
  const value = fieldValue(response.headers, 'last-modified');
  return parseHttpDate(value, response.receivedAtMs) === null ? null : value;
}

/** RFC 9110 8.8.3.2: the same, whether weak or strong. */
export function weaklyEqual(one: string, other: string): boolean {
  return opaque(one) === opaque(other);
}

/** The tags of an If-None-Match; `*` is one of them. */
export function listedTags(field: string): string[] {
  return field.match(/(?:W\/)?"[^"]*"|[^\s",]+/gi) ?? [];
}

/** Both validators where both are there, as for servers that know but one (RFC 9110 13.1.3). */
export function conditionsFor(response: Described): HeaderPair[] {
  const conditions: HeaderPair[] = [];
  const tag = entityTag(response.headers);
  const modified = lastModified(response);
  if (tag !== null) conditions.push(['if-none-match', tag]);
  if (modified !== null) conditions.push(['if-modified-since', modified]);
  return conditions;
}

function opaque(tag: string): string {
  return tag.replace(/^W\//i, '');
}
