// Keeps a store in an SQLite file, on one connection. Every call blocks, so it runs in a worker thread (worker.ts). The
// connection opens on the first call, and again after any error and when another file is at the path, so each call
// works on the current file.
//
// Guarantee: an addition is one transaction, stored completely or not at all, and additions of several processes add
// up. A foreign file is never written to; a damaged one is refused or, if requested, set aside under another name.

import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { retryWhileBusy } from '../../../process/while-busy.ts';
import { PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';
import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { isOver, newSalt, type Salt, saltOf } from '../../model/salt.ts';
import type { StoreIdentity, StoreNeed } from '../graph-store.ts';
import type { StoreSettings } from '../store-options.ts';
import { checkOurs, fileNumber, isBusy, isDamage, setAside, storeError } from './file-faults.ts';
import { addDelta, deleteBelow } from './graph.ts';
import { type GraphPart, readGraph } from './read-graph.ts';
import { endEras, inTransaction, type Meta, openTables, readMeta, useLog } from './tables.ts';

export interface SqliteFileSettings {
  /** Longest wait for another process's write lock, ms. */
  busyTimeoutMs: number;
  /** What to do with a damaged file: refuse it, or rename it to FILE.damaged-<n> and begin an empty one. */
  onDamaged: 'refuse' | 'set-aside';
  /** Receives messages for the operator. */
  onNotice: (message: string) => void;
}

export type SqliteFileOptions = StoreSettings & SqliteFileSettings;

type Work<Result> = (database: DatabaseSync, meta: Meta) => Result;

export class SqliteFile {
  readonly #path: string;
  readonly #options: SqliteFileOptions;
  #database: DatabaseSync | null = null;
  /** Device and inode (`fileNumber`) of the file that is or was last open, whatever is at its path by now. */
  #file: string | null = null;
  /** True if a graph was loaded or added to; if the file is empty after that, it must have been created anew. */
  #hasGraph = false;
  /** Value of `forgetting`, which each deletion changes, when the graph was loaded; undefined: the graph was not
   *  loaded. */
  #loadedAfter: string | null | undefined;
  /** Number of additions by `addOnce` in the file when the graph was loaded; undefined: the graph was not loaded. */
  #loadedImports: number | undefined;
  /** True if deleted URLs or client fingerprints of a replaced salt may still be in the file or its write-ahead log. */
  #hasRest = false;

  constructor(path: string, options: SqliteFileOptions) {
    this.#path = path;
    this.#options = options;
  }

  identity(): StoreIdentity | null {
    return this.#read((_, { predictor, window }) => {
      return predictor === null ? null : { predictor, window };
    });
  }

  /** Reads the graph. @param give Receives its parts, from the first on again if reading is repeated @returns true if
   *  there is a graph */
  load(nowMs: number, give: (part: GraphPart) => void): boolean {
    return this.#read((database, meta) => {
      this.#loadedAfter = meta.forgetting;
      this.#loadedImports = meta.imports;
      const isThere = readGraph(database, { meta, nowMs, ...this.#options }, give);
      this.#hasGraph ||= isThere;
      return isThere;
    });
  }

  /** Adds a delta, unless this process must first do what is returned: restore the graph, or forget URLs. */
  add(delta: GraphDelta, nowMs: number): StoreNeed {
    return this.#write((database, meta) => {
      const need = this.#needOf(meta);
      if (need === null || need === 'load') this.#add(database, delta, nowMs);
      return need;
    });
  }

  /** Adds a delta, unless one was added under that name. @returns whether it was added */
  addOnce(delta: GraphDelta, nowMs: number, name: string): boolean {
    return this.#write((database) => {
      const { changes } = database.prepare('INSERT OR IGNORE INTO import VALUES (?)').run(name);
      if (changes !== 0) this.#add(database, delta, nowMs);
      return changes !== 0;
    });
  }

  look(): StoreNeed {
    return this.#read((_, meta) => this.#needOf(meta));
  }

  /** Writes the whole graph into an empty file. @param news deltas that are added instead if another process has
   *  written the whole graph */
  restore(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[]): void {
    this.#write((database, { predictor }) => {
      for (const delta of predictor === null ? [whole] : news) this.#add(database, delta, nowMs);
      if (predictor !== null) return;
      this.#options.onNotice(`${this.#path} was created anew; the whole graph is written to it`);
    });
  }

  salt(nowMs: number, lifeMs: number, own?: Salt): Salt {
    const valid: Work<Salt | null> = (_, { salt }) =>
      salt === null || isOver(salt, nowMs, lifeMs) ? null : salt;
    const renewed: Work<Salt> = (database, meta) => {
      const { bytes, madeMs } = (meta.salt === null && own) || newSalt(nowMs);
      const salt = saltOf(bytes, madeMs);
      database.prepare('UPDATE meta SET salt = ?, salt_made_ms = ?').run(bytes, madeMs);
      endEras(database, salt.era);
      this.#hasRest = true;
      return salt;
    };
    // The salt is looked at again before a new one is written, because another process may have been faster.
    return this.#read(valid) ?? this.#write((...now) => valid(...now) ?? renewed(...now));
  }

  /** Deletes a URL and all URLs below it. @returns the number of URLs deleted */
  forget(url: string): number {
    return this.#write((database) => {
      const deleted = deleteBelow(database, url);
      if (deleted > 0) database.prepare('UPDATE meta SET forgetting = ?').run(randomUUID());
      this.#hasRest ||= deleted > 0;
      return deleted;
    });
  }

  /** Called before this process serves hints; returns whether another process has the file open. Only SQLite knows: it
   *  refuses to leave WAL mode then. */
  beginServing(): boolean {
    return this.#use('store-unwritable', (database) => {
      try {
        database.exec(`PRAGMA journal_mode = DELETE; ${useLog}`);
        return false;
      } catch (error) {
        if (isBusy(error)) return true;
        throw error;
      }
    });
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
  }

  /** Returns what the store needs. `whole`: the file was created anew. `forget`: URLs were deleted since the graph was
   *  loaded. `load`: something was added by `addOnce` since then. */
  #needOf({ predictor, forgetting, imports }: Meta): StoreNeed {
    if (this.#hasGraph && predictor === null) return 'whole';
    const isOld = this.#loadedImports !== undefined && imports !== this.#loadedImports;
    // If `forgetting` is null, nothing was ever deleted from this file.
    const isLoaded = this.#loadedAfter !== undefined && forgetting !== null;
    if (!isLoaded || forgetting === this.#loadedAfter) return isOld ? 'load' : null;
    // The process that deleted URLs could not empty the write-ahead log while this one read it; so this one does.
    this.#hasRest = true;
    return 'forget';
  }

  #add(database: DatabaseSync, delta: GraphDelta, nowMs: number): void {
    addDelta(database, this.#path, { delta, nowMs, options: this.#options });
    this.#hasGraph = true;
  }

  #read<Result>(work: Work<Result>): Result {
    return this.#use('store-unreadable', (database) =>
      inTransaction(database, 'BEGIN', () => work(database, readMeta(database))),
    );
  }

  #write<Result>(work: Work<Result>): Result {
    return this.#use('store-unwritable', (database) =>
      inTransaction(database, 'BEGIN IMMEDIATE', () => work(database, readMeta(database))),
    );
  }

  #use<Result>(code: PrefetchdErrorCode, work: (database: DatabaseSync) => Result): Result {
    const { busyTimeoutMs, onDamaged } = this.#options;
    const attempt = () => retryWhileBusy(busyTimeoutMs, isBusy, () => this.#attempt(work));
    try {
      try {
        return attempt();
      } catch (error) {
        if (!isDamage(error) || onDamaged === 'refuse') throw error;
        this.#setAside(error as Error);
        return attempt();
      }
    } catch (error) {
      throw storeError(code, this.#path, error as Error);
    }
  }

  #attempt<Result>(work: (database: DatabaseSync) => Result): Result {
    try {
      const database = this.#opened();
      const result = work(database);
      this.#removeRest(database);
      return result;
    } catch (error) {
      if (!isBusy(error) && !(error instanceof PrefetchdError)) this.close();
      throw error;
    }
  }

  /** Returns a connection to the file that is at the path now: writes to a deleted or replaced file would be lost. */
  #opened(): DatabaseSync {
    if (this.#database !== null && fileNumber(this.#path) === this.#file) return this.#database;
    this.close();
    checkOurs(this.#path);
    this.#file = fileNumber(this.#path);
    this.#database = openTables(this.#path);
    this.#file = fileNumber(this.#path);
    return this.#database;
  }

  /**
   * Removes what may be left of replaced salts' fingerprints and deleted URLs. The file is rewritten, because free
   * space in split pages may contain such data, and the write-ahead log is emptied. What fails, for example because
   * another process reads this log, is tried again after the next call.
   */
  #removeRest(database: DatabaseSync): void {
    const emptied = () => database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
    try {
      if (!this.#hasRest || !emptied()) return;
      database.exec('VACUUM');
      this.#hasRest = !emptied();
    } catch {
      // A failure to remove the deleted data is not reported: the call did its work, and the next one tries again.
    }
  }

  #setAside(why: Error): void {
    if (fileNumber(this.#path) !== this.#file) return; // another process has set the file aside
    const aside = setAside(this.#path);
    this.#options.onNotice(
      `${this.#path} was damaged (${why.message}); it was renamed to ${aside}, and an empty store was created`,
    );
  }
}
