// A cache store in a file that several processes may share and that outlives them. cache-file.ts has the tables and the
// faults of the file. A read writes nothing: that an entry was used is recorded with the next write, or on close.
//
// A read returns exactly what was written, or nothing. The checksums of an entry's head (all but its body) and of its
// body include the URL, so a row that damage moved under another id or URL is detected, and the file is set aside.
// CRC-32 misses one error in 4,000,000,000. It does not protect against an attacker who can write to the file.

import zlib from 'node:zlib'; // a named import fails on old Node before needs-node.ts reports it
import { aFunction, wholeNumber } from '../../../options/kinds.ts';
import { checked, joined, type OptionsOf, objectOf, option } from '../../../options/options.ts';
import { refusal } from '../../../options/refusal.ts';
import { Damage } from '../../../process/sqlite-file.ts';
import { invalidOption } from '../../errors.ts';
import type { NewEntry, StoredHead } from '../entry.ts';
import { bytesOf, type CacheStore, checkOpen, variantOf } from '../store.ts';
import { CacheFile, type CacheFileOptions, type Query, type SqlRow } from './cache-file.ts';

export const sqliteTable = {
  /**
   * Capacity for bodies, URLs and fields together. The file is about a tenth larger than this, at times also by what a
   * page stores at once, and never shrinks. Larger entries are not stored.
   */
  maxBytes: option(wholeNumber({ least: 1 }), 256 * 1024 * 1024),
  /** Called with a sentence for the operator when the file is damaged, full or read-only. */
  onNotice: option(aFunction<(message: string) => void>(), () => {}, { shownDefault: 'none' }),
};

/** How long a write waits for another process's write, ms (`withConstants`); it blocks this process meanwhile. */
const sqliteConstants = { busyTimeoutMs: 250 };

export type SqliteStoreOptions = OptionsOf<typeof sqliteTable>;

/**
 * Opens `cache.db` in a folder, which is created if it is missing.
 * @throws LoaderError `cache-unusable` if the folder or file cannot be created; `invalid-option`
 */
export function createSqliteStore(folder: string, options: SqliteStoreOptions = {}): CacheStore {
  if (typeof folder !== 'string' || folder === '') {
    invalidOption(...refusal('folder', 'the path of a folder', folder));
  }
  const given = checked(objectOf(sqliteTable), options, invalidOption);
  const { maxBytes, ...fileOptions } = joined(given, sqliteConstants, options);
  return new SqliteCacheStore(folder, maxBytes, fileOptions);
}

class SqliteCacheStore implements CacheStore {
  readonly #file: CacheFile;
  readonly maxBytes: number;
  /** Ids of the entries whose use is not recorded in the file yet, the latest used last. */
  readonly #touched = new Set<number>();
  #isClosed = false;

  constructor(folder: string, maxBytes: number, options: CacheFileOptions) {
    this.#file = new CacheFile(folder, options);
    this.maxBytes = maxBytes;
  }

  find(url: string): StoredHead[] {
    const sql = `SELECT * FROM heads WHERE url = ? ORDER BY head ->> 'receivedAtMs' DESC, id DESC`;
    return this.#read((query) => query(sql, url).map((row) => headOf(row, url))) ?? [];
  }

  recent(origin: string, most: number): StoredHead[] {
    const sql = 'SELECT * FROM heads WHERE url >= ? AND url < ? ORDER BY used DESC LIMIT ?';
    // All URLs of an origin lie between `origin/` and `origin0`, because `0` is the character after `/`.
    const ends = [`${origin}/`, `${origin}0`];
    return this.#read((query) => query(sql, ...ends, most).map((row) => headOf(row))) ?? [];
  }

  body(id: number): Buffer | null {
    const body = this.#read((query) => {
      const [row] = query('SELECT * FROM heads JOIN bodies USING (id) WHERE id = ?', id);
      return row === undefined ? null : bodyOf(row);
    });
    if (body == null) return null;
    this.#touched.delete(id);
    this.#touched.add(id);
    return body;
  }

  put(entries: NewEntry[]): void {
    this.#write(entries.length > 0, (query) => {
      for (const entry of entries) insert(query, entry, this.maxBytes);
      shrink(query, this.maxBytes);
    });
  }

  freshen(id: number, news: Pick<StoredHead, 'headers' | 'requestedAtMs' | 'receivedAtMs'>): void {
    const { headers, requestedAtMs, receivedAtMs } = news;
    this.#write(true, (query) => {
      const [row] = query('SELECT * FROM heads WHERE id = ?', id);
      if (row === undefined) return;
      const { id: _, url, ...stored } = headOf(row);
      const head = JSON.stringify({ ...stored, headers, requestedAtMs, receivedAtMs });
      const bytes = bytesOf({ url, vary: stored.vary, headers }, stored.bodyBytes);
      const sql = 'UPDATE heads SET bytes = ?, head = ?, checksum = ? WHERE id = ?';
      query(sql, bytes, head, checksumOf(url, row.variant, head), id);
      shrink(query, this.maxBytes);
    });
  }

  remove(ids: number[]): void {
    const sql = 'DELETE FROM heads WHERE id = ?';
    this.#write(ids.length > 0, (query) => ids.map((id) => query(sql, id)));
  }

  removeUrl(url: string): void {
    const found = this.#read((query) => query('SELECT 1 FROM heads WHERE url = ?', url));
    this.#write(found?.length !== 0, (query) => query('DELETE FROM heads WHERE url = ?', url));
  }

  size(): { entries: number; bytes: number } {
    return this.#read(sizeOf) ?? { entries: 0, bytes: 0 };
  }

  close(): void {
    if (this.#isClosed) return;
    this.#write(this.#touched.size > 0, () => {});
    this.#isClosed = true;
    this.#file.close();
  }

  #read<Result>(work: (query: Query) => Result): Result | undefined {
    checkOpen(this.#isClosed);
    return this.#file.read(work);
  }

  #write(isNeeded: boolean, work: (query: Query) => void): void {
    checkOpen(this.#isClosed);
    if (!isNeeded) return;
    const isWritten = this.#file.write((query) => {
      const sql = 'UPDATE heads SET used = 1 + (SELECT max(used) FROM heads) WHERE id = ?';
      for (const id of this.#touched) query(sql, id);
      work(query);
    });
    if (isWritten) this.#touched.clear();
  }
}

/** Stores an entry in place of the one of the same URL and variant. */
function insert(query: Query, entry: NewEntry, maxBytes: number): void {
  const { url, body, ...rest } = entry;
  const variant = variantOf(entry);
  query('DELETE FROM heads WHERE url = ? AND variant = ?', url, variant);
  const bytes = bytesOf(entry, body.length);
  if (bytes > maxBytes) return;
  const head = JSON.stringify({ ...rest, bodyBytes: body.length });
  const sql = `INSERT INTO heads (url, variant, used, bytes, head, checksum)
    VALUES (?, ?, 1 + (SELECT coalesce(max(used), 0) FROM heads), ?, ?, ?) RETURNING id`;
  const [row] = query(sql, url, variant, bytes, head, checksumOf(url, variant, head));
  const checksum = checksumOf(url, variant, body);
  query('INSERT INTO bodies VALUES (?, ?, ?)', row?.id as number, body, checksum);
}

/** Removes the least recently used entries until at most this many bytes remain. */
function shrink(query: Query, maxBytes: number): void {
  let { bytes } = sizeOf(query);
  while (bytes > maxBytes) {
    const oldest = '(SELECT id FROM heads ORDER BY used LIMIT 1)';
    const [gone] = query(`DELETE FROM heads WHERE id = ${oldest} RETURNING bytes`);
    // A damaged index may list rows that do not exist; without this error, the loop would never end.
    if (gone === undefined) throw new Damage('entries that it names cannot be removed');
    bytes -= Number(gone.bytes);
  }
}

function sizeOf(query: Query): { entries: number; bytes: number } {
  const [row] = query('SELECT count(*) AS entries, sum(bytes) AS bytes FROM heads');
  return { entries: Number(row?.entries), bytes: Number(row?.bytes) };
}

/** Reads an entry from its row. @param wantedUrl The URL that led to the row. @throws Damage if the row has changed. */
function headOf(row: SqlRow, wantedUrl = row.url): StoredHead {
  const { url, variant, head } = row as { url: string; variant: string; head: string };
  const isIntact = checksumOf(url, variant, head) === row.checksum && url === wantedUrl;
  if (!isIntact) throw new Damage('an entry is damaged');
  return { id: row.id, url, ...JSON.parse(head) };
}

/** Reads a body from its row. @throws Damage if its checksum is wrong. */
function bodyOf({ url, variant, body, body_checksum }: SqlRow): Buffer {
  const { buffer, byteOffset, byteLength } = body as Uint8Array<ArrayBuffer>;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  if (checksumOf(url, variant, bytes) !== body_checksum) throw new Damage('a body is damaged');
  return bytes;
}

function checksumOf(url: unknown, variant: unknown, content: string | Buffer): number {
  return zlib.crc32(content, zlib.crc32(`${url}\n${variant}\n`));
}
