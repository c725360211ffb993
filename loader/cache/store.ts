// The interface of cache stores, and the functions that all of them use. It is synchronous, because the references of
// an HTML chunk must be looked up before their batch is sent. Stores do not decide about reuse; policy/ does.

import type { HeaderPair } from '../../http/header-pairs.ts';
import { LoaderError } from '../errors.ts';
import type { NewEntry, StoredHead } from './entry.ts';

/**
 * Keeps cache entries. Several loaders may use one store at once; several processes may use one that is a file. A store
 * never throws because of its content: a damaged or missing entry is a miss; a failed write keeps the previous content
 * and is reported to the `onNotice` option.
 */
export interface CacheStore {
  /** Capacity of the store: the upper bound of `size().bytes`. */
  readonly maxBytes: number;
  /** Returns all entries of a URL, newest `receivedAtMs` first. */
  find(url: string): StoredHead[];
  /** Returns at most `most` entries of an origin (`http://host:port`), the most recently used first as far as known. */
  recent(origin: string, most: number): StoredHead[];
  /** Returns the stored body of an entry, which then counts as used; null if the entry is gone or damaged. */
  body(id: number): Buffer | null;
  /** Stores all entries of at most `maxBytes`, or none; each replaces the entry of the same URL, `vary` and `range`. */
  put(entries: NewEntry[]): void;
  /** Replaces the header section and times of an entry (RFC 9111 3.2, 4.3.4); does nothing if the entry is gone. */
  freshen(id: number, head: Pick<StoredHead, 'headers' | 'requestedAtMs' | 'receivedAtMs'>): void;
  remove(ids: number[]): void;
  /** Removes every entry of a URL (RFC 9111 4.4). */
  removeUrl(url: string): void;
  size(): { entries: number; bytes: number };
  /** Closes the store; may be repeated. Afterwards every other call throws LoaderError `loader-closed`. */
  close(): void;
}

type CountedEntry = Pick<NewEntry, 'url' | 'vary' | 'headers'>;

/** Returns what an entry counts towards the capacity, bytes: body, URL, and fields written as `name: value CRLF`. */
export function bytesOf({ url, vary, headers }: CountedEntry, bodyBytes: number): number {
  return bodyBytes + url.length + fieldBytes(headers) + fieldBytes(vary);
}

function fieldBytes(fields: HeaderPair[]): number {
  let bytes = 0;
  for (const [name, value] of fields) bytes += name.length + value.length + 4;
  return bytes;
}

/** Returns the key of a variant: entries of one URL with the same key replace each other. */
export function variantOf({ vary, range }: Pick<NewEntry, 'vary' | 'range'>): string {
  if (vary.length === 0 && range === null) return '';
  return JSON.stringify([vary, range && [range.first, range.last, range.total]]);
}

/** Refuses a call to a closed store. @throws LoaderError `loader-closed` */
export function checkOpen(isClosed: boolean): void {
  if (isClosed) throw new LoaderError('loader-closed', 'the cache store is closed; open another');
}
