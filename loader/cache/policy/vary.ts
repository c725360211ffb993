// Which requests a stored response answers (RFC 9111 4.1). Values are compared in a normal form, in which
// they are also stored, so that an entry of the same variant gives way whatever its spelling was.

import { createHash } from 'node:crypto';
import { cacheDirectives } from '../../../http/cache-directives.ts';
import { nameList, splitMembers } from '../../../http/field-syntax.ts';
import { fieldLines, fieldValue, type HeaderPair } from '../../../http/header-pairs.ts';
import type { CacheRequest, CacheResponse, NewEntry, StoredHead } from '../entry.ts';
import { strongTag } from './validators.ts';

/** Of these only a digest is kept: a store is a file that may be copied. */
const secrets = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** Commas in these separate nothing. */
const noLists = new Set(['origin', 'referer', 'user-agent']);

/** Vary names every request different: it can never be matched. */
export function variesByEverything(headers: readonly HeaderPair[]): boolean {
  return varyNames(headers).includes('*');
}

/**
 * The request's fields that choose this response, sorted by name. `authorization` is one of them in a
 * private cache unless the response is `public`: what one user's token brought is no answer to another's,
 * even where one process speaks for both.
 */
export function selectingFields(
  request: CacheRequest,
  response: Pick<CacheResponse, 'headers'>,
  shared: boolean,
): HeaderPair[] {
  const names = new Set(varyNames(response.headers));
  if (boundToAuthorization(request, response, shared)) names.add('authorization');
  return [...names].sort().map((name) => [name, normalValue(request.headers, name)]);
}

/** Would this request have chosen this entry? */
export function isSelectedBy(
  entry: Pick<NewEntry, 'headers' | 'vary'>,
  request: CacheRequest,
  shared: boolean,
): boolean {
  if (
    boundToAuthorization(request, entry, shared) &&
    !entry.vary.some(([name]) => name === 'authorization')
  ) {
    return false;
  }
  return entry.vary.every(([name, value]) => value === normalValue(request.headers, name));
}

/**
 * Whole responses that a request may ask about though they are another variant's: known by exact bytes, and
 * not chosen by who asks.
 */
export function variantsToAskAbout(entries: StoredHead[]): StoredHead[] {
  return entries.filter(
    ({ status, range, headers, vary }) =>
      status === 200 &&
      range === null &&
      strongTag(headers) !== null &&
      !vary.some(([name]) => name === 'authorization' || name === 'cookie'),
  );
}

function boundToAuthorization(
  request: CacheRequest,
  response: Pick<CacheResponse, 'headers'>,
  shared: boolean,
): boolean {
  if (shared || fieldLines(request.headers, 'authorization').length === 0) return false;
  return !cacheDirectives(response.headers).has('public');
}

function varyNames(headers: readonly HeaderPair[]): string[] {
  return nameList(fieldValue(headers, 'vary'));
}

/** '' when absent. Lists lose the blanks around their commas; codings and languages are in no case. */
function normalValue(headers: readonly HeaderPair[], name: string): string {
  const value = fieldValue(headers, name);
  if (secrets.has(name) && value !== '') {
    return createHash('sha256').update(value).digest('base64url');
  }
  if (noLists.has(name)) return value;
  const members = splitMembers(value).members;
  if (name === 'accept-encoding') return members.map(withoutBlanks).sort().join(', ');
  // Their order is kept, against RFC 9110 12.5.4: servers do take the first of equals.
  if (name === 'accept-language') return members.map(withoutBlanks).join(', ');
  return members.join(', ');
}

function withoutBlanks(member: string): string {
  return member.toLowerCase().replace(/[ \t]+/g, '');
}
