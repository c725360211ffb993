// A store in an SQLite file, on one connection. Every call blocks, so it runs in a worker thread (worker.ts). The
// connection opens on the first call and reopens after any error, so once the cause is gone the next call works on
// the current file.
//
// Guarantee: an addition is one transaction, stored completely or not at all, and additions of several processes add
// up. A foreign file is never written to; a damaged one is refused or, if requested, set aside under another name.

import type { DatabaseSync } from 'node:sqlite';
import { PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';
import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import type { Salt } from '../../model/salt.ts';
import { ageingAt, leastAccesses, mostExponent, unitOf } from '../forward-decay.ts';
import type { StoreIdentity, StoreNeed } from '../graph-store.ts';
import { checkSamePredictor } from '../same-predictor.ts';
import { isTooMuch, type StoreOptions } from '../store-options.ts';
import { EndedEras, presentEra } from './ended-eras.ts';
import { isBusy, isDamage, storeError } from './failures.ts';
import { FileWatch } from './file-watch.ts';
import { forgettingMark, markForgetting } from './forgetting.ts';
import { checkOurs, setAside } from './graph-file-location.ts';
import { openTables } from './graph-tables.ts';
import { presentGraph } from './present.ts';
import { rewriteStrongest, rewriteWithout } from './prune.ts';
import { beginServing } from './serving-process.ts';
import { idsBelow, type Meta, mergeDelta, readGraph, readMeta, writeMeta } from './stored-graph.ts';
import { dropSaltThatIsOver, presentSalt, readSalt } from './stored-salt.ts';
import { emptyLog, inTransaction, withoutWaiting } from './transaction.ts';

export interface SqliteFileOptions extends Required<StoreOptions> {
  /** Longest wait for another process's write lock, ms. */
  busyTimeoutMs: number;
  onDamaged: 'refuse' | 'set-aside';
  onNotice: (message: string) => void;
}

export class SqliteFile {
  readonly #path: string;
  readonly #options: SqliteFileOptions;
  #database: DatabaseSync | null = null;
  readonly #watch: FileWatch;
  /** The file already checked for damage. */
  #checked: string | null = null;
  /** The log may still contain an expired salt or its fingerprints. */
  #isOldInLog = true;
  readonly #endedEras = new EndedEras();
  /** An era has ended whose fingerprints may still be in free space. */
  #hasEnded = false;
  /** Era of the salt at the last request. */
  #era = 0;
  /** Mark of the last deletion before the graph was loaded; absent: it was not loaded. */
  #loadedAfter: string | null | undefined;

  constructor(path: string, options: SqliteFileOptions) {
    this.#path = path;
    this.#options = options;
    this.#watch = new FileWatch(path, options.onNotice);
  }

  identity(): StoreIdentity | null {
    return this.#use('store-unreadable', (database) => {
      const meta = readMeta(database);
      return meta === null ? null : { predictor: meta.predictor, window: meta.window };
    });
  }

  load(nowMs: number): GraphDelta | null {
    return this.#use('store-unreadable', (database) =>
      inTransaction(database, 'BEGIN', () => {
        this.#loadedAfter = forgettingMark(database);
        const meta = readMeta(database);
        if (meta === null) return null;
        const era = presentEra(database, meta);
        const worth = unitOf(ageingAt(meta, nowMs, this.#options.halfLifeMs));
        const { predictor, window } = meta;
        return { predictor, window, era, ...presentGraph(readGraph(database, meta), era, worth) };
      }),
    );
  }

  /** Nothing is added if the caller must forget first. */
  add(delta: GraphDelta, nowMs: number): 'forget' | null {
    return this.#use('store-unwritable', (database) => {
      const isAdded = inTransaction(database, 'BEGIN IMMEDIATE', () => {
        if (this.#lacksDeletion(database)) return false;
        this.#add(database, delta, nowMs);
        return true;
      });
      if (this.#isOldInLog) this.#emptyLog(database);
      return isAdded ? null : 'forget';
    });
  }

  /** `whole`: the graph is missing, because the file was created anew. */
  look(): StoreNeed {
    return this.#use('store-unwritable', (database) => {
      if (this.#watch.lacksAll(database)) return 'whole';
      return this.#lacksDeletion(database) ? 'forget' : null;
    });
  }

  /** @param news added instead if another process was faster */
  restore(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[]): void {
    this.#use('store-unwritable', (database) => {
      inTransaction(database, 'BEGIN IMMEDIATE', () => {
        const given = this.#watch.isRestoring(database) ? [whole] : news;
        for (const delta of given) this.#add(database, delta, nowMs);
      });
    });
  }

  salt(nowMs: number, lifeMs: number, own?: Salt): Salt {
    return this.#use('store-unwritable', (database) => {
      const before = readSalt(database)?.era;
      const salt = presentSalt(database, { nowMs, lifeMs, own });
      if (salt.era !== this.#era) this.#endedEras.begin();
      this.#era = salt.era;
      if (salt.era === before) return salt;
      this.#hasEnded ||= before !== undefined;
      this.#emptyLog(database);
      return salt;
    });
  }

  /** Delete an expired salt and all fingerprints of ended eras. */
  expire(nowMs: number, saltLifeMs: number): void {
    this.#use('store-unwritable', (database) => {
      dropSaltThatIsOver(database, nowMs, saltLifeMs);
      this.#endedEras.begin();
      while (this.#endedEras.piece(database) === null);
      database.exec('VACUUM');
      this.#emptyLog(database);
    });
  }

  /**
   * Run one batch of the sweep after an era ended, when there is time. It neither opens the file nor throws: the next
   * call reports problems with the file.
   * @returns true if batches are left
   */
  endEras(): boolean {
    const database = this.#database;
    if (database === null || !this.#endedEras.areLeft) return false;
    try {
      this.#watch.check();
      const hasWritten = withoutWaiting(database, this.#options.busyTimeoutMs, () =>
        this.#endedEras.piece(database),
      );
      if (hasWritten === null) return true;
      if (hasWritten || this.#hasEnded) {
        // Free space in pages that were split may still contain fingerprints.
        withoutWaiting(database, this.#options.busyTimeoutMs, () => database.exec('VACUUM'));
        this.#emptyLog(database);
        this.#hasEnded = false;
      }
      return false;
    } catch (error) {
      if (isBusy(error)) {
        if (!this.#endedEras.areLeft) {
          this.#hasEnded = true; // only the rewriting is left
          this.#endedEras.begin();
        }
        return true;
      }
      if (isDamage(error)) this.#checked = null;
      this.close();
      return false;
    }
  }

  /** @returns the number of URLs deleted */
  forget(url: string): number {
    return this.#use('store-unwritable', (database) => {
      const gone = inTransaction(database, 'BEGIN IMMEDIATE', () => {
        const meta = readMeta(database);
        if (meta === null) return 0;
        const ids = idsBelow(database, url);
        if (ids.size === 0) return 0;
        writeMeta(database, { ...meta, ...rewriteWithout(database, meta, ids) });
        markForgetting(database);
        return ids.size;
      });
      if (gone === 0) return 0;
      this.#endedEras.begin();
      // Free space in pages split earlier may still contain parts of the text.
      database.exec('VACUUM');
      this.#emptyLog(database);
      return gone;
    });
  }

  /** @returns the other process that has the file open */
  beginServing(): string | null {
    return this.#use('store-unwritable', (database) =>
      beginServing(database, this.#options.busyTimeoutMs),
    );
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
  }

  /** True if URLs were deleted since the graph was loaded. */
  #lacksDeletion(database: DatabaseSync): boolean {
    const last = forgettingMark(database);
    // No mark: a new file, which the watch deals with.
    if (this.#loadedAfter === undefined || last === null || last === this.#loadedAfter)
      return false;
    // The log that the other process could not empty while this one read it.
    this.#isOldInLog = true;
    return true;
  }

  #add(database: DatabaseSync, delta: GraphDelta, nowMs: number): void {
    const { maxNodes, maxArcs, maxArcsPerUrl, halfLifeMs } = this.#options;
    const { predictor, window } = delta;
    const graphs = delta.graphs.length;
    const kept = readMeta(database);
    if (kept !== null) checkSamePredictor(this.#path, kept, delta);
    const empty = { nodes: 0, arcs: 0, era: 0, asOfMs: nowMs, exponent: 0 };
    const meta: Meta = { ...empty, ...kept, predictor, window, graphs };
    if (delta.era !== 0) meta.era = delta.era;
    Object.assign(meta, ageingAt(meta, nowMs, halfLifeMs));
    const unit = unitOf(meta);
    Object.assign(meta, mergeDelta(database, meta, { delta, unit, maxArcsPerUrl }));
    const isOld = meta.exponent > mostExponent;
    if (isOld || isTooMuch(this.#options, meta)) {
      const least = isOld ? leastAccesses : 0;
      const limits = { maxNodes, maxArcs: maxArcs * graphs, least, worth: isOld ? unit : 1 };
      Object.assign(meta, rewriteStrongest(database, meta, limits));
      if (isOld) meta.exponent = 0;
      if (this.#endedEras.areLeft) this.#endedEras.begin(); // ids have changed
    }
    writeMeta(database, meta);
    // The delta was made before its era ended.
    if (delta.era !== 0 && delta.era !== presentEra(database, meta)) this.#endedEras.begin();
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
      throw storeError(code, this.#path, error);
    }
  }

  #attempt<Result>(work: (database: DatabaseSync) => Result): Result {
    try {
      const result = work(this.#opened());
      // Writes to a deleted file are lost.
      this.#watch.check();
      return result;
    } catch (error) {
      if (isDamage(error)) this.#checked = null;
      if (!(error instanceof PrefetchdError)) this.close();
      throw error;
    }
  }

  #opened(): DatabaseSync {
    if (this.#database !== null) {
      this.#watch.check();
      return this.#database;
    }
    this.#database = this.#watch.opened((file) => {
      checkOurs(this.#path);
      const { busyTimeoutMs } = this.#options;
      const check = file === null || file !== this.#checked;
      return openTables(this.#path, { busyTimeoutMs, check });
    });
    this.#checked = this.#watch.file;
    this.#endedEras.begin();
    return this.#database;
  }

  #setAside(why: Error): void {
    const aside = setAside(this.#path, this.#watch.file);
    if (aside === null) return; // another process has done it
    this.#options.onNotice(
      `${this.#path} was damaged (${why.message}); it was renamed to ${aside}, and an empty store was created`,
    );
  }

  /** The main file has the new content but the log may contain both: empty it as soon as no other process reads
   *  it. */
  #emptyLog(database: DatabaseSync): void {
    this.#isOldInLog = !emptyLog(database, this.#options.busyTimeoutMs);
  }
}
