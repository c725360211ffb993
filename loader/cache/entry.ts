// What a cache keeps, as plain data: the words that policy, stores, pages and `createFetch` share.

import type { HeaderPair } from '../../http/header-pairs.ts';

/** A request, as far as a cache must know it. */
export interface CacheRequest {
  method: string;
  /** Absolute, without fragment. */
  url: string;
  /** Names in lower case; as they are sent. */
  headers: HeaderPair[];
}

/** A final response, as far as a cache must know it. */
export interface CacheResponse {
  status: number;
  statusText: string;
  headers: HeaderPair[];
  /** Wall clock, ms since the epoch: when the request left (request_time, RFC 9111 4.2.3). */
  requestedAtMs: number;
  /** Wall clock, ms since the epoch: when its header section came (response_time). */
  receivedAtMs: number;
}

/** Bytes of a representation that a 206 brought (RFC 9110 14.4); offsets from 0, both ends included. */
export interface StoredRange {
  first: number;
  last: number;
  /** Length of the whole representation, bytes. */
  total: number;
}

/** What is to be stored. Its body is as it came: content coding on, transfer coding off. */
export interface NewEntry extends CacheResponse {
  url: string;
  /** The request's fields that Vary names, with the values they had ('' when absent), by name; [] without Vary. */
  vary: HeaderPair[];
  /** null: the body is the whole representation. */
  range: StoredRange | null;
  /** What its owner keeps with it (loader/prefetch/ledger.ts does); nothing to the rules of the cache. */
  note: number | null;
  body: Buffer;
}

/** An entry without its body, which is read when it is needed. */
export interface StoredHead extends Omit<NewEntry, 'body'> {
  /** Names it within its store. */
  id: number;
  /** Length of the stored body, bytes. */
  bodyBytes: number;
}
