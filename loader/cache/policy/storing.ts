// Decides whether a response may be stored (RFC 9111 3), and what it invalidates (4.4). Only responses that are useful
// later are stored: those that are fresh for a time or have a validator.

import { cacheDirectives } from '../../../http/cache-directives.ts';
import { fieldLines, fieldValue, hasField } from '../../../http/header-pairs.ts';
import { isSafe } from '../../../http/methods.ts';
import type { CacheRequest, CacheResponse } from '../entry.ts';
import { allowsHeuristics, explicitLifetimeMs, lifetimeMs } from './freshness.ts';
import { soundRange, wantedRange } from './ranges.ts';
import { conditionsFor } from './validators.ts';
import { variesByEverything } from './vary.ts';

/**
 * Status codes that answer properties of one request rather than its URL: credentials, preconditions, ranges. 428, 429,
 * 431 and 511 must not be stored in any case (RFC 6585), and a 304 is not a response that can be stored by itself.
 */
const neverStored = new Set([304, 401, 407, 412, 416, 417, 421, 425, 428, 429, 431, 511]);

/** Final status codes that this cache understands (RFC 9110 15, RFC 9111 5.2.2.3). */
const understood = new Set([
  200, 203, 204, 206, 300, 301, 302, 303, 307, 308, 400, 403, 404, 405, 410, 414, 451, 500, 501,
  502, 503, 504,
]);

/** Whether the response may be stored, apart from its body's length and the Fetch cache mode. */
export function mayBeStored(request: CacheRequest, response: CacheResponse): boolean {
  const { status, headers } = response;
  if (status < 200 || status > 599 || neverStored.has(status)) return false;
  if (request.method !== 'GET' || hasContent(request)) return false;
  if (cacheDirectives(request.headers).has('no-store')) return false;
  if (variesByEverything(headers)) return false;
  if (status === 206 && !isSoundPart(request, response)) return false;
  const directives = cacheDirectives(headers);
  if (directives.has('must-understand') && !understood.has(status)) return false;
  // With must-understand, no-store is meant only for caches that do not know must-understand (RFC 9111 5.2.2.3).
  if (directives.has('no-store') && !directives.has('must-understand')) return false;
  return isMeantToBeStored(response) && isOfUse(response);
}

/** Whether the request has content, so that its URL alone does not identify the response. */
export function hasContent(request: CacheRequest): boolean {
  if (hasField(request.headers, 'transfer-encoding')) return true;
  return !['', '0'].includes(fieldValue(request.headers, 'content-length'));
}

function isSoundPart(request: CacheRequest, response: CacheResponse): boolean {
  return wantedRange(request).kind === 'single' && soundRange(response.headers) !== null;
}

function isMeantToBeStored(response: CacheResponse): boolean {
  if (explicitLifetimeMs(response) !== null || allowsHeuristics(response)) return true;
  return cacheDirectives(response.headers).has('private');
}

function isOfUse(response: CacheResponse): boolean {
  if (lifetimeMs(response) > 0 || conditionsFor(response).length > 0) return true;
  const directives = cacheDirectives(response.headers);
  return ['stale-if-error', 'stale-while-revalidate'].some(
    (name) => (directives.seconds(name) ?? 0) > 0,
  );
}

/**
 * Returns the URLs whose stored responses this response invalidates: the requested URL, and those of the same origin
 * that Location and Content-Location name (RFC 9111 4.4).
 */
export function outdatedUrls(request: CacheRequest, response: CacheResponse): string[] {
  if (isSafe(request.method) || response.status < 200 || response.status > 399) return [];
  const urls = new Set([request.url]);
  const { origin } = new URL(request.url);
  for (const name of ['location', 'content-location']) {
    for (const line of fieldLines(response.headers, name)) {
      if (!URL.canParse(line, request.url)) continue;
      const url = new URL(line, request.url);
      url.hash = '';
      if (url.origin === origin) urls.add(url.href);
    }
  }
  return [...urls];
}
