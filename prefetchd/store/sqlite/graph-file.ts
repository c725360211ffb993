// Keeps a store in an SQLite file, on one connection. Every call blocks, so it runs in a worker thread (worker.ts). The
// connection opens on the first call, and again after any error and when another file is at the path, so each call works
// on the current file.
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
import { isBusy, isDamage, storeError } from './failures.ts';
import { addDelta, deleteBelow, endEras, prune } from './graph.ts';
import { checkOurs, fileNumber, setAside } from './graph-file-location.ts';
import { type GraphPart, readGraph } from './read-graph.ts';
import { inTransaction, openTables, readMeta, useLog } from './tables.ts';

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
  /** Where deleted data or fingerprints of ended eras may still be. */
  #rest: 'nowhere' | 'log' | 'pages' = 'log';

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

  /** Reads the graph. @param give gets its parts; from the first on if it is read again @returns true if there is one */
  load(nowMs: number, give: (part: GraphPart) => void): boolean {
    const { halfLifeMs } = this.#options;
    const read = (database: DatabaseSync) => {
      this.#loadedAfter = readMeta(database).forgetting;
      const isThere = readGraph(database, { nowMs, halfLifeMs }, give);
      this.#hasGraph ||= isThere;
      return isThere;
    };
    return this.#use('store-unreadable', (database) =>
      inTransaction(database, () => read(database), 'BEGIN'),
    );
  }

  /** Adds a delta; nothing is added if the store needs something first. */
  add(delta: GraphDelta, nowMs: number): StoreNeed {
    return this.#write((database) => {
      const need = this.#needOf(database);
      if (need === null) this.#add(database, delta, nowMs);
      return need;
    });
  }

  look(): StoreNeed {
    return this.#use('store-unwritable', (database) => this.#needOf(database));
  }

  /** Writes the whole graph into an empty file. @param news Added instead if another process has written the whole
   *  graph */
  restore(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[]): void {
    const isEmpty = this.#write((database) => {
      const isEmpty = readMeta(database).predictor === null;
      for (const delta of isEmpty ? [whole] : news) this.#add(database, delta, nowMs);
      return isEmpty;
    });
    if (!isEmpty) return;
    this.#options.onNotice(`${this.#path} was created anew; the whole graph is written to it`);
  }

  salt(nowMs: number, lifeMs: number, own?: Salt): Salt {
    return this.#use('store-unwritable', (database) => {
      const present = () => {
        const { salt } = readMeta(database);
        return salt === null || isOver(salt, nowMs, lifeMs) ? null : salt;
      };
      const next = () => {
        const { bytes, madeMs } = (readMeta(database).salt === null && own) || newSalt(nowMs);
        const salt = saltOf(bytes, madeMs);
        database.prepare('UPDATE meta SET salt = ?, salt_made_ms = ?').run(bytes, madeMs);
        endEras(database, salt.era);
        this.#rest = 'pages';
        return salt;
      };
      return present() ?? inTransaction(database, () => present() ?? next());
    });
  }

  /** Deletes a URL and all below it. @returns the number of URLs deleted */
  forget(url: string): number {
    return this.#write((database) => {
      const deleted = deleteBelow(database, url);
      if (deleted > 0) {
        database.prepare('UPDATE meta SET forgetting = ?').run(randomUUID());
        this.#rest = 'pages';
      }
      return deleted;
    });
  }

  /** True if another process has the file open. Only SQLite can tell: it cannot leave WAL mode then. */
  beginServing(): boolean {
    return this.#use('store-unwritable', (database) => {
      try {
        database.exec('PRAGMA journal_mode = DELETE');
      } catch (error) {
        if (isBusy(error)) return true;
        throw error;
      }
      database.exec(useLog);
      return false;
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
    this.#rest = 'pages';
    return 'forget';
  }

  #add(database: DatabaseSync, delta: GraphDelta, nowMs: number): void {
    addDelta(database, this.#path, { delta, nowMs, options: this.#options });
    this.#hasGraph = true;
    const { maxNodes, maxArcs } = this.#options;
    this.#uncounted += delta.graphs.reduce((sum, arcs) => sum + arcs.length, delta.urls.length);
    if (this.#uncounted > Math.min(maxNodes, maxArcs) / 64) {
      prune(database, this.#options);
      // A file of before may have fingerprints of ended eras.
      if (endEras(database, readMeta(database).era)) this.#rest = 'pages';
      this.#uncounted = 0;
    }
  }

  /**
   * Removes what may be left of ended eras and deleted URLs. The file is rewritten, because free space in split pages
   * may contain such data, and the log is emptied. What fails, for example because another process reads the log, is
   * tried again after the next call.
   */
  #removeRest(database: DatabaseSync): void {
    if (this.#rest === 'nowhere') return;
    try {
      if (this.#rest === 'pages') database.exec('VACUUM');
      const emptied = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      this.#rest = emptied?.busy === 0 ? 'nowhere' : 'log';
    } catch {
      // The call itself has done its work.
    }
  }

  #write<Result>(work: (database: DatabaseSync) => Result): Result {
    return this.#use('store-unwritable', (database) =>
      inTransaction(database, () => work(database)),
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

  /** The connection to the file at the path; writes to a file that was deleted or replaced would be lost. */
  #opened(): DatabaseSync {
    if (this.#database !== null && fileNumber(this.#path) === this.#file) return this.#database;
    this.close();
    checkOurs(this.#path);
    this.#file = fileNumber(this.#path);
    this.#database = openTables(this.#path);
    this.#file = fileNumber(this.#path);
    return this.#database;
  }

  #setAside(why: Error): void {
    if (fileNumber(this.#path) !== this.#file) return; // another process has set the file aside
    const aside = setAside(this.#path);
    this.#options.onNotice(
      `${this.#path} was damaged (${why.message}); it was renamed to ${aside}, and an empty store was created`,
    );
  }
}
