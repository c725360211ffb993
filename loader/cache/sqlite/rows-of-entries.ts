// Entries as rows of an open file. Every statement is prepared once; the caller manages transactions.
//
// Guarantee: a read returns exactly what was written, or nothing. The checksum of a head covers its id, URL and
// content, that of a body its id and bytes, so a row that damage moved under another id or URL is rejected. CRC-32
// detects every error within four consecutive bytes, and misses one in 4,000,000,000 of the others. It does not
// protect against an attacker who can write to the file.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import zlib from 'node:zlib'; // a named import fails on old Node before needs-node.ts reports it
import type { HeaderPair } from '../../../http/header-pairs.ts';
import type { NewEntry, StoredHead } from '../entry.ts';
import { bytesOf, variantOf } from '../store-limits.ts';
import { NotOurs } from './sqlite-faults.ts';

const columns = 'id, url, variant, checksum, head';
const statements = {
  headsOfUrl: `SELECT ${columns} FROM heads WHERE url = ?`,
  recentHeads: `SELECT ${columns} FROM heads WHERE url >= ? AND url < ? ORDER BY used DESC LIMIT ?`,
  headOfId: `SELECT ${columns} FROM heads WHERE id = ?`,
  body: 'SELECT checksum, body FROM bodies WHERE id = ?',
  lastId: "SELECT seq FROM sqlite_sequence WHERE name = 'heads'",
  insertHead: 'INSERT INTO heads VALUES (?, ?, ?, ?, ?, ?, ?)',
  insertBody: 'INSERT INTO bodies VALUES (?, ?, ?)',
  updateHead: 'UPDATE heads SET bytes = ?, checksum = ?, head = ? WHERE id = ?',
  lastUsed: 'SELECT coalesce(max(used), 0) FROM heads',
  updateUsed: 'UPDATE heads SET used = ? WHERE id = ?',
  deleteId: 'DELETE FROM heads WHERE id = ?',
  deleteUrl: 'DELETE FROM heads WHERE url = ?',
  deleteVariant: 'DELETE FROM heads WHERE url = ? AND variant = ?',
  oldest: 'SELECT id, bytes FROM heads ORDER BY used LIMIT 64',
  totals: 'SELECT entries, bytes FROM totals',
  countAnew: `
    UPDATE totals SET (entries, bytes) = (SELECT count(*), coalesce(sum(bytes), 0) FROM heads)
    WHERE (entries, bytes) IS NOT (SELECT count(*), coalesce(sum(bytes), 0) FROM heads)`,
};

type HeadRow = [id: number, url: string, variant: string, checksum: number, head: string];
type Fields = [
  status: number,
  statusText: string,
  requestedAtMs: number,
  receivedAtMs: number,
  bodyBytes: number,
  headers: HeaderPair[],
  /** Absent if null, and in files of older versions. */
  note?: number,
];

/** An entry of a URL, or the id of a damaged one. */
export type FoundHead = { head: StoredHead } | { damagedId: number };

export class SqliteRows {
  readonly database: DatabaseSync;
  readonly #statements: Record<keyof typeof statements, StatementSync>;

  constructor(database: DatabaseSync) {
    this.database = database;
    const made = Object.entries(statements).map(([name, sql]) => {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return [name, statement];
    });
    this.#statements = Object.fromEntries(made);
  }

  find(url: string): FoundHead[] {
    return this.#all('headsOfUrl', url).map((row): FoundHead => {
      const head = headOf(row as HeadRow);
      return head?.url === url ? { head } : { damagedId: row[0] as number };
    });
  }

  /** Of the origin, the latest used first. */
  recent(origin: string, most: number): FoundHead[] {
    // `0` follows `/`.
    return this.#all('recentHeads', `${origin}/`, `${origin}0`, most).map((row): FoundHead => {
      const head = headOf(row as HeadRow);
      return head === null ? { damagedId: row[0] as number } : { head };
    });
  }

  /** null: no such body; 'damaged': the checksum does not match. */
  body(id: number): Buffer | null | 'damaged' {
    const [row] = this.#all('body', id);
    if (row === undefined) return null;
    const [checksum, bytes] = row;
    if (!(bytes instanceof Uint8Array) || bodyChecksum(id, bytes) !== checksum) return 'damaged';
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Writes the entries in this order of use. */
  insert(entries: NewEntry[]): void {
    let id = this.#number('lastId');
    let used = this.#number('lastUsed');
    for (const entry of entries) {
      id++;
      used++;
      const { url, body } = entry;
      const variant = variantOf(entry);
      const text = textOf(entry, body.length);
      const checksum = headChecksum(id, url, variant, text);
      const bytes = bytesOf(entry, body.length);
      this.#run('insertHead', id, url, variant, used, bytes, checksum, text);
      this.#run('insertBody', id, bodyChecksum(id, body), body);
    }
  }

  /** @returns false if the entry was damaged. */
  change(
    id: number,
    news: Partial<Pick<StoredHead, 'headers' | 'requestedAtMs' | 'receivedAtMs' | 'note'>>,
  ): boolean {
    const [row] = this.#all('headOfId', id);
    if (row === undefined) return true;
    const old = headOf(row as HeadRow);
    if (old === null) return false;
    const head = { ...old, ...news };
    const text = textOf(head, head.bodyBytes);
    const checksum = headChecksum(id, head.url, row[2] as string, text);
    this.#run('updateHead', bytesOf(head, head.bodyBytes), checksum, text, id);
    return true;
  }

  /** Marks entries as used, in this order, after all others. */
  touch(ids: Iterable<number>): void {
    let used = this.#number('lastUsed');
    for (const id of ids) this.#run('updateUsed', ++used, id);
  }

  remove(ids: Iterable<number>): void {
    for (const id of ids) this.#run('deleteId', id);
  }

  removeUrl(url: string): void {
    this.#run('deleteUrl', url);
  }

  removeVariant(url: string, variant: string): void {
    this.#run('deleteVariant', url, variant);
  }

  /** Removes the least recently used entries until at most this many bytes remain. */
  shrinkTo(maxBytes: number): void {
    for (let { bytes } = this.size(); bytes > maxBytes; bytes = this.size().bytes) {
      let removed = 0;
      for (const [id, size] of this.#all('oldest')) {
        if (bytes <= maxBytes) break;
        removed += this.#run('deleteId', id as number);
        bytes -= size as number;
      }
      // A damaged index may list missing rows forever.
      if (removed === 0) throw new NotOurs('damaged', 'entries that it names cannot be removed');
    }
  }

  size(): { entries: number; bytes: number } {
    const [row] = this.#all('totals');
    return { entries: Number(row?.[0] ?? 0), bytes: Number(row?.[1] ?? 0) };
  }

  /** Recounts the totals, which no checksum covers. */
  countAnew(): void {
    this.#run('countAnew');
  }

  #all(name: keyof typeof statements, ...values: (string | number)[]): unknown[][] {
    return this.#statements[name].all(...values) as unknown as unknown[][];
  }

  #number(name: 'lastId' | 'lastUsed'): number {
    return Number(this.#all(name)[0]?.[0] ?? 0);
  }

  /** @returns The number of changed rows, not counting those of triggers. */
  #run(name: keyof typeof statements, ...values: (string | number | Uint8Array)[]): number {
    return Number(this.#statements[name].run(...values).changes);
  }
}

function textOf(head: Omit<NewEntry, 'body'>, bodyBytes: number): string {
  const { status, statusText, requestedAtMs, receivedAtMs, headers, note } = head;
  const fields: Fields = [status, statusText, requestedAtMs, receivedAtMs, bodyBytes, headers];
  if (note !== null) fields.push(note);
  return JSON.stringify(fields);
}

/** null: damaged. */
function headOf([id, url, variant, checksum, text]: HeadRow): StoredHead | null {
  if (headChecksum(id, url, variant, text) !== checksum) return null;
  const fields: Fields = JSON.parse(text);
  const [status, statusText, requestedAtMs, receivedAtMs, bodyBytes, headers] = fields;
  const [, , , , , , note = null] = fields;
  const [vary, place] = variant === '' ? [[], null] : JSON.parse(variant);
  const range = place && { first: place[0], last: place[1], total: place[2] };
  return {
    id,
    url,
    vary,
    range,
    status,
    statusText,
    headers,
    requestedAtMs,
    receivedAtMs,
    bodyBytes,
    note,
  };
}

function headChecksum(id: number, url: string, variant: string, text: string): number {
  return zlib.crc32(`${id}\n${url}\n${variant}\n${text}`);
}

function bodyChecksum(id: number, body: Uint8Array): number {
  return zlib.crc32(body, zlib.crc32(`${id}\n`));
}
