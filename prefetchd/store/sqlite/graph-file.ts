// A store in an SQLite file, on one connection. Every call blocks, so it runs in a worker thread (worker.ts). The
// connection opens on the first call and reopens after any error, so once the cause is gone the next call works on
// the current file.
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
import type { StoreOptions } from '../store-options.ts';
import { FileGone, isBusy, isDamage, storeError } from './failures.ts';
import { FileWatch } from './file-watch.ts';
import { addDelta, deleteBelow, endErasFrom, loadGraph, presentEra } from './graph.ts';
import { checkOurs, setAside } from './graph-file-location.ts';
import {
  inTransaction,
  lookForDamage,
  type Meta,
  openTables,
  readMeta,
  useLog,
  withoutWaiting,
} from './tables.ts';

export interface SqliteFileOptions extends Required<StoreOptions> {
  /** Longest wait for another process's write lock, ms. */
  busyTimeoutMs: number;
  onDamaged: 'refuse' | 'set-aside';
  onNotice: (message: string) => void;
}

/** Arcs swept in one transaction, so that an addition waits only for a few ms. */
const arcsSweptAtOnce = 1000;

export class SqliteFile {
  readonly #path: string;
  readonly #options: SqliteFileOptions;
  #database: DatabaseSync | null = null;
  readonly #watch: FileWatch;
  /** The file in which no damage was found, because all of it was loaded or checked. */
  #checked: string | null = null;
  /** The log may still contain an expired salt or its fingerprints. */
  #isOldInLog = true;
  /** First URL whose arcs may have fingerprints of ended eras; null: no URL has. */
  #sweep: number | null = null;
  /** Free space may contain such fingerprints. */
  #isOldInFile = false;
  /** Mark of the last deletion before the graph was loaded; undefined: the graph was not loaded. */
  #loadedAfter: string | null | undefined;

  constructor(path: string, options: SqliteFileOptions) {
    this.#path = path;
    this.#options = options;
    this.#watch = new FileWatch(path, options.onNotice);
  }

  identity(): StoreIdentity | null {
    return this.#use('store-unreadable', (database) => {
      const { identity } = readMeta(database);
      return identity && { predictor: identity.predictor, window: identity.window };
    });
  }

  load(nowMs: number): GraphDelta | null {
    const { halfLifeMs } = this.#options;
    return this.#use('store-unreadable', (database) =>
      inTransaction(database, 'BEGIN', () => {
        this.#loadedAfter = readMeta(database).forgetting;
        const graph = loadGraph(database, { nowMs, halfLifeMs });
        this.#checked = this.#watch.file;
        return graph;
      }),
    );
  }

  /** Adds a delta; nothing is added if the caller must forget URLs first. */
  add(delta: GraphDelta, nowMs: number): 'forget' | null {
    return this.#use('store-unwritable', (database) => {
      if (this.#checked !== this.#watch.file) lookForDamage(database);
      this.#checked = this.#watch.file;
      const isAdded = inTransaction(database, 'BEGIN IMMEDIATE', () => {
        if (this.#lacksDeletion(database)) return false;
        this.#add(database, delta, nowMs);
        return true;
      });
      if (this.#isOldInLog) this.#emptyLog(database);
      return isAdded ? null : 'forget';
    });
  }

  /** Looks for changes; `whole`: the graph is missing, because the file was created again. */
  look(): StoreNeed {
    return this.#use('store-unwritable', (database) => {
      if (this.#watch.lacksAll(database)) return 'whole';
      return this.#lacksDeletion(database) ? 'forget' : null;
    });
  }

  /** @param news Added in place of the whole graph if another process was faster */
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
      const before = saltIn(readMeta(database));
      if (before !== null && !isOver(before, nowMs, lifeMs)) return before;
      const salt = inTransaction(database, 'BEGIN IMMEDIATE', () => {
        const now = saltIn(readMeta(database));
        if (now !== null && !isOver(now, nowMs, lifeMs)) return now;
        const next = (now === null && own) || newSalt(nowMs);
        writeSalt(database, next);
        return saltOf(next.bytes, next.madeMs);
      });
      this.#sweep = 0;
      this.#isOldInFile ||= before !== null;
      this.#emptyLog(database);
      return salt;
    });
  }

  /** Delete an expired salt and all fingerprints of ended eras. */
  expire(nowMs: number, saltLifeMs: number): void {
    this.#use('store-unwritable', (database) => {
      inTransaction(database, 'BEGIN IMMEDIATE', () => {
        const kept = saltIn(readMeta(database));
        if (kept === null || !isOver(kept, nowMs, saltLifeMs)) return;
        writeSalt(database, null);
        database.exec('UPDATE meta SET era = 0');
      });
      this.#sweep = 0;
      while (this.#sweep !== null) this.#sweepSome(database);
      this.#rewrite(database);
    });
  }

  /**
   * Run one batch of the sweep after an era ended, when there is time. It neither opens the file nor throws: the next
   * call reports problems with the file.
   * @returns true if batches are left
   */
  endEras(): boolean {
    const database = this.#database;
    if (database === null || (this.#sweep === null && !this.#isOldInFile)) return false;
    try {
      this.#watch.check();
      withoutWaiting(database, this.#options.busyTimeoutMs, () => {
        if (this.#sweep !== null) this.#sweepSome(database);
        else this.#rewrite(database);
      });
      return this.#sweep !== null || this.#isOldInFile;
    } catch (error) {
      if (isBusy(error)) return true;
      // The next call finds the file gone, too, and reports it.
      if (!(error instanceof FileGone)) this.close();
      return false;
    }
  }

  /** @returns the number of URLs deleted */
  forget(url: string): number {
    return this.#use('store-unwritable', (database) => {
      const gone = inTransaction(database, 'BEGIN IMMEDIATE', () => {
        const deleted = deleteBelow(database, url);
        if (deleted > 0) database.prepare('UPDATE meta SET forgetting = ?').run(randomUUID());
        return deleted;
      });
      if (gone > 0) this.#rewrite(database);
      return gone;
    });
  }

  /**
   * Record this process as the one that serves. Only SQLite can tell whether others have the file open: then it cannot
   * leave WAL mode.
   * @returns the other process that has the file open: `process 4711`; null: there is none
   */
  beginServing(): string | null {
    const { busyTimeoutMs } = this.#options;
    return this.#use('store-unwritable', (database) => {
      let isOpenElsewhere = false;
      try {
        withoutWaiting(database, busyTimeoutMs, () =>
          database.exec('PRAGMA journal_mode = DELETE'),
        );
      } catch (error) {
        if (!isBusy(error)) throw error;
        isOpenElsewhere = true;
      }
      useLog(database, busyTimeoutMs);
      const last = inTransaction(database, 'BEGIN IMMEDIATE', () => {
        const { servingPid } = readMeta(database);
        database.prepare('UPDATE meta SET serving_pid = ?').run(process.pid);
        return servingPid;
      });
      if (!isOpenElsewhere) return null;
      return last !== null && isRunning(last) ? `process ${last}` : 'another process';
    });
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
  }

  /** True if URLs were deleted since the graph was loaded. */
  #lacksDeletion(database: DatabaseSync): boolean {
    const { forgetting } = readMeta(database);
    // Without a mark the file is new, which the watch handles.
    if (this.#loadedAfter === undefined || forgetting === null || forgetting === this.#loadedAfter)
      return false;
    // The other process could not empty the log while this one read it.
    this.#isOldInLog = true;
    return true;
  }

  #add(database: DatabaseSync, delta: GraphDelta, nowMs: number): void {
    addDelta(database, this.#path, { delta, nowMs, options: this.#options });
    // The delta may have been made before its era ended.
    if (delta.era !== 0 && delta.era !== presentEra(readMeta(database))) this.#sweep = 0;
  }

  #sweepSome(database: DatabaseSync): void {
    const { next, hasChanged } = endErasFrom(database, this.#sweep ?? 0, arcsSweptAtOnce);
    this.#sweep = next;
    this.#isOldInFile ||= hasChanged;
  }

  /** Rewrite the file, because free space in split pages may still contain deleted data. */
  #rewrite(database: DatabaseSync): void {
    database.exec('VACUUM');
    this.#isOldInFile = false;
    this.#emptyLog(database);
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
      // Writes to a deleted file would be lost.
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
    this.#database = this.#watch.opened(() => {
      checkOurs(this.#path);
      return openTables(this.#path, this.#options.busyTimeoutMs);
    });
    this.#sweep = 0;
    return this.#database;
  }

  #setAside(why: Error): void {
    const aside = setAside(this.#path, this.#watch.file);
    if (aside === null) return; // another process has set the file aside
    this.#options.onNotice(
      `${this.#path} was damaged (${why.message}); it was renamed to ${aside}, and an empty store was created`,
    );
  }

  /** The main file has the new content, but the log may contain the old one: checkpoint and truncate the log as soon
   *  as no other process reads it. */
  #emptyLog(database: DatabaseSync): void {
    try {
      const row = withoutWaiting(database, this.#options.busyTimeoutMs, () =>
        database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get(),
      );
      this.#isOldInLog = row?.busy !== 0;
    } catch {
      this.#isOldInLog = true; // the data is stored in any case
    }
  }
}

const saltIn = ({ salt, saltMadeMs }: Meta): Salt | null =>
  salt === null ? null : saltOf(salt, saltMadeMs);

function writeSalt(database: DatabaseSync, salt: Salt | null): void {
  const update = database.prepare('UPDATE meta SET salt = ?, salt_made_ms = ?');
  update.run(salt?.bytes ?? null, salt?.madeMs ?? null);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
