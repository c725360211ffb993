// How a request uses the cache: it is answered from the cache, or sent with conditions, for a range, or unchanged. The
// plan is made before anything is sent.

import { type HeaderPair, isNamed } from '../../http/header-pairs.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { CachedResponse, CacheMode, HttpCache, Validation } from '../cache/http-cache.ts';
import type { Protocol } from '../page-load.ts';

/** A range of bytes: offsets from 0, both inclusive; `last` is null if the range ends with the representation. */
export interface PlanRange {
  first: number;
  last: number | null;
}

export interface RequestPlan {
  /** The stored response that answers the request, so that nothing is sent; null: there is none. */
  hit: CachedResponse | null;
  /** Set if `hit` is stale: the conditions with which it is revalidated in the background; null: it is fresh. */
  refresh: Validation | null;
  /** Set for a conditional request: a 304 refers to this stored response. */
  validation: Validation | null;
  /** The bytes to request; null: all are requested. */
  range: PlanRange | null;
  /** The bytes before `range` as received, with their content coding; null: none are stored. */
  prefix: Buffer | null;
  /** The validator of the stored `prefix`; null: there is no prefix. */
  ifRange: string | null;
  /** Length of the whole representation, bytes; null: unknown. */
  total: number | null;
  /** Fields to add to the request: its conditions (If-None-Match ...) and Range. */
  fields: HeaderPair[];
}

export const plainPlan: Readonly<RequestPlan> = Object.freeze({
  hit: null,
  refresh: null,
  validation: null,
  range: null,
  prefix: null,
  ifRange: null,
  total: null,
  fields: [],
});

export interface PlanContext {
  cache: HttpCache;
  mode: CacheMode;
  protocol: Protocol;
}

export function planRequest(request: CacheRequest, context: PlanContext): RequestPlan {
  const { cache, mode } = context;
  const found = cache.lookup(request, mode);
  if (found.kind === 'hit') return { ...plainPlan, hit: found.response, refresh: found.refresh };
  if (found.kind === 'validate') {
    const { validation } = found;
    const conditions = conditionsFor(context.protocol, validation);
    return { ...plainPlan, validation, fields: conditions };
  }
  if (found.kind === 'unavailable') return { ...plainPlan, hit: nothingStored };
  const begun = mode === 'default' ? cache.partial(request) : null;
  if (begun) {
    return restPlan(begun.body, begun.entry.range?.total ?? null, begun.ifRange);
  }
  return plainPlan;
}

/** Returns the plan to request the bytes after `prefix` of the representation that `ifRange` identifies (RFC 9110
 *  13.1.5). */
export function restPlan(prefix: Buffer, total: number | null, ifRange: string): RequestPlan {
  const first = prefix.length;
  return {
    ...plainPlan,
    range: { first, last: null },
    prefix,
    ifRange,
    total,
    fields: [
      ['range', `bytes=${first}-`],
      ['if-range', ifRange],
    ],
  };
}

/**
 * Returns the plan with a request for the first bytes only. If the plan is conditional, one request asks for validation
 * and, in case of a change, for the first bytes (RFC 9110 13.2.2: the condition is evaluated first, and a 304 has no
 * range).
 */
export function withFirstPart(plan: RequestPlan, bytes: number): RequestPlan {
  const last = bytes - 1;
  const fields: HeaderPair[] = [...plan.fields, ['range', `bytes=0-${last}`]];
  return { ...plan, range: { first: 0, last }, fields };
}

/** Selects the conditions for a protocol; HTTP/1.0 has only If-Modified-Since (RFC 1945 10.9). */
function conditionsFor(protocol: Protocol, { conditions }: Validation): HeaderPair[] {
  if (protocol !== 'http1.0') return conditions;
  const dated = conditions.filter(([name]) => isNamed(name, 'if-modified-since'));
  return dated.length > 0 ? dated : conditions;
}

/** The response to `only-if-cached` if nothing usable is stored (RFC 9111 5.2.1.7). */
export const nothingStored: CachedResponse = {
  status: 504,
  statusText: 'Gateway Timeout',
  headers: [],
  body: Buffer.alloc(0),
};
