// Where entries are kept. Synchronous on purpose: what a chunk of HTML names has to be looked up before
// its batch leaves. Nothing here knows what may be reused; policy does.

import type { NewEntry, StoredHead } from './entry.ts';

/**
 * Several loaders, and several processes, may use one store at once. A store never throws for what it
 * holds: an entry that is damaged or gone is a miss, a write that fails keeps what was there and is told
 * to `onNotice` of its options.
 */
export interface CacheStore {
  /** What `size().bytes` never exceeds. */
  readonly maxBytes: number;
  /** Everything kept for a URL, the newest `receivedAtMs` first. */
  find(url: string): StoredHead[];
  /** The stored bytes; null when the entry is gone or was found damaged (it is then removed). Marks it as used. */
  body(id: number): Buffer | null;
  /** Keep these, all or none of them; an entry of the same URL, `vary` and `range` gives way. */
  put(entries: NewEntry[]): void;
  /** New header section and times for a stored entry (RFC 9111 3.2, 4.3.4); nothing when it is gone. */
  freshen(id: number, head: Pick<StoredHead, 'headers' | 'requestedAtMs' | 'receivedAtMs'>): void;
  /** A new note for these; nothing for those that are gone. */
  annotate(ids: number[], note: number | null): void;
  remove(ids: number[]): void;
  /** Forget everything kept for a URL (RFC 9111 4.4). */
  removeUrl(url: string): void;
  /** What it holds. */
  size(): { entries: number; bytes: number };
  /** Idempotent. After it, every other call throws LoaderError `loader-closed`. */
  close(): void;
}
