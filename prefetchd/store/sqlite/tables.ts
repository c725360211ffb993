// Defines the tables of an SQLite store, and opens its file. The tables can be read with `sqlite3` (docs/learning.md).
//
// The file has a write-ahead log with `synchronous = NORMAL`: commits survive a crash of the process; a power failure
// may lose the last seconds, but only whole additions. A new file, and those that SQLite puts beside it, are readable
// by the owner only, because they contain URLs and a salt. An existing file keeps its mode. Deleted content becomes
// zeros.

import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Salt, saltOf } from '../../model/salt.ts';
import { DamagedFile } from './failures.ts';
import { fromVersion2 } from './version-2.ts';

export const applicationId = 0x70666864; // "pfhd"
export const formatVersion = 3;

const tables = `
  CREATE TABLE meta (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    predictor TEXT,
    window INTEGER,
    graphs INTEGER,
    era INTEGER NOT NULL DEFAULT 0,
    credits INTEGER NOT NULL DEFAULT 0,
    as_of_ms REAL NOT NULL DEFAULT 0,
    exponent REAL NOT NULL DEFAULT 0,
    salt BLOB,
    salt_made_ms REAL,
    forgetting TEXT
  ) STRICT;
  INSERT INTO meta (id) VALUES (1);
  CREATE TABLE url (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    kind INTEGER NOT NULL,
    accesses REAL NOT NULL
  ) STRICT;
  CREATE TABLE arc (
    source INTEGER NOT NULL,
    graph INTEGER NOT NULL,
    target INTEGER NOT NULL,
    count REAL NOT NULL,
    clients TEXT NOT NULL,
    era INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    credited INTEGER NOT NULL,
    PRIMARY KEY (source, graph, target)
  ) STRICT, WITHOUT ROWID;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${formatVersion};`;

/** SQLite finds damage where it reads, and `cell_size_check` finds more of it. To check the whole file would take a
 *  third of the time of loading it, which reads both tables. */
const settings = `
  PRAGMA cell_size_check = ON;
  PRAGMA synchronous = NORMAL;
  PRAGMA secure_delete = ON;
  PRAGMA cache_size = -16384;
  PRAGMA journal_size_limit = 16777216;
  PRAGMA wal_autocheckpoint = 4000;`;

export const useLog = 'PRAGMA journal_mode = WAL';

/** Opens the file, which is created if there is none. */
export function openTables(path: string): DatabaseSync {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // The file exists, or cannot be created, which SQLite itself reports.
  }
  const database = new DatabaseSync(path);
  try {
    database.exec(settings);
    const versionOf = () => database.prepare('PRAGMA user_version').get()?.user_version;
    if (versionOf() !== formatVersion) {
      inTransaction(database, () => {
        const version = versionOf(); // another process may have been faster
        if (version === 2) fromVersion2(database, tables);
        else if (version !== formatVersion) database.exec(tables);
      });
    }
    database.exec(useLog);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The only row of `meta`. */
export interface Meta {
  /** The predictor's name; null before the first addition, as are `window` and `graphs`. */
  predictor: string | null;
  window: number;
  graphs: number;
  /** The present era: that of the salt; without one, that of the last addition with fingerprints. */
  era: number;
  /** Number of the last addition to an arc, counted over all arcs. */
  credits: number;
  asOfMs: number;
  exponent: number;
  salt: Salt | null;
  /** A mark that changes with each deletion by `forget`. */
  forgetting: string | null;
}

/** Reads the row of `meta`. @throws DamagedFile */
export function readMeta(database: DatabaseSync): Meta {
  const row = database.prepare('SELECT *, as_of_ms AS asOfMs FROM meta').get();
  if (row === undefined) throw new DamagedFile('meta has no row');
  const meta = row as unknown as Meta & { salt: Uint8Array | null; salt_made_ms: number };
  const salt = meta.salt === null ? null : saltOf(meta.salt, meta.salt_made_ms);
  return { ...meta, salt, era: salt?.era ?? meta.era };
}

export function inTransaction<Result>(
  database: DatabaseSync,
  work: () => Result,
  begin: 'BEGIN' | 'BEGIN IMMEDIATE' = 'BEGIN IMMEDIATE',
): Result {
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
