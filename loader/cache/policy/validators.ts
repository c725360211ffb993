// ETag and Last-Modified (RFC 9110 8.8): which of them can be trusted, how they are compared, and the conditions that
// are made from them.

import { type HeaderPair, soleValue } from '../../../http/header-pairs.ts';
import type { CacheResponse } from '../entry.ts';
import { parseHttpDate } from './http-date.ts';

type Described = Pick<CacheResponse, 'headers' | 'receivedAtMs'>;

/** The ETag as written, quoted or not; null if there is none, or if there are several that differ. */
export function entityTag(headers: readonly HeaderPair[]): string | null {
  const tag = soleValue(headers, 'etag') ?? '';
  // An unquoted ETag is malformed, but the server that sent it will recognize it.
  return /^(?:(?:W\/)?"[^"]*"|[^\s",]+)$/i.test(tag) ? tag : null;
}

/** A strong ETag, which identifies exactly these bytes; else null. */
export function strongTag(headers: readonly HeaderPair[]): string | null {
  const tag = entityTag(headers);
  return tag?.startsWith('"') ? tag : null;
}

/** Last-Modified as written; null if it is not a valid date. */
export function lastModified(response: Described): string | null {
  const value = soleValue(response.headers, 'last-modified') ?? '';
  return parseHttpDate(value, response.receivedAtMs) === null ? null : value;
}

/** Compares two ETags weakly (RFC 9110 8.8.3.2). */
export function weaklyEqual(one: string, other: string): boolean {
  return opaque(one) === opaque(other);
}

/** The entity tags of an If-None-Match, including `*`. */
export function listedTags(field: string): string[] {
  return field.match(/(?:W\/)?"[^"]*"|[^\s",]+/gi) ?? [];
}

/** The conditions of a validation; both validators are sent, as some servers support only one (RFC 9110 13.1.3). */
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
