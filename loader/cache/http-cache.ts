// May this response be used again? The cache as a page and `createFetch` see it: ask before a request
// leaves, tell what came back. Everything here is synchronous.

import type { CacheRequest, CacheResponse, StoredHead } from './entry.ts';

/** How a request wants the cache used: the Fetch Standard's request cache mode. */
export const cacheModes = [
  'default',
  'no-store',
  'reload',
  'no-cache',
  'force-cache',
  'only-if-cached',
] as const;

export type CacheMode = (typeof cacheModes)[number];

/** A response out of the store, complete: what a client is to see. */
export interface CachedResponse {
  status: number;
  statusText: string;
  /** As stored, with the present Age; for a range out of a stored whole, the fields of a 206. */
  headers: [name: string, value: string][];
  /** Content coding still on. */
  body: Buffer;
  /** Id of its entry, where that has a note. */
  noted?: number;
}

export type Lookup =
  /** Use it, ask nobody. `refresh`: it is stale, and stale-while-revalidate allows it: validate it behind the scenes with `conditions`. */
  | { kind: 'hit'; response: CachedResponse; refresh: Validation | null }
  /** Ask with these conditions; then call `validated`. */
  | { kind: 'validate'; validation: Validation }
  /** Nothing of use is stored: ask as if there were no cache; then call `store`. */
  | { kind: 'miss' }
  /** `only-if-cached`, and nothing may be used: 504 (RFC 9111 5.2.1.7). */
  | { kind: 'unavailable' };

export interface Validation {
  /** The entry that is asked about; a later variant may answer. */
  entry: StoredHead;
  /** If-None-Match, If-Modified-Since: to be added to the request; [] where there is no validator. */
  conditions: [name: string, value: string][];
  /**
   * Use the stored one when the server cannot be reached or fails (5xx). Only where the server or the
   * caller allowed it: stale-if-error (RFC 5861 4), max-stale; else null.
   */
  staleIfError: CachedResponse | null;
}

/** What is to be stored, and the response it came with. */
export interface Storable {
  request: CacheRequest;
  response: CacheResponse;
  body: Buffer;
  mode?: CacheMode;
  /** To be kept with it; default: no note. */
  note?: number;
}

export interface HttpCache {
  /** Room of its store: bodies, URLs and fields together, bytes. */
  readonly maxBytes: number;
  lookup(request: CacheRequest, mode?: CacheMode): Lookup;
  /**
   * A 304 came for a validation: what the client is to see, with the fields the 304 brought. Nothing is
   * written: the answer may yet turn out to be another's.
   * @returns null when the stored body is gone meanwhile, or it cannot be told which of several variants the
   * 304 means: ask again without conditions.
   */
  validated(
    request: CacheRequest,
    validation: Validation,
    response: CacheResponse,
  ): CachedResponse | null;
  /** The 304 is known to belong to this request: the entries it selects are freshened (RFC 9111 4.3.3, 4.3.4). */
  freshen(
    request: CacheRequest,
    validation: Validation,
    response: CacheResponse,
    /** For the entry that it freshened; default: the note stays as it is. */
    note?: number,
  ): void;
  /**
   * Would this response be stored, if its body comes whole? Told at its header section, so that a body of
   * no use is not gathered. A 206 is stored only when its Content-Range is sound.
   */
  mayStore(request: CacheRequest, response: CacheResponse, mode?: CacheMode): boolean;
  /**
   * Once it is stored, would this response answer this request, and nobody be asked? Told at its header section:
   * whoever asks for the same meanwhile may wait for it (RFC 9111 4).
   */
  mayAnswer(request: CacheRequest, coming: Pick<Storable, 'request' | 'response'>): boolean;
  /**
   * A whole response, with its body as it came (content coding on). Only of known length, complete, and
   * known to belong to this request: that is the caller's to hold. Combines with stored parts where the
   * validator is strong (RFC 9111 3.4). Does what `mayStore` says, again.
   */
  store(entries: Storable[]): void;
  /**
   * What any response does to what is stored: unsafe methods (RFC 9111 4.4), HEAD (4.3.5), a 304 to the
   * caller's own conditions, a newer one that is not to be stored. Before `store` of the same response.
   */
  observe(request: CacheRequest, response: CacheResponse): void;
  /**
   * The part of this URL's representation that is stored and can be completed with If-Range under a
   * strong validator: its first bytes. null when there is none.
   */
  partial(request: CacheRequest): { entry: StoredHead; body: Buffer; ifRange: string } | null;
  /** Everything stored for a URL, without bodies. */
  stored(url: string): StoredHead[];
  /** May it answer a GET of its URL that says nothing else, or be validated for one? */
  isUsable(entry: StoredHead): boolean;
  /** A new note for these entries; null takes it away. */
  annotate(ids: number[], note: number | null): void;
  remove(ids: number[]): void;
  close(): void;
}

export interface HttpCacheOptions {
  /** Behave as a shared cache (RFC 9111 1); default false: private. */
  shared?: boolean;
  /** Wall clock, ms since the epoch. */
  now?: () => number;
  /** Bodies above this are not kept, bytes; default 32 MiB. */
  maxEntryBytes?: number;
}
