// Keeps a store in an SQLite file, on one connection. Every call blocks, so it runs in a worker thread (worker.ts). The
// connection opens on the first call, and again after any error and when another file is at the path, so each call
// works on the current file.
//
// Guarantee: an addition is one transaction, stored completely or not at all, and additions of several processes add
// up. A foreign file is never written to; a damaged one is refused or, if requested, set aside under another name.

import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import {
  busy,
  damaged,
  faultOf,
  fileNumber,
  makePrivate,
  renameFile,
  retryWhileBusy,
} from '../../../process/sqlite-file.ts';
import { type PrefetchdErrorCode, storeError } from '../../errors.ts';
import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { isOver, newSalt, type Salt, saltOf } from '../../model/salt.ts';
import type { StoreIdentity, StoreNeed } from '../graph-store.ts';
import type { StoreSettings } from '../store-options.ts';
import { addDelta, deleteBelow, endEra } from './graph.ts';
import { readGraph } from './read-graph.ts';
import { type Meta, openTables, readMeta, useLog } from './tables.ts';

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
  need: StoreNeed = null;
  readonly #path: string;
  readonly #options: SqliteFileOptions;
  #database: DatabaseSync | null = null;
  /** Device and inode (`fileNumber`) of the file that is or was last open, whatever is at its path by now. */
  #file: string | null = null;
  /** True if a graph was loaded or added to; if the file is empty after that, it must have been created anew. */
  #hasGraph = false;
  /** The row of the table `meta` as it was when the graph was loaded; null: no graph was loaded. */
  #loaded: Meta | null = null;
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
  load(nowMs: number, give: (part: string) => void): boolean {
    return this.#read((database, meta) => {
      const isThere = readGraph(database, { meta, nowMs, ...this.#options }, give);
      this.#hasGraph ||= isThere;
      this.#loaded = meta;
      if (this.need !== 'whole') this.need = null;
      return isThere;
    });
  }

  /** Adds a delta, unless `need` says that this process must first restore the graph or forget URLs. @returns additions
   *  of other processes, for this one to import: always [], as a file gives none */
  add(delta: GraphDelta, nowMs: number): GraphDelta[] {
    return this.#write((database, meta) => {
      this.#look(meta);
      if (this.need === null || this.need === 'load') this.#add(database, delta, nowMs);
      return [];
    });
  }

  addOnce(delta: GraphDelta, nowMs: number, name: string): boolean {
    return this.#write((database) => {
      const { changes } = database.prepare('INSERT OR IGNORE INTO import VALUES (?)').run(name);
      if (changes !== 0) this.#add(database, delta, nowMs);
      return changes !== 0;
    });
  }

  look(): void {
    this.#read((_, meta) => this.#look(meta));
  }

  restore(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[]): void {
    this.#write((database, { predictor }) => {
      for (const delta of predictor === null ? [whole] : news) this.#add(database, delta, nowMs);
      this.need = null;
      if (predictor !== null) return; // another process has written the whole graph
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
      if (salt.era !== meta.era) database.exec(endEra);
      this.#hasRest = true;
      return salt;
    };
    // The salt is looked at again before a new one is written, because another process may have been faster.
    return this.#read(valid) ?? this.#write((...now) => valid(...now) ?? renewed(...now));
  }

  forget(url: string): number {
    return this.#write((database) => {
      const deleted = deleteBelow(database, url);
      if (deleted > 0) database.exec('UPDATE meta SET forgetting = hex(randomblob(16))');
      this.#hasRest ||= deleted > 0;
      return deleted;
    });
  }

  beginServing(): string | null {
    return this.#use('store-unwritable', '', (database) => {
      try {
        // Only SQLite knows whether another process has the file open: it refuses to leave WAL mode then.
        database.exec(`PRAGMA journal_mode = DELETE; ${useLog}`);
        return null;
      } catch (error) {
        if (faultOf(error) !== busy) throw error;
        return `another process has ${this.#path} open too: both add to it, but neither hints what the other learned before it starts again; let one process serve it, or share a Redis`;
      }
    });
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
  }

  /** Sets `need`, what this process must do next. `whole`: give its graph, as the file was created anew. `forget`: load
   *  the graph again, as URLs were deleted since it was loaded. `load`: likewise, as `addOnce` imported to it. */
  #look({ predictor, forgetting, imports }: Meta): void {
    const isOld = this.#loaded !== null && imports !== this.#loaded.imports;
    // If `forgetting` is null, nothing was ever deleted from this file.
    const isGone = this.#loaded !== null && ![null, this.#loaded.forgetting].includes(forgetting);
    this.need = isGone ? 'forget' : isOld ? 'load' : null;
    if (this.#hasGraph && predictor === null) this.need = 'whole';
    // The process that deleted URLs could not empty the write-ahead log while this process read it, so this one does.
    this.#hasRest ||= this.need === 'forget';
  }

  #add(database: DatabaseSync, delta: GraphDelta, nowMs: number): void {
    addDelta(database, this.#path, { delta, nowMs, options: this.#options });
    this.#hasGraph = true;
  }

  #read<Result>(work: Work<Result>): Result {
    return this.#use('store-unreadable', 'BEGIN', work);
  }

  #write<Result>(work: Work<Result>): Result {
    return this.#use('store-unwritable', 'BEGIN IMMEDIATE', work);
  }

  /** Runs `work` in a transaction. @param code Code of its errors @param begin SQL that begins the transaction */
  #use<Result>(code: PrefetchdErrorCode, begin: string, work: Work<Result>): Result {
    const { busyTimeoutMs, onDamaged } = this.#options;
    const attempt = () => retryWhileBusy(busyTimeoutMs, () => this.#attempt(begin, work));
    try {
      try {
        return attempt();
      } catch (error) {
        if (faultOf(error) !== damaged || onDamaged === 'refuse') throw error;
        this.#setAside(error as Error);
        return attempt();
      }
    } catch (error) {
      const fault = faultOf(error);
      const advice = fault === damaged ? 'set it aside and train again' : undefined;
      throw storeError(code, this.#path, error as Error, fault, advice);
    }
  }

  #attempt<Result>(begin: string, work: Work<Result>): Result {
    try {
      const database = this.#opened();
      database.exec(begin);
      const result = work(database, readMeta(database));
      if (database.isTransaction) database.exec('COMMIT');
      this.#removeRest(database);
      return result;
    } catch (error) {
      if (faultOf(error) !== busy)
        this.close(); // closing rolls the transaction back
      else if (this.#database?.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Returns a connection to the file that is at the path now: writes to a deleted or replaced file would be lost. */
  #opened(): DatabaseSync {
    if (this.#database !== null && fileNumber(this.#path) === this.#file) return this.#database;
    this.close();
    makePrivate(this.#path);
    this.#file = fileNumber(this.#path);
    this.#database = openTables(this.#path);
    return this.#database;
  }

  /**
   * Removes what may be left of deleted URLs, and of client fingerprints made with a replaced salt. The file is
   * rewritten, because free space in split pages may contain such data, and the write-ahead log is emptied. What fails,
   * for example because another process reads this log, is tried again after the next call.
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
    let n = 1;
    while (existsSync(`${this.#path}.damaged-${n}`)) n++;
    const aside = `${this.#path}.damaged-${n}`;
    renameFile(this.#path, aside);
    this.#options.onNotice(
      `${this.#path} was damaged (${why.message}); it was renamed to ${aside}, and an empty store was created`,
    );
  }
}
