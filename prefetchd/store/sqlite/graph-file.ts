// Keeps a store in an SQLite file, on one connection. Every call blocks, so it runs in a worker thread (worker.ts). The
// connection opens on the first call and reopens after any error, so once the cause is gone the next call works on the
// current file.
//
// Guarantee: an addition is one transaction, stored completely or not at all, and additions of several processes add
// up. A foreign file is never written to; a damaged one is refused or, if requested, set aside under another name.
//
// When an era has ended, its fingerprints become numbers, also in arcs that nobody follows any more. Without the salt
// they identify nobody, but equal fingerprints in several rows would show a path.

import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';
import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { isOver, newSalt, type Salt, saltOf } from '../../model/salt.ts';
import type { StoreIdentity, StoreNeed } from '../graph-store.ts';
import type { StoreSettings } from '../store-options.ts';
import type { StoredGraph } from './arc-columns.ts';
import { FileGone, isBusy, isDamage, storeError } from './failures.ts';
import { addDelta, deleteBelow, endEras, loadGraph, presentEra, prune, saltIn } from './graph.ts';
import { checkOurs, fileNumber, setAside } from './graph-file-location.ts';
import { inTransaction, openTables, readMeta, useLog, withoutWaiting } from './tables.ts';

export interface SqliteFileOptions extends StoreSettings {
  /** Longest wait for another process's write lock, ms. */
  busyTimeoutMs: number;
  onDamaged: 'refuse' | 'set-aside';
  onNotice: (message: string) => void;
}

export class SqliteFile {
  readonly #path: string;
  readonly #options: SqliteFileOptions;
  #database: DatabaseSync | null = null;
  /** Number of the current or most recent file, whatever is at its path by now. */
  #file: string | null = null;
  /** True if a graph was loaded or added to, so that an empty file is one that was created anew. */
  #hasGraph = false;
  /** Mark of the last deletion before the graph was loaded; undefined: the graph was not loaded. */
  #loadedAfter: string | null | undefined;
  /** Rows added since the tables were last counted; they are first counted with the first addition of a process. */
  #uncounted = Infinity;
  /** Places where fingerprints of ended eras or deleted data may still be. */
  #old = { rows: true, pages: false, log: true };

  constructor(path: string, options: SqliteFileOptions) {
    this.#path = path;
    this.#options = options;
  }

  identity(): StoreIdentity | null {
    return this.#use('store-unreadable', (database) => {
      const { predictor, window } = readMeta(database);
      return predictor === null ? null : { predictor, window };
    });
  }

  load(nowMs: number): StoredGraph | null {
    const { halfLifeMs } = this.#options;
    return this.#use('store-unreadable', (database) =>
      inTransaction(database, 'BEGIN', () => {
        this.#loadedAfter = readMeta(database).forgetting;
        const graph = loadGraph(database, { nowMs, halfLifeMs });
        this.#hasGraph ||= graph !== null;
        return graph;
      }),
    );
  }

  /** Adds a delta; nothing is added if the store needs something first. */
  add(delta: GraphDelta, nowMs: number): StoreNeed {
    return this.#use('store-unwritable', (database) =>
      inTransaction(database, 'BEGIN IMMEDIATE', () => {
        const need = this.#needOf(database);
        if (need === null) this.#add(database, delta, nowMs);
        return need;
      }),
    );
  }

  look(): StoreNeed {
    return this.#use('store-unwritable', (database) => this.#needOf(database));
  }

  /** Writes the whole graph into an empty file. @param news Added instead if another process has written the whole
   *  graph */
  restore(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[]): void {
    this.#use('store-unwritable', (database) => {
      const isEmpty = inTransaction(database, 'BEGIN IMMEDIATE', () => {
        const isEmpty = readMeta(database).predictor === null;
        for (const delta of isEmpty ? [whole] : news) this.#add(database, delta, nowMs);
        return isEmpty;
      });
      if (!isEmpty) return;
      const { onNotice } = this.#options;
      onNotice(`${this.#path} was created anew; the whole graph is written to it`);
    });
  }

  salt(nowMs: number, lifeMs: number, own?: Salt): Salt {
    return this.#use('store-unwritable', (database) => {
      const before = saltIn(readMeta(database));
      if (before !== null && !isOver(before, nowMs, lifeMs)) return before;
      return inTransaction(database, 'BEGIN IMMEDIATE', () => {
        const now = saltIn(readMeta(database));
        if (now !== null && !isOver(now, nowMs, lifeMs)) return now;
        const next = (now === null && own) || newSalt(nowMs);
        database.prepare('UPDATE meta SET salt = ?, salt_made_ms = ?').run(next.bytes, next.madeMs);
        this.#old = { ...this.#old, rows: true, log: true };
        return saltOf(next.bytes, next.madeMs);
      });
    });
  }

  /** Deletes a URL and all below it. @returns the number of URLs deleted */
  forget(url: string): number {
    return this.#use('store-unwritable', (database) => {
      const gone = inTransaction(database, 'BEGIN IMMEDIATE', () => {
        const deleted = deleteBelow(database, url);
        if (deleted > 0) database.prepare('UPDATE meta SET forgetting = ?').run(randomUUID());
        return deleted;
      });
      if (gone > 0) this.#old = { ...this.#old, pages: true, log: true };
      this.#removeOld(database);
      return gone;
    });
  }

  /** True if another process has the file open. Only SQLite can tell: it cannot leave WAL mode then. */
  beginServing(): boolean {
    const { busyTimeoutMs } = this.#options;
    return this.#use('store-unwritable', (database) => {
      try {
        withoutWaiting(database, busyTimeoutMs, () =>
          database.exec('PRAGMA journal_mode = DELETE'),
        );
        useLog(database, busyTimeoutMs);
        return false;
      } catch (error) {
        if (!isBusy(error)) throw error;
        return true;
      }
    });
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
  }

  /** What the store needs. `whole`: the file was created anew. `forget`: URLs were deleted since the graph was
   *  loaded. */
  #needOf(database: DatabaseSync): StoreNeed {
    const { predictor, forgetting } = readMeta(database);
    if (this.#hasGraph && predictor === null) return 'whole';
    // Without a mark, nothing was ever deleted from this file.
    if (this.#loadedAfter === undefined || forgetting === null || forgetting === this.#loadedAfter)
      return null;
    // The process that deleted could not empty the log while this one read it, and may not have rewritten the file.
    this.#old = { ...this.#old, pages: true, log: true };
    return 'forget';
  }

  #add(database: DatabaseSync, delta: GraphDelta, nowMs: number): void {
    addDelta(database, this.#path, { delta, nowMs, options: this.#options });
    this.#hasGraph = true;
    const { maxNodes, maxArcs } = this.#options;
    this.#uncounted += delta.graphs.reduce((sum, arcs) => sum + arcs.length, delta.urls.length);
    if (this.#uncounted > Math.min(maxNodes, maxArcs) / 64) {
      prune(database, this.#options);
      this.#uncounted = 0;
    }
    // The delta may have been made before its era ended.
    if (delta.era !== 0 && delta.era !== presentEra(readMeta(database))) this.#old.rows = true;
  }

  /**
   * Removes what may be left of ended eras and deleted URLs. The file is rewritten, because free space in split pages
   * may contain such data, and the log is emptied. What fails, for example because another process reads the log, is
   * tried again after the next call.
   */
  #removeOld(database: DatabaseSync): void {
    const { rows, pages, log } = this.#old;
    if (!rows && !pages && !log) return;
    try {
      if (rows && inTransaction(database, 'BEGIN IMMEDIATE', () => endEras(database))) {
        this.#old = { rows: false, pages: true, log: true };
      }
      this.#old.rows = false;
      if (this.#old.pages) database.exec('VACUUM');
      this.#old.pages = false;
      const emptied = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      this.#old.log = emptied?.busy !== 0;
    } catch {
      // The call itself has done its work.
    }
  }

  #use<Result>(code: PrefetchdErrorCode, work: (database: DatabaseSync) => Result): Result {
    try {
      try {
        return this.#attempt(work);
      } catch (error) {
        if (!isDamage(error) || this.#options.onDamaged === 'refuse') throw error;
        this.#setAside(error as Error);
        return this.#attempt(work);
      }
    } catch (error) {
      throw storeError(code, this.#path, error as Error);
    }
  }

  #attempt<Result>(work: (database: DatabaseSync) => Result): Result {
    try {
      const database = this.#opened();
      const result = work(database);
      this.#checkFile();
      withoutWaiting(database, this.#options.busyTimeoutMs, () => this.#removeOld(database));
      return result;
    } catch (error) {
      if (!(error instanceof PrefetchdError)) this.close();
      throw error;
    }
  }

  #opened(): DatabaseSync {
    if (this.#database !== null) {
      this.#checkFile();
      return this.#database;
    }
    checkOurs(this.#path);
    this.#file = fileNumber(this.#path);
    this.#database = openTables(this.#path, this.#options.busyTimeoutMs);
    this.#file = fileNumber(this.#path);
    this.#old = { ...this.#old, rows: true, log: true };
    return this.#database;
  }

  /** Checks the file, because writes to a deleted one would be lost. @throws FileGone if it is not the one at the
   *  path */
  #checkFile(): void {
    if (fileNumber(this.#path) !== this.#file) throw new FileGone();
  }

  #setAside(why: Error): void {
    const aside = setAside(this.#path, this.#file);
    if (aside === null) return; // another process has set the file aside
    this.#options.onNotice(
      `${this.#path} was damaged (${why.message}); it was renamed to ${aside}, and an empty store was created`,
    );
  }
}
