// The HTTP cache as pages and `createFetch` use it: they look up each request before it is sent, and report what was
// received. All methods are synchronous.

import type { CacheRequest, CacheResponse, StoredHead } from './entry.ts';

/** Request cache modes of the Fetch Standard. */
export const cacheModes = [
  'default',
  'no-store',
  'reload',
  'no-cache',
  'force-cache',
  'only-if-cached',
] as const;

export type CacheMode = (typeof cacheModes)[number];

/** A complete stored response, ready for the client. */
export interface CachedResponse {
  status: number;
  statusText: string;
  /** Fields as stored, with the current Age; for a range of a stored representation, the fields of a 206. */
  headers: [name: string, value: string][];
  /** The body with its content coding. */
  body: Buffer;
}

export type Lookup =
  /**
   * The stored response is used without a request. `refresh` is set if it is stale but usable under
   * stale-while-revalidate: it is then to be revalidated in the background with `conditions`.
   */
  | { kind: 'hit'; response: CachedResponse; refresh: Validation | null }
  /** A stored response has to be validated: send the request with `conditions`, then call `validated`. */
  | { kind: 'validate'; validation: Validation }
  /** Nothing usable is stored: send the request unchanged, then call `store`. */
  | { kind: 'miss' }
  /** Nothing usable is stored, and the mode or the request says `only-if-cached`: answer 504 (RFC 9111 5.2.1.7). */
  | { kind: 'unavailable' };

export interface Validation {
  /** The entry to validate; the 304 may select another variant. */
  entry: StoredHead;
  /** If-None-Match and If-Modified-Since to add to the request; [] if the entry has no validator. */
  conditions: [name: string, value: string][];
  /**
   * The stored response to use if the server is unreachable or fails (5xx), where the server or the caller permits
   * this by stale-if-error (RFC 5861 4) or max-stale; else null.
   */
  staleIfError: CachedResponse | null;
}

/** A response to store, with its request. */
export interface Storable {
  request: CacheRequest;
  response: CacheResponse;
  body: Buffer;
  mode?: CacheMode;
  /** Bytes received for a prefetched body: fewer than `body` has if a dictionary compressed it. This is not stored. */
  receivedBytes?: number;
}

export interface HttpCache {
  /** Capacity of the cache's store for bodies, URLs and fields, bytes. */
  readonly maxBytes: number;
  lookup(request: CacheRequest, mode?: CacheMode): Lookup;
  /**
   * Combines a stored response with the fields of a 304 to a validation. Nothing is written yet, because the 304 may
   * still turn out to belong to another request.
   * @returns null if the stored body is gone, or if the 304 does not identify one of several variants: the request must
   * then be repeated without conditions.
   */
  validated(
    request: CacheRequest,
    validation: Validation,
    response: CacheResponse,
  ): CachedResponse | null;
  /** Freshens the entries that a 304 confirms, once it is known to belong to this request (RFC 9111 4.3.3, 4.3.4). */
  freshen(request: CacheRequest, validation: Validation, response: CacheResponse): void;
  /**
   * Whether the response will be stored once its body is complete. This is decided from its header section, so that a
   * body that cannot be stored is not buffered. A 206 needs a valid Content-Range.
   */
  mayStore(request: CacheRequest, response: CacheResponse, mode?: CacheMode): boolean;
  /**
   * Stores complete responses with their bodies as received (with content coding), where `mayStore` allows it. The
   * caller guarantees that each body has a known length, is complete and belongs to its request. A 206 is combined with
   * stored ranges of the same representation, by their strong validator (RFC 9111 3.4).
   */
  store(entries: Storable[]): void;
  /**
   * Applies the effects of any response on stored ones: those of unsafe methods (RFC 9111 4.4), of HEAD (4.3.5), and of
   * a newer response that must not be stored. It must be called before `store`.
   */
  observe(request: CacheRequest, response: CacheResponse): void;
  /**
   * Returns the stored first bytes of this URL's representation, if a request with If-Range and a strong validator can
   * complete them; else null.
   */
  partial(request: CacheRequest): { entry: StoredHead; body: Buffer; ifRange: string } | null;
  /** Returns all entries of a URL, without bodies. */
  stored(url: string): StoredHead[];
  /** Returns at most `most` entries of an origin without bodies, the most recently used first. */
  recent(origin: string, most: number): StoredHead[];
  /** Whether the entry may answer a plain GET of its URL, at least after validation. */
  isUsable(entry: StoredHead): boolean;
  remove(ids: number[]): void;
  close(): void;
}
