// A cache store in a file that several processes may share and that outlives them. cache-file.ts handles the faults
// of the file; this file maps cache operations to its rows. Reads write nothing: which entries were used is recorded
// with the next write, or on close.

import { aFunction, wholeNumber } from '../../../options/kinds.ts';
import { checked, objectOf, option, type TableOf } from '../../../options/options.ts';
import { invalidOption } from '../../errors.ts';
import type { NewEntry, StoredHead } from '../entry.ts';
import type { CacheStore } from '../store.ts';
import { bytesOf, checkOpen, variantOf } from '../store-limits.ts';
import { CacheFile, type CacheFileOptions } from './cache-file.ts';
import { placeIn } from './cache-folder.ts';
import type { FoundHead, SqliteRows } from './rows-of-entries.ts';

export interface SqliteStoreOptions {
  /**
   * Capacity for bodies, URLs and fields, bytes; default 256 MiB. The file is about a tenth larger and never
   * shrinks. Larger entries are not stored.
   */
  maxBytes?: number;
  /** How long a write waits for another process's write, ms; it blocks this process meanwhile. Default 250. */
  busyTimeoutMs?: number;
  /** Receives messages for whoever operates the process. */
  onNotice?: (message: string) => void;
}

const sqliteKind = objectOf({
  maxBytes: option(
    wholeNumber({ least: 1 }),
    256 * 1024 * 1024,
    'Bodies, URLs and fields together. An entry above it is not kept.',
  ),
  busyTimeoutMs: option(
    wholeNumber({}),
    250,
    'How long a write waits for another process that writes; nothing else runs meanwhile.',
  ),
  onNotice: option(
    aFunction<NonNullable<SqliteStoreOptions['onNotice']>>(),
    () => {},
    'Told what whoever runs the process should know.',
  ),
} satisfies TableOf<SqliteStoreOptions>);

// Recording one use takes about 7 us.
const mostTouched = 1000;

/**
 * Opens `cache.db` in a folder, which is created if it is missing.
 * @throws LoaderError `cache-unusable` if the folder or file cannot be created; `invalid-option`
 */
export function createSqliteStore(folder: string, options: SqliteStoreOptions = {}): CacheStore {
  if (typeof folder !== 'string' || folder === '') {
    invalidOption('createSqliteStore needs the path of a folder');
  }
  const { maxBytes, busyTimeoutMs, onNotice } = checked(sqliteKind, options, invalidOption);
  return new SqliteStore(placeIn(folder), maxBytes, { busyTimeoutMs, onNotice });
}

class SqliteStore implements CacheStore {
  readonly #file: CacheFile;
  readonly maxBytes: number;
  /** Used since the last recording, latest last. */
  readonly #touched = new Set<number>();
  #isClosed = false;

  constructor(path: string, maxBytes: number, options: CacheFileOptions) {
    this.#file = new CacheFile(path, options);
    this.maxBytes = maxBytes;
  }

  find(url: string): StoredHead[] {
    const heads = this.#heads((rows) => rows.find(url));
    return heads.sort((one, other) => other.receivedAtMs - one.receivedAtMs || other.id - one.id);
  }

  recent(origin: string, most: number): StoredHead[] {
    return this.#heads((rows) => rows.recent(origin, most));
  }

  body(id: number): Buffer | null {
    checkOpen(this.#isClosed);
    const body = this.#file.read((rows) => rows.body(id)) ?? null;
    if (body === null) return null;
    if (body !== 'damaged') {
      this.#touch(id);
      return body;
    }
    this.#file.damagedEntry(id);
    return null;
  }

  put(entries: NewEntry[]): void {
    checkOpen(this.#isClosed);
    if (entries.length === 0) return;
    const { kept, room } = whatFits(entries, this.maxBytes);
    this.#write((rows) => {
      for (const entry of entries) rows.removeVariant(entry.url, variantOf(entry));
      rows.shrinkTo(room);
      rows.insert(kept);
    });
  }

  freshen(id: number, head: Pick<StoredHead, 'headers' | 'requestedAtMs' | 'receivedAtMs'>): void {
    checkOpen(this.#isClosed);
    this.#write((rows) => {
      const { headers, requestedAtMs, receivedAtMs } = head;
      if (!rows.change(id, { headers, requestedAtMs, receivedAtMs })) rows.remove([id]);
      rows.shrinkTo(this.maxBytes);
    });
  }

  annotate(ids: number[], note: number | null): void {
    checkOpen(this.#isClosed);
    if (ids.length === 0) return;
    this.#write((rows) => {
      for (const id of ids) if (!rows.change(id, { note })) rows.remove([id]);
    });
  }

  remove(ids: number[]): void {
    checkOpen(this.#isClosed);
    if (ids.length > 0) this.#write((rows) => rows.remove(ids));
  }

  removeUrl(url: string): void {
    checkOpen(this.#isClosed);
    const found = this.#file.read((rows) => rows.find(url));
    if (found?.length !== 0) this.#write((rows) => rows.removeUrl(url));
  }

  size(): { entries: number; bytes: number } {
    checkOpen(this.#isClosed);
    return this.#file.read((rows) => rows.size()) ?? { entries: 0, bytes: 0 };
  }

  close(): void {
    if (this.#isClosed) return;
    if (this.#touched.size > 0) this.#write(() => {});
    this.#isClosed = true;
    this.#file.close();
  }

  #heads(find: (rows: SqliteRows) => FoundHead[]): StoredHead[] {
    checkOpen(this.#isClosed);
    const heads: StoredHead[] = [];
    for (const found of this.#file.read(find) ?? []) {
      if ('head' in found) heads.push(found.head);
      else this.#file.damagedEntry(found.damagedId);
    }
    return heads;
  }

  #write(work: (rows: SqliteRows) => void): void {
    const isWritten = this.#file.write((rows) => {
      rows.touch(this.#touched);
      work(rows);
    });
    if (isWritten) this.#touched.clear();
  }

  #touch(id: number): void {
    this.#touched.delete(id);
    this.#touched.add(id);
    if (this.#touched.size <= mostTouched) return;
    const [first] = this.#touched;
    this.#touched.delete(first as number);
  }
}

/** The entries that remain if all are stored in order, and the bytes left for older entries. */
function whatFits(entries: NewEntry[], maxBytes: number): { kept: NewEntry[]; room: number } {
  const kept: NewEntry[] = [];
  const seen = new Set<string>();
  let room = maxBytes;
  for (const entry of entries.toReversed()) {
    // The last entry of a URL and variant wins.
    const key = `${variantOf(entry)} ${entry.url}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const bytes = bytesOf(entry, entry.body.length);
    if (bytes > maxBytes) continue;
    // Entries before this one would be evicted first.
    if (bytes > room) return { kept: kept.reverse(), room: 0 };
    room -= bytes;
    kept.push(entry);
  }
  return { kept: kept.reverse(), room };
}
