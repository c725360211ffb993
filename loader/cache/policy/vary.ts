// Decides which requests a stored response may answer (RFC 9111 4.1). Field values are compared and stored in a
// normalized form, so that entries for different spellings of a variant replace each other.

import { createHash } from 'node:crypto';
import { cacheDirectives } from '../../../http/cache-directives.ts';
import { nameList, splitMembers } from '../../../http/field-syntax.ts';
import { fieldLines, fieldValue, type HeaderPair } from '../../../http/header-pairs.ts';
import type { CacheRequest, CacheResponse, NewEntry } from '../entry.ts';

/** Fields of which only a digest is stored, because the store may be a file that can be copied. */
const secrets = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** Fields that are no comma-separated lists, so that blanks around commas count. */
const noLists = new Set(['origin', 'referer', 'user-agent']);

/** Whether the response has `Vary: *`, which never matches. */
export function variesByEverything(headers: readonly HeaderPair[]): boolean {
  return varyNames(headers).includes('*');
}

/**
 * Returns the request fields that select this response, sorted by name. `authorization` is one of them
 * unless the response is `public`, so that one user's response never answers a request with another user's token, even
 * if one process serves both.
 */
export function selectingFields(
  request: CacheRequest,
  response: Pick<CacheResponse, 'headers'>,
): HeaderPair[] {
  const names = new Set(varyNames(response.headers));
  if (boundToAuthorization(request, response)) names.add('authorization');
  return [...names].sort().map((name) => [name, normalValue(request.headers, name)]);
}

/** Whether the request has the field values that the entry's Vary, and Authorization, require. */
export function isSelectedBy(
  entry: Pick<NewEntry, 'headers' | 'vary'>,
  request: CacheRequest,
): boolean {
  if (
    boundToAuthorization(request, entry) &&
    !entry.vary.some(([name]) => name === 'authorization')
  ) {
    return false;
  }
  return entry.vary.every(([name, value]) => value === normalValue(request.headers, name));
}

function boundToAuthorization(
  request: CacheRequest,
  response: Pick<CacheResponse, 'headers'>,
): boolean {
  if (fieldLines(request.headers, 'authorization').length === 0) return false;
  return !cacheDirectives(response.headers).has('public');
}

function varyNames(headers: readonly HeaderPair[]): string[] {
  return nameList(fieldValue(headers, 'vary'));
}

/**
 * Returns the normalized value of a field; '' if it is absent. Lists lose whitespace around commas; codings and
 * languages become lower case.
 */
function normalValue(headers: readonly HeaderPair[], name: string): string {
  const value = fieldValue(headers, name);
  if (secrets.has(name) && value !== '') {
    return createHash('sha256').update(value).digest('base64url');
  }
  if (noLists.has(name)) return value;
  const members = splitMembers(value).members;
  if (name === 'accept-encoding') return members.map(withoutBlanks).sort().join(', ');
  // The order is kept despite RFC 9110 12.5.4, as some servers take the first of several equally weighted languages.
  if (name === 'accept-language') return members.map(withoutBlanks).join(', ');
  return members.join(', ');
}

function withoutBlanks(member: string): string {
  return member.toLowerCase().replace(/[ \t]+/g, '');
}
