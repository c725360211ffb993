// A graph in an SQLite file: meta (one row), nodes, arcs between ids of nodes. Rows are streamed both
// ways. Arcs lie in the graph's own order, the strongest of a node first, and are read from the end:
// so ties stand as they stood.
//
// Guarantee: a file that is not ours, or is damaged, is never written to. Ours is told by its
// application id, which is read from the header before SQLite touches the file; the tables and that id
// are made in one transaction before WAL begins, so the header of a file of ours always bears it.

import { closeSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { PrefetchdError, type PrefetchdErrorCode } from '../errors.ts';
import type { DependencyGraph } from '../model/dependency-graph.ts';
import type { GraphNode } from '../model/graph.ts';
import type { GraphStore } from './graph-store.ts';
import { checkSameWindow } from './same-window.ts';

const applicationId = 0x70666864; // "pfhd"
const formatVersion = 1;
const busyTimeoutMs = 5000;
const bytesPerFingerprint = 2;

const tables = `
  CREATE TABLE meta (version INTEGER NOT NULL, window INTEGER NOT NULL) STRICT;
  CREATE TABLE nodes (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('document', 'object')),
    accesses REAL NOT NULL CHECK (accesses >= 0)
  ) STRICT;
  CREATE TABLE arcs (
    "from" INTEGER NOT NULL,
    "to" INTEGER NOT NULL,
    count REAL NOT NULL CHECK (count >= 0),
    clients BLOB NOT NULL
  ) STRICT;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${formatVersion};`;

export class SqliteStore implements GraphStore {
  readonly #path: string;
  readonly #database: DatabaseSync;
  /** SQLite's number of the state we know; another connection's commit changes it. */
  #dataVersion = 0;

  /** @throws PrefetchdError `store-unreadable` */
  constructor(path: string) {
    this.#path = path;
    const isNew = this.#try('store-unreadable', () => isEmptyOrAbsent(path));
    this.#database = this.#try('store-unreadable', () => opened(path, isNew));
    this.#dataVersion = this.#number('data_version');
  }

  async window(): Promise<number | null> {
    return this.#try('store-unreadable', () => this.#window());
  }

  async load(graph: DependencyGraph): Promise<void> {
    this.#try('store-unreadable', () => {
      this.#database.exec('BEGIN'); // one state for all that is read
      try {
        checkSameWindow(this.#window(), graph);
        this.#loadRows(graph);
        this.#dataVersion = this.#number('data_version');
      } finally {
        this.#rollback();
      }
    });
  }

  async save(graph: DependencyGraph): Promise<void> {
    this.#try('store-unwritable', () => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        if (this.#number('data_version') !== this.#dataVersion) {
          throw new PrefetchdError(
            'store-changed',
            `${this.#path} was saved to by another process meanwhile; nothing is saved, run it again`,
          );
        }
        this.#saveRows(graph);
        this.#database.exec('COMMIT');
      } catch (error) {
        this.#rollback();
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }

  #window(): number | null {
    const row = this.#database.prepare('SELECT window FROM meta').get();
    return row === undefined ? null : (row.window as number);
  }

  #loadRows({ graph }: DependencyGraph): void {
    const nodes = this.#database.prepare('SELECT url, kind, accesses FROM nodes ORDER BY id');
    for (const row of nodes.iterate()) graph.addNode(row as unknown as GraphNode);
    const arcs = this.#database.prepare(`
      SELECT source.url AS "from", target.url AS "to", count, clients
      FROM arcs
      CROSS JOIN nodes AS source ON source.id = arcs."from"
      CROSS JOIN nodes AS target ON target.id = arcs."to"
      ORDER BY arcs.rowid DESC`);
    for (const row of arcs.iterate()) {
      graph.addArc({
        from: row.from as string,
        to: row.to as string,
        count: row.count as number,
        clients: fingerprintsOf(row.clients as Uint8Array),
      });
    }
  }

  #saveRows({ graph, window }: DependencyGraph): void {
    this.#database.exec('DELETE FROM arcs; DELETE FROM nodes; DELETE FROM meta;');
    this.#database.prepare('INSERT INTO meta VALUES (?, ?)').run(formatVersion, window);
    const ids = new Map<string, number>();
    const addNode = this.#database.prepare('INSERT INTO nodes VALUES (?, ?, ?, ?)');
    for (const { url, kind, accesses } of graph.nodeList()) {
      ids.set(url, ids.size + 1);
      addNode.run(ids.size, url, kind, accesses);
    }
    const addArc = this.#database.prepare('INSERT INTO arcs VALUES (?, ?, ?, ?)');
    for (const { from, to, count, clients } of graph.arcList()) {
      addArc.run(ids.get(from) as number, ids.get(to) as number, count, bytesOf(clients));
    }
  }

  #number(pragma: string): number {
    return this.#database.prepare(`PRAGMA ${pragma}`).get()?.[pragma] as number;
  }

  #rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  #try<Result>(code: PrefetchdErrorCode, work: () => Result): Result {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof PrefetchdError) throw cause;
      const verb = code === 'store-unreadable' ? 'opened or read' : 'saved to';
      const { message } = cause as Error;
      throw new PrefetchdError(code, `${this.#path} cannot be ${verb}: ${message}`, { cause });
    }
  }
}

/** False for a file of ours. @throws PrefetchdError for any other */
function isEmptyOrAbsent(path: string): boolean {
  const header = Buffer.alloc(100);
  let length = 0;
  try {
    const file = openSync(path, 'r');
    try {
      length = readSync(file, header);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (length === 0) return true;
  // https://www.sqlite.org/fileformat2.html#the_database_header: 0 magic, 60 user version, 68 application id
  const isOurs =
    length === header.length &&
    header.toString('latin1', 0, 16) === 'SQLite format 3\0' &&
    header.readUInt32BE(68) === applicationId;
  if (!isOurs) throw new PrefetchdError('store-unreadable', `${path} is no prefetchd store`);
  const version = header.readUInt32BE(60);
  if (version === formatVersion) return false;
  throw new PrefetchdError(
    'store-unreadable',
    `${path} has version ${version} of the format; this prefetchd knows ${formatVersion}`,
  );
}

function opened(path: string, isNew: boolean): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    if (isNew) makeTables(database);
    const [found] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {});
    if (found !== 'ok') throw new Error(`it is damaged: ${found}`);
    database.exec('PRAGMA journal_mode = WAL');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function makeTables(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  // Another process may have made them since.
  const tablesThere = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.count;
  if (tablesThere === 0) database.exec(tables);
  database.exec('COMMIT');
}

function bytesOf(clients: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(clients.length * bytesPerFingerprint);
  clients.forEach((print, index) => {
    bytes.writeUInt16LE(print, index * bytesPerFingerprint);
  });
  return bytes;
}

function fingerprintsOf(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / bytesPerFingerprint }, (_, index) =>
    view.getUint16(index * bytesPerFingerprint, true),
  );
}
