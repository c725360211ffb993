// Decides whether a response may be stored (RFC 9111 3). Only responses that are useful later are stored: those that
// are fresh for a time or have a validator.

import { cacheDirectives } from '../../../http/cache-directives.ts';
import { fieldValue, hasField } from '../../../http/header-pairs.ts';
import type { CacheRequest, CacheResponse } from '../entry.ts';
import { allowsHeuristics, explicitLifetimeMs, lifetimeMs } from './freshness.ts';
import { soundRange, wantedRange } from './ranges.ts';
import { responseDirectives } from './response-directives.ts';
import { conditionsFor } from './validators.ts';
import { variesByEverything } from './vary.ts';

/**
 * Responses to properties of one request rather than to its URL: credentials, preconditions, ranges. 428, 429, 431 and
 * 511 must not be stored in any case (RFC 6585), and a 304 is not a response that can be stored by itself.
 */
const neverStored = new Set([304, 401, 407, 412, 416, 417, 421, 425, 428, 429, 431, 511]);

/** Final status codes that this cache understands (RFC 9110 15, RFC 9111 5.2.2.3). */
const understood = new Set([
  200, 203, 204, 206, 300, 301, 302, 303, 307, 308, 400, 403, 404, 405, 410, 414, 451, 500, 501,
  502, 503, 504,
]);

/** Decides without considering the body's length or the Fetch cache mode. */
export function mayBeStored(
  request: CacheRequest,
  response: CacheResponse,
  shared: boolean,
): boolean {
  const { status, headers } = response;
  if (status < 200 || status > 599 || neverStored.has(status)) return false;
  if (!isKeptMethod(request, response, shared)) return false;
  if (cacheDirectives(request.headers).has('no-store')) return false;
  if (variesByEverything(headers)) return false;
  if (status === 206 && !isSoundPart(request, response)) return false;
  const directives = responseDirectives(headers, shared);
  if (directives.has('must-understand') && !understood.has(status)) return false;
  // must-understand comes with a no-store for caches that do not support it (RFC 9111 5.2.2.3).
  if (directives.has('no-store') && !directives.has('must-understand')) return false;
  if (shared && directives.isUnqualified('private')) return false;
  if (shared && hasField(request.headers, 'authorization') && !isForAll(response)) return false;
  return isMeantToBeStored(response, shared) && isOfUse(response, shared);
}

/** Whether the request has content, so that its URL alone does not identify the response. */
export function hasContent(request: CacheRequest): boolean {
  if (hasField(request.headers, 'transfer-encoding')) return true;
  return !['', '0'].includes(fieldValue(request.headers, 'content-length'));
}

/**
 * Accepts GET, and POST if the response says that it equals that to a GET and states a lifetime (RFC 9110 9.3.3).
 */
function isKeptMethod(request: CacheRequest, response: CacheResponse, shared: boolean): boolean {
  if (request.method === 'GET') return !hasContent(request);
  if (request.method !== 'POST' || response.status !== 200) return false;
  const location = fieldValue(response.headers, 'content-location');
  if (location === '' || explicitLifetimeMs(response, shared) === null) return false;
  return URL.canParse(location, request.url) && new URL(location, request.url).href === request.url;
}

function isSoundPart(request: CacheRequest, response: CacheResponse): boolean {
  return wantedRange(request).kind === 'single' && soundRange(response.headers) !== null;
}

/** A shared cache stores responses to authenticated requests only with the origin's permission (RFC 9111 3.5). */
function isForAll({ headers }: CacheResponse): boolean {
  const directives = responseDirectives(headers, true);
  return ['public', 'must-revalidate', 's-maxage'].some((name) => directives.has(name));
}

function isMeantToBeStored(response: CacheResponse, shared: boolean): boolean {
  if (explicitLifetimeMs(response, shared) !== null || allowsHeuristics(response, shared))
    return true;
  return !shared && cacheDirectives(response.headers).has('private');
}

function isOfUse(response: CacheResponse, shared: boolean): boolean {
  if (lifetimeMs(response, shared) > 0 || conditionsFor(response).length > 0) return true;
  const directives = responseDirectives(response.headers, shared);
  return ['stale-if-error', 'stale-while-revalidate'].some(
    (name) => (directives.seconds(name) ?? 0) > 0,
  );
}
