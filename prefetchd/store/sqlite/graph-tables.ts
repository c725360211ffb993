// An SQLite store's tables, and how its file is opened. Tables and application id are created in one transaction
// before WAL is enabled, so the header of every store contains the id.
//
// Write-ahead log with `synchronous = NORMAL`: commits survive a crash of the process; a power failure may lose the
// last seconds, but only whole additions.
//
// A new file, and the companion files SQLite then creates, are readable by the owner only, because they contain URLs
// and the salt of the day. An existing file keeps its mode. Deleted content is overwritten with zeros, also in free
// pages. quick_check reads the file once, 50 ms for a million arcs, so it runs once per opened file.

import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { retryWhileBusy } from '../../../process/while-busy.ts';
import { isBusy } from './failures.ts';
import { forgettingTable } from './forgetting.ts';
import { applicationId, formatVersion } from './graph-file-location.ts';
import { DamagedRecord } from './record.ts';
import { servingTable } from './serving-process.ts';

const tables = `
  CREATE TABLE meta (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    predictor TEXT NOT NULL,
    window INTEGER NOT NULL,
    graphs INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    arcs INTEGER NOT NULL,
    era INTEGER NOT NULL,
    as_of_ms REAL NOT NULL,
    exponent REAL NOT NULL
  ) STRICT;
  CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, record BLOB NOT NULL) STRICT;
  CREATE TABLE salt (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    bytes BLOB NOT NULL,
    made_ms REAL NOT NULL
  ) STRICT;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${formatVersion};`;

const cacheKib = 4 * 1024;
const maxIdleLogBytes = 16 * 1024 * 1024;
/** Checkpoint the log at this size, so pages rewritten each second reach the file once. */
const maxLogPages = 4000;

export interface OpenOptions {
  busyTimeoutMs: number;
  /** Check for damage. */
  check: boolean;
}

export function openTables(path: string, { busyTimeoutMs, check }: OpenOptions): DatabaseSync {
  makePrivate(path);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    database.exec(`
      PRAGMA synchronous = NORMAL;
      PRAGMA secure_delete = ON;
      PRAGMA cache_size = -${cacheKib};
      PRAGMA journal_size_limit = ${maxIdleLogBytes};
      PRAGMA wal_autocheckpoint = ${maxLogPages};`);
    if (!hasTables(database)) makeTables(database);
    for (const table of [forgettingTable, servingTable]) database.exec(table);
    if (check) lookForDamage(database);
    retryWhileBusy(busyTimeoutMs, isBusy, () => database.exec('PRAGMA journal_mode = WAL'));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Create an empty file if there is none. */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // It exists, or cannot be created, which SQLite reports itself.
  }
}

function hasTables(database: DatabaseSync): boolean {
  const row = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get();
  return row?.count !== 0;
}

function makeTables(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  // Another process may have created them meanwhile.
  if (!hasTables(database)) database.exec(tables);
  database.exec('COMMIT');
}

function lookForDamage(database: DatabaseSync): void {
  const [found] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {});
  // The first line only names the database.
  if (found !== 'ok') throw new DamagedRecord(String(found).replace(/^\*\*\*.*\n/, ''));
  const row = database
    .prepare('SELECT count(*) AS rows, (SELECT nodes FROM meta) AS nodes FROM urls')
    .get();
  if (row?.rows !== (row?.nodes ?? 0)) throw new DamagedRecord('rows are missing');
}
