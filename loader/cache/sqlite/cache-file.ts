// The file of an SQLite cache: its tables, how it is opened, and what its faults lead to.
//
// A read that fails is a miss, and a write that fails is skipped; `onNotice` is told once of each kind of fault until a
// write succeeds again. The file is closed after a fault, and each later call opens it again. A damaged file is renamed
// to `cache.db.damaged`, and the next call begins an empty one.
//
// The write-ahead log with `synchronous = NORMAL` keeps committed transactions if the process dies; a power loss may
// lose the transactions of the last seconds. Removed data stays in free pages until they are reused, so the file is
// private to its user, like a browser's cache.

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import {
  Damage,
  damaged,
  faultOf,
  fileNumber,
  makePrivate,
  renameFile,
  retryWhileBusy,
} from '../../../process/sqlite-file.ts';
import { LoaderError } from '../../errors.ts';

/** The file's `user_version`: the ASCII codes of "lac", then the version of the tables. */
const format = 0x6c616302;
// Size of SQLite's pages. Compared with 4 KiB, a body of 40 KB is read in four fifths of the time; 16 KiB waste space.
const pageBytes = 8192;

// Heads (all of an entry but its body) and bodies are separate tables: a lookup reads no bodies, and recording the use
// of an entry rewrites none. Ids are never reused and start at random, so that an id names nothing else after its entry
// or its file is gone.
const tables = `
  CREATE TABLE heads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    url TEXT NOT NULL,
    variant TEXT NOT NULL, -- the request fields that Vary names, and the range
    used INTEGER NOT NULL, -- greater is later
    bytes INTEGER NOT NULL, -- what the entry counts towards the capacity, its body included
    head TEXT NOT NULL, -- the other fields of the entry, as JSON
    checksum INTEGER NOT NULL -- of the URL, the variant and the head
  ) STRICT;
  CREATE INDEX heads_by_url ON heads (url);
  CREATE INDEX heads_by_use ON heads (used, bytes);
  CREATE TABLE bodies (
    id INTEGER PRIMARY KEY REFERENCES heads ON DELETE CASCADE,
    body BLOB NOT NULL,
    body_checksum INTEGER NOT NULL -- of the URL, the variant and the body
  ) STRICT;
  INSERT INTO sqlite_sequence (name, seq) VALUES ('heads', abs(random() % ${2 ** 47}));
  PRAGMA user_version = ${format};`;

/** Says what is wrong with the file, by the error it led to; null: a programming error, which must not be hidden. */
function wordsFor(error: unknown): string | null {
  const { code, errcode, syscall } = error as NodeJS.ErrnoException & { errcode?: number };
  const isSystems = code === 'ERR_SQLITE_ERROR' || typeof syscall === 'string';
  // SQLITE_ERROR (1) means that the tables are not ours, or that an unknown SQLite wrote them.
  const other = (Number(errcode) & 0xff) === 1 ? damaged : 'it fails';
  return faultOf(error) ?? (isSystems ? other : null);
}

/** Runs a statement, which is prepared once, and returns its rows. */
export type Query = (sql: string, ...values: SQLInputValue[]) => SqlRow[];
export type SqlRow = Record<string, SQLOutputValue>;

export interface CacheFileOptions {
  busyTimeoutMs: number;
  onNotice: (message: string) => void;
}

export class CacheFile {
  readonly #path: string;
  readonly #options: CacheFileOptions;
  #database: DatabaseSync | null = null;
  readonly #statements = new Map<string, StatementSync>();
  /** Device and inode of the file that is open, or was open last. */
  #number: string | null = null;
  /** Faults that `onNotice` was told of since the last write that succeeded. */
  readonly #told = new Set<string>();

  /**
   * Opens `cache.db` in a folder. File and folder are created, for this user alone, if they are missing; the folders
   * above are not. @throws LoaderError `cache-unusable` if file or folder cannot be created.
   */
  constructor(folder: string, options: CacheFileOptions) {
    this.#path = join(folder, 'cache.db');
    this.#options = options;
    try {
      makeFolder(folder);
      this.#open();
    } catch (cause) {
      const why = `${(cause as Error).message}; name a folder to write in, or a new one in such`;
      const text = `no cache can be kept in ${folder}: ${why}`;
      if (!existsSync(this.#path)) throw new LoaderError('cache-unusable', text, { cause });
      this.#failed(cause);
    }
  }

  /** Runs `work`, whose queries read the file. @returns Its result; undefined: it failed, and the fault was handled. */
  read<Result>(work: (query: Query) => Result): Result | undefined {
    try {
      if (this.#database === null) this.#open();
      return work(this.#query);
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  /** Runs `work` in one transaction. @returns Whether it was committed. */
  write(work: (query: Query) => void): boolean {
    // Writes to a file that is no longer at its path would be lost: it is closed, and the path is opened again.
    if (fileNumber(this.#path) !== this.#number) this.close();
    const isCommitted = this.read((query) => {
      query('BEGIN IMMEDIATE');
      work(query);
      query('COMMIT');
      this.#told.clear();
      return true;
    });
    return isCommitted ?? false;
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
    this.#statements.clear();
  }

  readonly #query: Query = (sql, ...values) => {
    const database = this.#database as DatabaseSync;
    const statement = this.#statements.get(sql) ?? database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement.all(...values);
  };

  #open(): void {
    makePrivate(this.#path);
    // Not an `import`: older versions of Node would warn that SQLite is experimental even if it is unused.
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const { busyTimeoutMs } = this.#options;
    this.#number = fileNumber(this.#path);
    const database = new DatabaseSync(this.#path, { timeout: busyTimeoutMs });
    this.#database = database;
    database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA synchronous = NORMAL;
      PRAGMA journal_size_limit = ${16 * 1024 * 1024}`);
    const isEmpty = () => this.#query('SELECT 1 FROM sqlite_schema LIMIT 1').length === 0;
    if (isEmpty()) {
      database.exec('BEGIN IMMEDIATE');
      // Another process may have created the tables before the transaction began, so the file is checked again.
      database.exec(isEmpty() ? `${tables} COMMIT` : 'COMMIT');
    }
    const found = this.#query('PRAGMA user_version')[0]?.user_version;
    if (found !== format) throw new Damage(`user_version is ${found}, not ${format}`);
    retryWhileBusy(busyTimeoutMs, () => database.exec('PRAGMA journal_mode = WAL'));
  }

  #failed(error: unknown): void {
    const fault = wordsFor(error);
    this.close(); // closing rolls the transaction back
    if (fault === null) throw error;
    // Another process may have set the file aside. It is examined by name only: closing any descriptor of it would
    // release SQLite's locks on it (https://www.sqlite.org/howtocorrupt.html 2.2).
    if (fault === damaged && fileNumber(this.#path) !== this.#number) return;
    const outcome = fault === damaged ? setAside(this.#path) : 'is not fully usable for now';
    if (this.#told.has(fault)) return;
    this.#told.add(fault);
    this.#options.onNotice(`${this.#path} ${outcome}: ${fault} (${(error as Error).message})`);
  }
}

/** Makes the folder if it is missing, which another process may do at the same time. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/** Renames a damaged file. @returns What became of it, in words. */
function setAside(path: string): string {
  try {
    renameFile(path, `${path}.damaged`);
    return `is begun anew, and the old one is kept as ${path}.damaged`;
  } catch (error) {
    return `is unusable, and cannot be renamed (${(error as Error).message})`;
  }
}
