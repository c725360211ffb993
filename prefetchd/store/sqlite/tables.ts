// Defines the tables of an SQLite store, and opens its file. The tables can be read with `sqlite3` (docs/learning.md).
//
// The file has a write-ahead log with `synchronous = NORMAL`: commits survive a crash of the process; a power failure
// may lose the last seconds, but only whole additions. A new file, and those that SQLite puts beside it, are readable
// by the owner only, because they contain URLs and a salt. An existing file keeps its mode. Deleted content becomes
// zeros.

import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Salt, saltOf } from '../../model/salt.ts';
import type { DecayState } from '../forward-decay.ts';
import { applicationId, DamagedFile, formatVersion } from './file-faults.ts';
import { fromVersion2 } from './version-2.ts';

/** Table of the names under which something was added by `GraphStore.addOnce`. Older stores have no such table. */
const imports = 'CREATE TABLE IF NOT EXISTS import (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;';

const tables = `
  ${imports}
  CREATE TABLE meta (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    predictor TEXT, -- null before the first addition, as are window and graphs
    window INTEGER,
    graphs INTEGER,
    era INTEGER NOT NULL DEFAULT 0, -- of the last addition with fingerprints
    credits INTEGER NOT NULL DEFAULT 0, -- number of the last addition to a row of url or arc
    as_of_ms REAL NOT NULL DEFAULT 0,
    exponent REAL NOT NULL DEFAULT 0,
    salt BLOB,
    salt_made_ms REAL,
    forgetting TEXT -- changes with each deletion by forget
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

/** Settings of a connection. SQLite finds damage where it reads, and `cell_size_check` finds more of it. A check of the
 *  whole file would take a third of the time of loading, which reads both tables anyway. */
const settings = `
  PRAGMA cell_size_check = ON;
  PRAGMA synchronous = NORMAL;
  PRAGMA secure_delete = ON;
  PRAGMA cache_size = -16384;
  PRAGMA journal_size_limit = 16777216;
  PRAGMA wal_autocheckpoint = 4000;`;

export const useLog = 'PRAGMA journal_mode = WAL';

/** Opens the file of a store, which is created if there is none. */
export function openTables(path: string): DatabaseSync {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // Either the file exists, or it cannot be created, and then SQLite itself reports that.
  }
  const database = new DatabaseSync(path);
  try {
    database.exec(settings);
    const versionOf = () => database.prepare('PRAGMA user_version').get()?.user_version;
    if (versionOf() !== formatVersion) {
      inTransaction(database, 'BEGIN IMMEDIATE', () => {
        const version = versionOf(); // another process may have been faster
        if (version === 2) {
          fromVersion2(database, tables);
          endEras(database, readMeta(database).era);
        } else if (version !== formatVersion) database.exec(tables);
      });
    }
    database.exec(imports);
    // A process that was killed may have left deleted data in the write-ahead log; the checkpoint empties it.
    database.exec(`${useLog}; PRAGMA wal_checkpoint(TRUNCATE)`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The only row of `meta`. `era`: the number of the present salt or, if there is none, of the salt with which the last
 *  client fingerprints were made. */
export interface Meta extends DecayState {
  predictor: string | null;
  window: number;
  graphs: number;
  era: number;
  credits: number;
  salt: Salt | null;
  forgetting: string | null;
  /** Number of rows in the table `import`, which are names of what `prefetchd import` has added. */
  imports: number;
}

/** Reads the only row of the table `meta`. @throws DamagedFile */
export function readMeta(database: DatabaseSync): Meta {
  const row = database
    .prepare('SELECT *, as_of_ms AS asOfMs, (SELECT count(*) FROM import) AS imports FROM meta')
    .get();
  if (row === undefined) throw new DamagedFile('meta has no row');
  const meta = row as unknown as Meta & { salt: Uint8Array | null; salt_made_ms: number };
  const salt = meta.salt === null ? null : saltOf(meta.salt, meta.salt_made_ms);
  return { ...meta, salt, era: salt?.era ?? meta.era };
}

/** Replaces client fingerprints made with other salts than that of the era `present` by their number, also in arcs that
 *  nobody follows any more. Without the salt they identify nobody, but equal ones in several rows would show a path. */
export function endEras(database: DatabaseSync, present: number): void {
  database
    .prepare(
      `UPDATE arc SET clients = '', era = 0, seen = seen & 8 | max(seen & 7,
         length(clients) - length(replace(clients, ',', '')) + (clients <> ''))
       WHERE era NOT IN (0, ?)`,
    )
    .run(present);
}

export function inTransaction<Result>(
  database: DatabaseSync,
  begin: 'BEGIN' | 'BEGIN IMMEDIATE',
  work: () => Result,
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
