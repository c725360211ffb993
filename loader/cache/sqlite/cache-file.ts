// The file of an SQLite store, with all its failures.
//
// A failed read is a miss and a failed write is skipped; `onNotice` reports a fault once until a write succeeds
// again. A damaged file is renamed and replaced by a new one; a read-only file is only read. Each write checks
// whether the fault is gone. Reads never wait for locks.

import { LoaderError } from '../../errors.ts';
import { fileNumber, makeFile, setAside } from './cache-folder.ts';
import { openForReading, openForWriting } from './cache-tables.ts';
import type { SqliteRows } from './rows-of-entries.ts';
import { faultOf, NotOurs, noticeOf, ReadOnly } from './sqlite-faults.ts';

export interface CacheFileOptions {
  busyTimeoutMs: number;
  onNotice: (message: string) => void;
}

export class CacheFile {
  readonly #path: string;
  readonly #options: CacheFileOptions;
  #rows: SqliteRows | null = null;
  /** Why the open file can only be read; null: it is writable. */
  #readOnly: unknown = null;
  #isCounted = false;
  /** Identity of the file that is open, or was last. */
  #number: string | null = null;
  /** Notices sent since the last successful write. */
  readonly #told = new Set<string>();

  /** @throws LoaderError `cache-unusable` */
  constructor(path: string, options: CacheFileOptions) {
    this.#path = path;
    this.#options = options;
    try {
      this.#open(options.busyTimeoutMs);
    } catch (error) {
      const fault = faultOf(error);
      if (fault === 'other' || fault === 'read-only') {
        const text = `no cache can be kept in ${path}: ${(error as Error).message}; see that this user may write there`;
        throw new LoaderError('cache-unusable', text, { cause: error });
      }
      this.#failed(error);
      if (fault === 'damaged') this.read(() => null);
    }
  }

  /** @returns undefined if it failed. */
  read<Result>(work: (rows: SqliteRows) => Result): Result | undefined {
    try {
      return work(this.#rows ?? this.#open(0));
    } catch (error) {
      if (faultOf(error) !== 'busy') this.#failed(error);
      return undefined;
    }
  }

  /** Runs `work` in one transaction. @returns Whether it was committed. */
  write(
    work: (rows: SqliteRows) => void,
    busyTimeoutMs: number = this.#options.busyTimeoutMs,
  ): boolean {
    try {
      try {
        this.#inTransaction(work, busyTimeoutMs);
      } catch (error) {
        if (faultOf(error) !== 'damaged') throw error;
        this.#failed(error);
        this.#inTransaction(work, busyTimeoutMs);
      }
      this.#told.clear();
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  damagedEntry(id: number): void {
    const text = `${this.#path} has an entry that is damaged; it is not used, but removed`;
    this.#tell('entry', text);
    this.write((rows) => rows.remove([id]), 0);
  }

  close(): void {
    this.#rows?.database.close();
    this.#rows = null;
    this.#readOnly = null;
  }

  #inTransaction(work: (rows: SqliteRows) => void, busyTimeoutMs: number): void {
    const rows = this.#writable(busyTimeoutMs);
    const { database } = rows;
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    try {
      database.exec('BEGIN IMMEDIATE');
      if (!this.#isCounted) rows.countAnew();
      work(rows);
      database.exec('COMMIT');
      this.#isCounted = true;
    } finally {
      if (database.isTransaction) database.exec('ROLLBACK');
      database.exec('PRAGMA busy_timeout = 0');
    }
  }

  #writable(busyTimeoutMs: number): SqliteRows {
    // Writes to an unlinked file would be lost.
    const isGone = this.#rows !== null && fileNumber(this.#path) !== this.#number;
    if (isGone || this.#readOnly !== null) this.close();
    const rows = this.#rows ?? this.#open(busyTimeoutMs);
    if (this.#readOnly !== null) throw this.#readOnly;
    return rows;
  }

  /** Opens the file for writing, or else for reading. */
  #open(busyTimeoutMs: number): SqliteRows {
    this.#isCounted = false;
    try {
      makeFile(this.#path);
      this.#number = fileNumber(this.#path);
      this.#rows = openForWriting(this.#path, busyTimeoutMs);
    } catch (error) {
      const fault = faultOf(error);
      if (fault === null || fault === 'damaged' || fault === 'busy') throw error;
      try {
        this.#rows = openForReading(this.#path);
      } catch {
        throw error;
      }
      this.#readOnly = fault === 'full' ? error : new ReadOnly(error);
    }
    return this.#rows;
  }

  #failed(error: unknown): void {
    const fault = faultOf(error);
    if (fault === null) throw error;
    if (fault === 'damaged') this.#leaveDamaged(error as Error);
    else this.#tell(fault, noticeOf(this.#path, fault, error));
    if (fault === 'other') this.close();
  }

  #leaveDamaged(error: Error): void {
    const path = this.#path;
    // Intact entries of a read-only file may still be used.
    if (this.#readOnly === null) this.close();
    const what = `${path} is unusable (${error.message})`;
    try {
      const word = error instanceof NotOurs ? error.word : 'damaged';
      const aside = setAside(path, this.#number, word);
      if (aside === null) return; // another process did it
      this.close();
      this.#options.onNotice(`${what}; it is kept as ${aside}, and replaced by an empty one`);
    } catch (cause) {
      if (faultOf(cause) === null) throw cause;
      this.#tell('damaged', `${what}, and cannot be renamed: ${(cause as Error).message}`);
    }
  }

  #tell(what: string, message: string): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.#options.onNotice(message);
  }
}
