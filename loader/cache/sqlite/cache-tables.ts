// The tables of an SQLite store, and how its file is opened. Heads and bodies are separate tables: a lookup reads no
// bodies, and recording the use of an entry rewrites none.
// Ids are never reused (AUTOINCREMENT) and start at random in each file, so the id of a removed entry never names
// another one, even after the file was replaced.
//
// The write-ahead log with `synchronous = NORMAL` keeps committed transactions if the process dies; a power loss may
// lose the transactions of the last seconds. Removed data stays in free pages until they are reused, so the file is
// private to its user, like a browser's cache.

import { randomInt } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { retryWhileBusy } from '../../../process/while-busy.ts';
import { SqliteRows } from './rows-of-entries.ts';
import { faultOf, NotOurs } from './sqlite-faults.ts';

const applicationId = 0x6c616863; // "lahc"
const formatVersion = 1;
// Compared with 4 KiB, a body of 40 KB is read in four fifths of the time; 16 KiB waste more space.
const pageBytes = 8192;
const maxIdleLogBytes = 16 * 1024 * 1024;

const tables = `
  CREATE TABLE heads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    url TEXT NOT NULL,
    variant TEXT NOT NULL, -- what Vary and range tell apart
    used INTEGER NOT NULL, -- greater is later
    bytes INTEGER NOT NULL, -- what it counts, its body too
    checksum INTEGER NOT NULL,
    head TEXT NOT NULL
  ) STRICT;
  CREATE INDEX heads_by_url ON heads (url);
  CREATE INDEX heads_by_use ON heads (used, bytes);
  CREATE TABLE bodies (
    id INTEGER PRIMARY KEY,
    checksum INTEGER NOT NULL,
    body BLOB NOT NULL
  ) STRICT;
  CREATE TABLE totals (entries INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
  INSERT INTO totals VALUES (0, 0);
  CREATE TRIGGER head_comes AFTER INSERT ON heads BEGIN
    UPDATE totals SET entries = entries + 1, bytes = bytes + new.bytes;
  END;
  CREATE TRIGGER head_changes AFTER UPDATE OF bytes ON heads BEGIN
    UPDATE totals SET bytes = bytes + new.bytes - old.bytes;
  END;
  CREATE TRIGGER head_goes AFTER DELETE ON heads BEGIN
    DELETE FROM bodies WHERE id = old.id;
    UPDATE totals SET entries = entries - 1, bytes = bytes - old.bytes;
  END;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${formatVersion};`;

/**
 * Opens an existing file and creates the tables if it is empty. @throws NotOurs, or an error of SQLite or the
 * system.
 */
export function openForWriting(path: string, busyTimeoutMs: number): SqliteRows {
  return opened(path, {}, (database) => {
    database.exec(`
      PRAGMA busy_timeout = ${busyTimeoutMs};
      PRAGMA page_size = ${pageBytes};
      PRAGMA synchronous = NORMAL;
      PRAGMA journal_size_limit = ${maxIdleLogBytes};`);
    if (!hasTables(database)) makeTables(database);
    checkOurs(database);
    retryWhileBusy(
      busyTimeoutMs,
      (error) => faultOf(error) === 'busy',
      () => database.exec('PRAGMA journal_mode = WAL'),
    );
    database.exec('PRAGMA busy_timeout = 0');
  });
}

/**
 * Opens a file on read-only storage, without the content of its log. If another process writes to it meanwhile,
 * pages of two states mix; the checksums detect that. @throws As `openForWriting`.
 */
export function openForReading(path: string): SqliteRows {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return opened(url, { readOnly: true }, checkOurs);
}

function opened(
  path: string | URL,
  options: { readOnly?: boolean },
  work: (database: DatabaseSync) => void,
): SqliteRows {
  // Not an `import`: older versions of Node would warn that SQLite is experimental even if it is unused.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(path, options);
  try {
    work(database);
    return new SqliteRows(database);
  } catch (error) {
    database.close();
    // Unexpected tables, or a header of an unsupported SQLite version.
    const isOdd = (error as { errcode?: unknown }).errcode === 1; // SQLITE_ERROR
    throw isOdd ? new NotOurs('damaged', (error as Error).message) : error;
  }
}

function hasTables(database: DatabaseSync): boolean {
  return database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.count !== 0;
}

/** One transaction before the log begins, so the header of our file always has its application id. */
function makeTables(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  // Another process may have created them meanwhile.
  if (!hasTables(database)) {
    database.exec(tables);
    database
      .prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('heads', ?)")
      .run(randomInt(2 ** 47));
  }
  database.exec('COMMIT');
}

function checkOurs(database: DatabaseSync): void {
  if (database.prepare('PRAGMA application_id').get()?.application_id !== applicationId) {
    throw new NotOurs('foreign', 'it is another program’s database');
  }
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  if (version !== formatVersion) {
    const text = `it has version ${version} of the format, ${formatVersion} is known here`;
    throw new NotOurs(`version-${version}`, text);
  }
}
