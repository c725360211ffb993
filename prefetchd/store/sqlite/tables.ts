// Defines the tables of an SQLite store, which `sqlite3` can read (docs/learning.md), and opens its file.
//
// The file has a write-ahead log with `synchronous = NORMAL`: commits survive a crash of the process; a power failure
// may lose the last seconds, but only whole additions. A new file, and those that SQLite puts beside it, are readable
// by the owner only, because they contain URLs and a salt. Deleted content becomes zeros.
//
// Guarantee: a foreign file is never written to. The application id identifies a store; it is read from the header
// before SQLite touches the file.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Damage } from '../../../process/sqlite-file.ts';
import { type Salt, saltOf } from '../../model/salt.ts';
import type { DecayState } from '../forward-decay.ts';
import { fromVersion2 } from './version-2.ts';

const applicationId = 0x70666864; // it is "pfhd" in ASCII
const formatVersion = 4;

const tables = `
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
    clients TEXT NOT NULL, -- fingerprints such as 7,1023,3, all made with the present salt
    seen INTEGER NOT NULL,
    credited INTEGER NOT NULL, -- value of meta.credits at the last addition
    PRIMARY KEY (source, graph, target)
  ) STRICT, WITHOUT ROWID;
  -- The names under which something was added by addOnce.
  CREATE TABLE import (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  PRAGMA application_id = ${applicationId};`;

export const useLog = 'PRAGMA journal_mode = WAL';

/** Settings of a connection. SQLite finds damage where it reads, and `cell_size_check` finds more of it. */
const settings = `
  PRAGMA cell_size_check = ON;
  PRAGMA synchronous = NORMAL;
  PRAGMA secure_delete = ON;
  PRAGMA cache_size = -16384;
  PRAGMA journal_size_limit = 16777216;
  PRAGMA wal_autocheckpoint = 4000`;

/** Opens the file of a store, which is created if there is none. @throws Error if the file is not of a store */
export function openTables(path: string): DatabaseSync {
  checkOurs(path);
  const database = new DatabaseSync(path);
  try {
    database.exec(settings);
    const versionOf = () => database.prepare('PRAGMA user_version').get()?.user_version;
    if (versionOf() !== formatVersion) {
      database.exec('BEGIN IMMEDIATE');
      const version = versionOf(); // another process may have been faster
      if (version === 0) database.exec(tables);
      else if (version === 2) fromVersion2(database, tables, readMeta);
      else if (version !== formatVersion) {
        throw new Error(
          `it has version ${version} of the format, but this prefetchd knows 2 and ${formatVersion}; use the prefetchd that created it, or train into another file`,
        );
      }
      database.exec(`PRAGMA user_version = ${formatVersion}; COMMIT`);
    }
    // A process that was killed may have left deleted data in the write-ahead log; the checkpoint empties it.
    database.exec(`${useLog}; PRAGMA wal_checkpoint(TRUNCATE)`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Reads the header without SQLite, which would write files beside it. @throws Error if the file is not of a store */
function checkOurs(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isFile()) throw new Error('it is not a file; name a file');
  if (found.size === 0) return;
  // The header has 100 bytes (https://www.sqlite.org/fileformat2.html#the_database_header).
  const header = Buffer.alloc(100);
  const file = openSync(path, 'r');
  try {
    readSync(file, header);
  } finally {
    closeSync(file);
  }
  if (header.readUInt32BE(68) !== applicationId) {
    throw new Error('it is not a prefetchd store and is left unchanged; name another file');
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

/** Reads the only row of the table `meta`. @throws Damage */
export function readMeta(database: DatabaseSync): Meta {
  const row = database
    .prepare('SELECT *, as_of_ms AS asOfMs, (SELECT count(*) FROM import) AS imports FROM meta')
    .get();
  if (row === undefined) throw new Damage('meta has no row');
  const meta = row as unknown as Meta & { salt: Uint8Array | null; salt_made_ms: number };
  const salt = meta.salt === null ? null : saltOf(meta.salt, meta.salt_made_ms);
  return { ...meta, salt, era: salt?.era ?? meta.era };
}
