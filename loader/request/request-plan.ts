// How one request goes about what is stored: answered out of the cache, asked with conditions, asked for a
// part, or asked as if nothing were known. Decided when the request is made; nothing is sent here.

import { type HeaderPair, isNamed } from '../../http/header-pairs.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { CachedResponse, CacheMode, HttpCache, Validation } from '../cache/http-cache.ts';
import type { Protocol } from '../page-load.ts';

/** Offsets from 0, both ends included; null: to the end. */
export interface ByteRange {
  first: number;
  last: number | null;
}

export interface RequestPlan {
  /** Answers the request; nothing is sent. */
  hit: CachedResponse | null;
  /** The hit is stale: to be renewed behind the scenes. */
  refresh: Validation | null;
  /** Asked with conditions: a 304 means this one. */
  validation: Validation | null;
  /** Bytes asked for; null: all. */
  range: ByteRange | null;
  /** The representation's bytes before `range`, as they came; null: none are known. */
  prefix: Buffer | null;
  /** The validator `prefix` came under. */
  ifRange: string | null;
  /** Length of the whole representation where it is known, bytes. */
  total: number | null;
  /** What the request says besides its usual fields. */
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
  cache: HttpCache | null;
  mode: CacheMode;
  protocol: Protocol;
  /** First bytes to ask for; null: ask for the whole. */
  firstBytes: number | null;
}

export function planRequest(request: CacheRequest, context: PlanContext): RequestPlan {
  const { cache, mode, firstBytes } = context;
  const found = cache?.lookup(request, mode) ?? { kind: 'miss' as const };
  if (found.kind === 'hit') return { ...plainPlan, hit: found.response, refresh: found.refresh };
  if (found.kind === 'validate') {
    const { validation } = found;
    const conditions = conditionsFor(context.protocol, validation);
    // Validation and the first bytes of what may have changed are one request (RFC 9110 13.2.2: the
    // condition is judged first; a 304 has no range).
    const part = firstBytes === null ? plainPlan : firstPart(firstBytes);
    return { ...part, validation, fields: [...conditions, ...part.fields] };
  }
  if (found.kind === 'unavailable') return { ...plainPlan, hit: nothingStored };
  const begun = mode === 'default' ? cache?.partial(request) : null;
  if (begun) {
    return restPlan(begun.body, begun.entry.range?.total ?? null, begun.ifRange);
  }
  return firstBytes === null ? plainPlan : firstPart(firstBytes);
}

/** Ask for what follows `prefix`, of the representation that `ifRange` names (RFC 9110 13.1.5). */
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

function firstPart(bytes: number): RequestPlan {
  const last = bytes - 1;
  return { ...plainPlan, range: { first: 0, last }, fields: [['range', `bytes=0-${last}`]] };
}

/** HTTP/1.0 knew dates only (RFC 1945 10.9). */
function conditionsFor(protocol: Protocol, { conditions }: Validation): HeaderPair[] {
  if (protocol !== 'http1.0') return conditions;
  const dated = conditions.filter(([name]) => isNamed(name, 'if-modified-since'));
  return dated.length > 0 ? dated : conditions;
}

/** RFC 9111 5.2.1.7 */
export const nothingStored: CachedResponse = {
  status: 504,
  statusText: 'Gateway Timeout',
  headers: [],
  body: Buffer.alloc(0),
};
