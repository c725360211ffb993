// The cache's member of Cache-Status (RFC 9211): what the cache did for a response. It is appended after the members
// of the server and other caches, and only to what the caller gets, never to what is stored. Without `stored` and
// `ttl`, because whether a response is stored is known only after its body ends.

import { cacheDirectives } from '../../http/cache-directives.ts';
import type { CacheMode } from '../cache/http-cache.ts';
import type { FetchAnswer } from './fetch-answer.ts';
import type { FetchRequest } from './fetch-request.ts';

/** Why a request was forwarded to the server (RFC 9211 2.2). */
export type Forwarded = 'bypass' | 'method' | 'request' | 'stale' | 'miss';

/** @param found Result of the lookup: a response to validate, or none. */
export function whyForwarded(
  { method, headers }: FetchRequest,
  mode: CacheMode,
  found: 'validate' | 'miss',
): Forwarded {
  if (mode === 'no-store') return 'bypass';
  if (method !== 'GET' && method !== 'HEAD') return 'method';
  if (mode === 'reload') return 'request';
  if (found === 'miss') return 'miss';
  // The caller wanted validation in any case, so staleness is not reported.
  const asked = cacheDirectives(headers);
  const wanted = ['no-cache', 'max-age', 'min-fresh'].some((name) => asked.has(name));
  return mode === 'no-cache' || wanted ? 'request' : 'stale';
}

/** @param parameters Trusted RFC 9651 parameters, such as `hit` or `fwd=stale; fwd-status=304`. */
export function withCacheStatus(answer: FetchAnswer, parameters: string): FetchAnswer {
  const headers: FetchAnswer['headers'] = [
    ...answer.headers,
    ['cache-status', `loadahead; ${parameters}`],
  ];
  return { ...answer, headers };
}
