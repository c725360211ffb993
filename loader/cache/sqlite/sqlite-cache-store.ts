// A cache store in a file that several processes may share and that outlives them. cache-file.ts has the tables and the
// faults of the file. Reads write nothing: which entries were used is recorded with the next write, or on close.
//
// A read returns exactly what was written, or nothing. The checksum of a head covers its id, URL and content, that of a
// body its id and bytes, so a row that damage moved under another id or URL is detected, and the file is set aside.
// CRC-32 misses one error in 4,000,000,000. It does not protect against an attacker who can write to the file.

import type { SQLOutputValue } from 'node:sqlite';
import zlib from 'node:zlib'; // a named import fails on old Node before needs-node.ts reports it
import { aFunction, wholeNumber } from '../../../options/kinds.ts';
import { checked, type OptionsOf, objectOf, option } from '../../../options/options.ts';
import { invalidOption } from '../../errors.ts';
import type { NewEntry, StoredHead } from '../entry.ts';
import { bytesOf, type CacheStore, checkOpen, variantOf } from '../store.ts';
import { CacheFile, type CacheFileOptions, Damage, type Query } from './cache-file.ts';

const sqliteTable = {
  /**
   * Capacity for bodies, URLs and fields, bytes; default 256 MiB. The file is about a tenth larger and never
   * shrinks. Larger entries are not stored.
   */
  maxBytes: option(wholeNumber({ least: 1 }), 256 * 1024 * 1024),
  /** How long a write waits for another process's write, ms; it blocks this process meanwhile. Default 250. */
  busyTimeoutMs: option(wholeNumber({}), 250),
  /** Receives messages for whoever operates the process. */
  onNotice: option(aFunction<(message: string) => void>(), () => {}),
};

export type SqliteStoreOptions = OptionsOf<typeof sqliteTable>;

const sqliteKind = objectOf(sqliteTable);

/**
 * Opens `cache.db` in a folder, which is created if it is missing.
 * @throws LoaderError `cache-unusable` if the folder or file cannot be created; `invalid-option`
 */
export function createSqliteStore(folder: string, options: SqliteStoreOptions = {}): CacheStore {
  if (typeof folder !== 'string' || folder === '') {
    invalidOption('createSqliteStore needs the path of a folder');
  }
  const { maxBytes, ...fileOptions } = checked(sqliteKind, options, invalidOption);
  return new SqliteCacheStore(folder, maxBytes, fileOptions);
}

interface HeadRow {
  id: number;
  url: string;
  variant: string;
  checksum: number;
  head: string;
}

class SqliteCacheStore implements CacheStore {
  readonly #file: CacheFile;
  readonly maxBytes: number;
  /** The entries that were used since the last recording, the latest last. */
  readonly #touched = new Set<number>();
  #isClosed = false;

  constructor(folder: string, maxBytes: number, options: CacheFileOptions) {
    this.#file = new CacheFile(folder, options);
    this.maxBytes = maxBytes;
  }

  find(url: string): StoredHead[] {
    const heads = this.#read((query) => {
      const found = query('SELECT * FROM heads WHERE url = ?', url).map(headOf);
      if (found.every((head) => head.url === url)) return found;
      throw new Damage('its index names other entries');
    });
    return (heads ?? []).sort(
      (one, other) => other.receivedAtMs - one.receivedAtMs || other.id - one.id,
    );
  }

  recent(origin: string, most: number): StoredHead[] {
    const sql = 'SELECT * FROM heads WHERE url >= ? AND url < ? ORDER BY used DESC LIMIT ?';
    // All URLs of the origin lie between these two, because `0` is the character after `/`.
    const found = (query: Query) => query(sql, `${origin}/`, `${origin}0`, most).map(headOf);
    return this.#read(found) ?? [];
  }

  body(id: number): Buffer | null {
    const body = this.#read((query) => {
      const [row] = query('SELECT checksum, body FROM bodies WHERE id = ?', id);
      if (row === undefined) return null;
      const { body: bytes, checksum } = row;
      if (!(bytes instanceof Uint8Array) || bodyChecksum(id, bytes) !== checksum) {
        throw new Damage('a body is damaged');
      }
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    });
    if (body == null) return null;
    this.#touched.delete(id);
    this.#touched.add(id);
    return body;
  }

  put(entries: NewEntry[]): void {
    const { kept, room } = whatFits(entries, this.maxBytes);
    this.#write(entries.length > 0, (query) => {
      for (const entry of entries) {
        query('DELETE FROM heads WHERE url = ? AND variant = ?', entry.url, variantOf(entry));
      }
      shrink(query, room);
      let used = lastUse(query);
      for (const entry of kept) insert(query, entry, ++used);
    });
  }

  freshen(id: number, head: Pick<StoredHead, 'headers' | 'requestedAtMs' | 'receivedAtMs'>): void {
    const { headers, requestedAtMs, receivedAtMs } = head;
    this.#write(true, (query) => {
      change(query, id, { headers, requestedAtMs, receivedAtMs });
      shrink(query, this.maxBytes);
    });
  }

  remove(ids: number[]): void {
    this.#write(ids.length > 0, (query) => {
      for (const id of ids) query('DELETE FROM heads WHERE id = ?', id);
    });
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
      let used = lastUse(query);
      for (const id of this.#touched) query('UPDATE heads SET used = ? WHERE id = ?', ++used, id);
      work(query);
    });
    if (isWritten) this.#touched.clear();
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

function lastUse(query: Query): number {
  return query('SELECT coalesce(max(used), 0) AS used FROM heads')[0]?.used as number;
}

function insert(query: Query, entry: NewEntry, used: number): void {
  const { url, body } = entry;
  const variant = variantOf(entry);
  const [last] = query("SELECT seq FROM sqlite_sequence WHERE name = 'heads'");
  const id = Number(last?.seq) + 1;
  const text = textOf(entry, body.length);
  const bytes = bytesOf(entry, body.length);
  const checksum = headChecksum(id, url, variant, text);
  const sql = 'INSERT INTO heads VALUES (?, ?, ?, ?, ?, ?, ?)';
  query(sql, id, url, variant, used, bytes, checksum, text);
  query('INSERT INTO bodies VALUES (?, ?, ?)', id, bodyChecksum(id, body), body);
}

function change(query: Query, id: number, news: Partial<StoredHead>): void {
  const [row] = query('SELECT * FROM heads WHERE id = ?', id);
  if (row === undefined) return;
  const head = { ...headOf(row), ...news };
  const text = textOf(head, head.bodyBytes);
  const checksum = headChecksum(id, head.url, variantOf(head), text);
  const sql = 'UPDATE heads SET bytes = ?, checksum = ?, head = ? WHERE id = ?';
  query(sql, bytesOf(head, head.bodyBytes), checksum, text, id);
}

/** Removes the least recently used entries until at most this many bytes remain. */
function shrink(query: Query, maxBytes: number): void {
  let size = sizeOf(query);
  while (size.bytes > maxBytes) {
    const before = size.entries;
    for (const { id, bytes } of query('SELECT id, bytes FROM heads ORDER BY used LIMIT 64')) {
      if (size.bytes <= maxBytes) break;
      query('DELETE FROM heads WHERE id = ?', id as number);
      size.bytes -= bytes as number;
    }
    size = sizeOf(query);
    // A damaged index may list missing rows forever.
    if (size.entries === before) throw new Damage('entries that it names cannot be removed');
  }
}

function sizeOf(query: Query): { entries: number; bytes: number } {
  const [row] = query('SELECT entries, bytes FROM totals');
  return { entries: Number(row?.entries), bytes: Number(row?.bytes) };
}

function textOf(head: Omit<NewEntry, 'body'>, bodyBytes: number): string {
  const { status, statusText, requestedAtMs, receivedAtMs, headers } = head;
  return JSON.stringify([status, statusText, requestedAtMs, receivedAtMs, bodyBytes, headers]);
}

/** @throws Damage */
function headOf(row: Record<string, SQLOutputValue>): StoredHead {
  const { id, url, variant, checksum, head } = row as unknown as HeadRow;
  if (headChecksum(id, url, variant, head) !== checksum) throw new Damage('an entry is damaged');
  const fields = JSON.parse(head);
  const [status, statusText, requestedAtMs, receivedAtMs, bodyBytes, headers] = fields;
  const [vary, place] = variant === '' ? [[], null] : JSON.parse(variant);
  const range = place && { first: place[0], last: place[1], total: place[2] };
  const times = { requestedAtMs, receivedAtMs };
  return { id, url, vary, range, status, statusText, headers, ...times, bodyBytes };
}

function headChecksum(id: number, url: string, variant: string, text: string): number {
  return zlib.crc32(`${id}\n${url}\n${variant}\n${text}`);
}

function bodyChecksum(id: number, body: Uint8Array): number {
  return zlib.crc32(body, zlib.crc32(`${id}\n`));
}
