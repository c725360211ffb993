// A store in an SQLite file, by one connection; every call blocks, so it lives in a thread of its own
// (sqlite-worker.ts). The connection is opened at the first call, and anew after any error: when its cause is
// gone the next call finds the file as it is then.
//
// Guarantee: an addition is one transaction, so it is kept whole or not at all, and two processes that
// add to one file add up. A file that is not ours is never written to; a damaged one is refused, or set
// aside under another name if asked for.

import type { DatabaseSync } from 'node:sqlite';
import { PrefetchdError, type PrefetchdErrorCode } from '../errors.ts';
import { fingerprintsPerArc, type GraphDelta } from '../graph-delta.ts';
import { isOver, newSalt, type Salt, saltOf } from '../salt.ts';
import { ageingAt, leastAccesses, mostExponent, unitOf } from './forward-decay.ts';
import type { StoreIdentity } from './graph-store.ts';
import { checkSamePredictor } from './same-predictor.ts';
import { isDamage, storeError } from './sqlite-errors.ts';
import { FileWatch } from './sqlite-file-watch.ts';
import {
  type Meta,
  mergeDelta,
  type RawGraph,
  readGraph,
  readMeta,
  writeMeta,
} from './sqlite-graph.ts';
import { checkOurs, setAside } from './sqlite-place.ts';
import { rewriteStrongest } from './sqlite-prune.ts';
import { openTables } from './sqlite-tables.ts';
import { isTooMuch, type StoreOptions } from './store-options.ts';

export interface SqliteFileOptions extends Required<StoreOptions> {
  /** How long to wait for another process that writes, ms. */
  busyTimeoutMs: number;
  onDamaged: 'refuse' | 'set-aside';
  onNotice: (message: string) => void;
}

export class SqliteFile {
  readonly #path: string;
  readonly #options: SqliteFileOptions;
  #database: DatabaseSync | null = null;
  readonly #watch: FileWatch;
  /** The file that was looked over for damage. */
  #checked: string | null = null;
  /** A salt that is over may still stand in the log. */
  #oldSaltInLog = true;

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
        const meta = readMeta(database);
        if (meta === null) return null;
        const era = readSalt(database)?.era ?? meta.era;
        const worth = unitOf(ageingAt(meta, nowMs, this.#options.halfLifeMs));
        const { predictor, window } = meta;
        return { predictor, window, era, ...presentGraph(readGraph(database, meta), era, worth) };
      }),
    );
  }

  add(delta: GraphDelta, nowMs: number): void {
    this.#use('store-unwritable', (database) => {
      inTransaction(database, 'BEGIN IMMEDIATE', () => this.#add(database, delta, nowMs));
      if (this.#oldSaltInLog) this.#emptyLog(database);
    });
  }

  /** Whether the whole graph is missing, since another file was begun. */
  look(): boolean {
    return this.#use('store-unwritable', (database) => this.#watch.lacksAll(database));
  }

  /** @param news what is added if another process was quicker */
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
      const kept = readSalt(database);
      if (kept !== null && !isOver(kept, nowMs, lifeMs)) return kept;
      const salt = inTransaction(database, 'BEGIN IMMEDIATE', () => {
        const now = readSalt(database);
        if (now !== null && !isOver(now, nowMs, lifeMs)) return now;
        const { bytes, madeMs } = now === null && own !== undefined ? own : newSalt(nowMs);
        database.prepare('INSERT OR REPLACE INTO salt VALUES (1, ?, ?)').run(bytes, madeMs);
        return saltOf(bytes, madeMs);
      });
      this.#oldSaltInLog = true;
      this.#emptyLog(database);
      return salt;
    });
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
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
    }
    writeMeta(database, meta);
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
      // What was written to a file without a name is lost.
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
    return this.#database;
  }

  #setAside(why: Error): void {
    const aside = setAside(this.#path, this.#watch.file);
    if (aside === null) return; // another process did it
    this.#options.onNotice(
      `${this.#path} was damaged (${why.message}); it is kept as ${aside}, and an empty store begun in its place`,
    );
  }

  /**
   * The file has the new salt in place of the old one; the log may have both until it is emptied. Not while
   * another process reads it: then at the next addition.
   */
  #emptyLog(database: DatabaseSync): void {
    database.exec('PRAGMA busy_timeout = 0');
    try {
      const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      this.#oldSaltInLog = row?.busy !== 0;
    } catch {
      // What was to be kept is kept; the next addition tries again.
    } finally {
      database.exec(`PRAGMA busy_timeout = ${this.#options.busyTimeoutMs}`);
    }
  }
}

function readSalt(database: DatabaseSync): Salt | null {
  const row = database.prepare('SELECT bytes, made_ms FROM salt').get();
  return row === undefined ? null : saltOf(row.bytes as Uint8Array, row.made_ms as number);
}

function inTransaction<Result>(database: DatabaseSync, begin: string, work: () => Result): Result {
  database.exec(begin);
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Counts in accesses, and of the fingerprints those of the present era. */
function presentGraph(
  { urls, kinds, accesses, graphs }: RawGraph,
  present: number,
  worth: number,
): Pick<GraphDelta, 'urls' | 'kinds' | 'accesses' | 'graphs'> {
  divide(accesses, worth);
  const columns = graphs.map(({ eras, ...arcs }) => {
    divide(arcs.counts, worth);
    for (let at = 0; at < eras.length; at++) {
      if (eras[at] === present || eras[at] === 0) continue;
      const end = fingerprintsPerArc * (at + 1);
      const prints = arcs.clients.subarray(end - fingerprintsPerArc, end);
      const clients = prints.indexOf(0);
      arcs.seen[at] = Math.max(arcs.seen[at] as number, clients < 0 ? prints.length : clients);
      prints.fill(0);
    }
    return arcs;
  });
  return { urls, kinds, accesses, graphs: columns };
}

function divide(values: Float64Array, by: number): void {
  if (by === 1) return;
  for (let at = 0; at < values.length; at++) values[at] = (values[at] as number) / by;
}
