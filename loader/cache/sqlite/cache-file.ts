// The file of an SQLite cache: its tables, how it is opened, and what its faults lead to.
//
// A read that fails is a miss, and a write that fails is skipped; `onNotice` is told once of each kind of fault until a
// write succeeds again. A damaged file is renamed to `cache.db.damaged`, and an empty one takes its place. A file that
// cannot be written to is only read; each write tries again.
//
// The write-ahead log with `synchronous = NORMAL` keeps committed transactions if the process dies; a power loss may
// lose the transactions of the last seconds. Removed data stays in free pages until they are reused, so the file is
// private to its user, like a browser's cache.

import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { retryWhileBusy } from '../../../process/while-busy.ts';
import { LoaderError } from '../../errors.ts';

const applicationId = 0x6c616863; // "lahc"
const formatVersion = 1;
// Compared with 4 KiB, a body of 40 KB is read in four fifths of the time; 16 KiB waste more space.
const pageBytes = 8192;
const maxIdleLogBytes = 16 * 1024 * 1024;

// Heads and bodies are separate tables: a lookup reads no bodies, and recording the use of an entry rewrites none. Ids
// are never reused and start at random, so an id names nothing else after its entry or its file is gone.
const tables = `
  CREATE TABLE heads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    url TEXT NOT NULL,
    variant TEXT NOT NULL, -- the request fields that Vary names, and the range
    used INTEGER NOT NULL, -- greater is later
    bytes INTEGER NOT NULL, -- what the entry counts towards the capacity, its body included
    checksum INTEGER NOT NULL,
    head TEXT NOT NULL
  ) STRICT;
  CREATE INDEX heads_by_url ON heads (url);
  CREATE INDEX heads_by_use ON heads (used, bytes);
  CREATE TABLE bodies (id INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
  CREATE TABLE totals (entries INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
  INSERT INTO totals VALUES (0, 0);
  CREATE TRIGGER head_comes AFTER INSERT ON heads BEGIN
    UPDATE totals SET entries = entries + 1, bytes = bytes + new.bytes;
  END;
  CREATE TRIGGER head_changes AFTER UPDATE OF bytes ON heads BEGIN
    UPDATE totals SET bytes = bytes + new.bytes - old.bytes;
  END;
  CREATE TRIGGER head_goes AFTER DELETE ON heads BEGIN
    DELETE FROM bodies WHERE id = old.id;
    UPDATE totals SET entries = entries - 1, bytes = bytes - old.bytes;
  END;
  INSERT INTO sqlite_sequence (name, seq) VALUES ('heads', abs(random() % ${2 ** 47}));
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${formatVersion};`;

type Fault = 'busy' | 'read-only' | 'full' | 'damaged' | 'other';

// Faults by the low byte of SQLite's result code (https://www.sqlite.org/rescode.html).
const faults: Record<number, Fault> = {
  1: 'damaged', // SQLITE_ERROR: the tables are not ours, or an unknown SQLite wrote them
  5: 'busy', // SQLITE_BUSY
  6: 'busy', // SQLITE_LOCKED
  8: 'read-only', // SQLITE_READONLY
  11: 'damaged', // SQLITE_CORRUPT
  13: 'full', // SQLITE_FULL
  14: 'read-only', // SQLITE_CANTOPEN: its log cannot be created
  19: 'damaged', // SQLITE_CONSTRAINT: an intact file violates none
  26: 'damaged', // SQLITE_NOTADB
};

const reasons: Record<Exclude<Fault, 'damaged'>, string> = {
  busy: 'another process has been writing to it for too long',
  'read-only': 'it is read-only; its content is still used',
  full: 'the disk is full',
  other: 'see the system’s message',
};

/** The content of the file cannot be used. */
export class Damage extends Error {}

/** The cache's own faults; null for a programming error, which must not be hidden. */
function faultOf(error: unknown): Fault | null {
  if (error instanceof Damage) return 'damaged';
  const { code, errcode, syscall } = error as Record<string, unknown>;
  if (code === 'ERR_SQLITE_ERROR') return faults[Number(errcode) & 0xff] ?? 'other';
  // node:sqlite reads no integer beyond 2 ** 53, and no cache wrote one.
  if (code === 'ERR_OUT_OF_RANGE') return 'damaged';
  if (typeof syscall !== 'string') return null;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'full';
  return code === 'EROFS' || code === 'EACCES' || code === 'EPERM' ? 'read-only' : 'other';
}

/** Runs a statement, which is prepared once, and returns its rows. */
export type Query = (sql: string, ...values: SQLInputValue[]) => Record<string, SQLOutputValue>[];

export interface CacheFileOptions {
  busyTimeoutMs: number;
  onNotice: (message: string) => void;
}

export class CacheFile {
  readonly #path: string;
  readonly #options: CacheFileOptions;
  #database: DatabaseSync | null = null;
  #statements = new Map<string, StatementSync>();
  /** Why the open file can only be read; null: it can be written to. */
  #readOnly: unknown = null;
  /** Device and inode of the file that is open, or was last. */
  #number: string | null = null;
  /** Faults that `onNotice` was told of since the last write that succeeded. */
  readonly #told = new Set<Fault>();

  /**
   * Opens `cache.db` in a folder, which is created for this user only if it is missing (but not its parent).
   * @throws LoaderError `cache-unusable`
   */
  constructor(folder: string, options: CacheFileOptions) {
    makeFolder(folder);
    this.#path = join(folder, 'cache.db');
    this.#options = options;
    try {
      this.#open();
    } catch (error) {
      const fault = faultOf(error);
      if (fault === 'read-only' || fault === 'other') {
        const text = `no cache can be kept in ${this.#path}: ${(error as Error).message}; see that this user may write there`;
        throw new LoaderError('cache-unusable', text, { cause: error });
      }
      this.#failed(error);
    }
  }

  /** @returns undefined if it failed. */
  read<Result>(work: (query: Query) => Result): Result | undefined {
    try {
      if (this.#database === null) this.#open();
      return work(this.#query);
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  /**
   * Runs `work` in one transaction, and once more in a new file if this one is damaged.
   * @returns Whether it was committed.
   */
  write(work: (query: Query) => void): boolean {
    for (const isLast of [false, true]) {
      try {
        this.#inTransaction(work);
        this.#told.clear();
        return true;
      } catch (error) {
        this.#failed(error);
        if (isLast || faultOf(error) !== 'damaged') return false;
      }
    }
    return false;
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
    this.#statements.clear();
    this.#readOnly = null;
  }

  readonly #query: Query = (sql, ...values) => {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = (this.#database as DatabaseSync).prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...values);
  };

  #inTransaction(work: (query: Query) => void): void {
    // Writes to a file that is no longer at its path would be lost.
    if (this.#readOnly !== null || fileNumber(this.#path) !== this.#number) this.close();
    const database = this.#database ?? this.#open();
    if (this.#readOnly !== null) throw this.#readOnly;
    try {
      database.exec('BEGIN IMMEDIATE');
      work(this.#query);
      database.exec('COMMIT');
    } finally {
      if (database.isTransaction) database.exec('ROLLBACK');
    }
  }

  /** Opens the file for writing, or else for reading. */
  #open(): DatabaseSync {
    const path = this.#path;
    try {
      // SQLite gives its log the same mode.
      if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
      this.#number = fileNumber(path);
      return this.#opened(path);
    } catch (error) {
      const fault = faultOf(error);
      if (fault === null || fault === 'damaged' || fault === 'busy') throw error;
      // Read-only storage is read without the content of its log.
      const url = pathToFileURL(path);
      url.searchParams.set('immutable', '1');
      try {
        this.#opened(url);
      } catch {
        throw error;
      }
      this.#readOnly = error;
    }
    return this.#database as DatabaseSync;
  }

  #opened(path: string | URL): DatabaseSync {
    // Not an `import`: older versions of Node would warn that SQLite is experimental even if it is unused.
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const { busyTimeoutMs } = this.#options;
    const readOnly = typeof path !== 'string';
    const database = new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs });
    this.#database = database;
    try {
      if (!readOnly) {
        database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA synchronous = NORMAL;
          PRAGMA journal_size_limit = ${maxIdleLogBytes}; BEGIN IMMEDIATE`);
        const isEmpty = this.#query('SELECT 1 FROM sqlite_schema LIMIT 1').length === 0;
        database.exec(`${isEmpty ? tables : ''}; COMMIT`);
      }
      const isOurs = this.#query('PRAGMA application_id')[0]?.application_id === applicationId;
      if (!isOurs) throw new Damage('it is another program’s database');
      const version = this.#query('PRAGMA user_version')[0]?.user_version;
      const text = `it has version ${version} of the format, ${formatVersion} is known here`;
      if (version !== formatVersion) throw new Damage(text);
      const useLog = () => database.exec('PRAGMA journal_mode = WAL');
      if (!readOnly) retryWhileBusy(busyTimeoutMs, (error) => faultOf(error) === 'busy', useLog);
      return database;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #failed(error: unknown): void {
    const fault = faultOf(error);
    if (fault === null) throw error;
    const { message } = error as Error;
    if (fault === 'damaged') this.#setAside(message);
    else this.#report(fault, `is not written to for now: ${reasons[fault]} (${message})`);
    if (fault === 'other') this.close();
  }

  #setAside(message: string): void {
    const aside = `${this.#path}.damaged`;
    // Intact entries of a file that cannot be renamed may still be read.
    if (this.#readOnly === null) this.close();
    // Another process may have set the file aside. It is examined by name only: closing any descriptor of it would
    // release SQLite's locks on it (https://www.sqlite.org/howtocorrupt.html 2.2).
    if (fileNumber(this.#path) !== this.#number) return;
    try {
      // The log is moved first: SQLite would apply an old log to a new file.
      for (const end of ['-wal', '-shm', '-journal', '']) {
        if (existsSync(this.#path + end)) renameSync(this.#path + end, aside + end);
        else rmSync(aside + end, { force: true });
      }
      this.close();
      const text = `it is kept as ${aside}, and replaced by an empty one`;
      this.#options.onNotice(`${this.#path} is unusable (${message}); ${text}`);
    } catch (cause) {
      if (faultOf(cause) === null) throw cause;
      const why = (cause as Error).message;
      this.#report('damaged', `is unusable (${message}), and cannot be renamed: ${why}`);
    }
  }

  #report(fault: Fault, text: string): void {
    if (this.#told.has(fault)) return;
    this.#told.add(fault);
    this.#options.onNotice(`${this.#path} ${text}`);
  }
}

/** @throws LoaderError `cache-unusable` */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    // The path may also be a link, or on a read-only file system.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    const rule = code === 'EEXIST' ? 'it is not a folder' : message;
    const remedy = 'name an existing folder, or a new one in an existing folder';
    const text = `no cache can be kept in ${folder}: ${rule}; ${remedy}`;
    throw new LoaderError('cache-unusable', text, { cause });
  }
}

/** Identifies a file by device and inode; null if it does not exist. */
function fileNumber(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}
