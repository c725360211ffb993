// What the cache did for a response, as its member of Cache-Status (RFC 9211): the last of the list, behind what
// the server and the caches before us said. It is put on what the caller gets, never on what is stored.
//
// Without `stored` and `ttl`: whether a response is stored is known when its body is over.

import { cacheDirectives } from '../../http/cache-directives.ts';
import type { CacheMode } from '../cache/http-cache.ts';
import type { FetchAnswer } from './fetch-answer.ts';
import type { FetchRequest } from './fetch-request.ts';

/** Why a request went to the server (RFC 9211 2.2). */
export type Forwarded = 'bypass' | 'method' | 'request' | 'stale' | 'miss';

/** @param found what the store had: something that has to be validated, or nothing. */
export function whyForwarded(
  { method, headers }: FetchRequest,
  mode: CacheMode,
  found: 'validate' | 'miss',
): Forwarded {
  if (mode === 'no-store') return 'bypass';
  if (method !== 'GET' && method !== 'HEAD') return 'method';
  if (mode === 'reload') return 'request';
  if (found === 'miss') return 'miss';
  // Whether it was stale, too, is not told: the caller wanted it validated either way.
  const asked = cacheDirectives(headers);
  const wanted = ['no-cache', 'max-age', 'min-fresh'].some((name) => asked.has(name));
  return mode === 'no-cache' || wanted ? 'request' : 'stale';
}

/** `parameters` are ours: tokens of RFC 9651, `hit` or `fwd=stale; fwd-status=304`. */
export function withCacheStatus(answer: FetchAnswer, parameters: string): FetchAnswer {
  const headers: FetchAnswer['headers'] = [
    ...answer.headers,
    ['cache-status', `loadahead; ${parameters}`],
  ];
  return { ...answer, headers };
}
