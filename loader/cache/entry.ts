// Cache entries as plain data: the types shared by policy, stores, pages and `createFetch`; and how a response, whose
// times the transport has on a monotonic clock, becomes one that can be stored.

import type { HeaderPair } from '../../http/header-pairs.ts';

/** The parts of a request that the cache uses. */
export interface CacheRequest {
  method: string;
  /** Absolute URL without fragment. */
  url: string;
  /** Fields as sent, with names in lower case. */
  headers: HeaderPair[];
}

/** The parts of a final response that the cache uses. */
export interface CacheResponse {
  status: number;
  statusText: string;
  headers: HeaderPair[];
  /** When the request was sent: wall clock, ms since the epoch (request_time, RFC 9111 4.2.3). */
  requestedAtMs: number;
  /** When the header section arrived: wall clock, ms since the epoch (response_time). */
  receivedAtMs: number;
}

/** Returns a response in the form that the cache stores. @param sentAt Monotonic time when its request was sent, ms */
export function cacheResponse(
  head: Pick<CacheResponse, 'status' | 'statusText' | 'headers'> & { startedAt: number },
  sentAt = head.startedAt,
): CacheResponse {
  const { status, statusText, headers, startedAt } = head;
  const zeroMs = Date.now() - performance.now();
  const [requestedAtMs, receivedAtMs] = [zeroMs + sentAt, zeroMs + startedAt];
  return { status, statusText, headers, requestedAtMs, receivedAtMs };
}

/** The byte range of a 206 (RFC 9110 14.4), with offsets from 0, both inclusive. */
export interface StoredRange {
  first: number;
  last: number;
  /** Length of the whole representation, bytes. */
  total: number;
}

/** An entry to store. Its body is as received: with its content coding, without transfer coding. */
export interface NewEntry extends CacheResponse {
  url: string;
  /** The request fields named by Vary, sorted by name, with their values ('' if absent); [] if there is no Vary. */
  vary: HeaderPair[];
  /** The range that the body contains; null: the body is the whole representation. */
  range: StoredRange | null;
  body: Buffer;
}

/** An entry without its body, which is read on demand. */
export interface StoredHead extends Omit<NewEntry, 'body'> {
  /** Number of the entry, unique within its store. */
  id: number;
  /** Length of the stored body, bytes. */
  bodyBytes: number;
}
