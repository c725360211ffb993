// The tables of an SQLite store, and how its file is opened.
//
// Heads and bodies are apart: a look-up reads no body, and noting when an entry was used rewrites none.
// Ids are never used again (AUTOINCREMENT) and begin at random in each file, so an id of an entry that is
// gone names no other one, also when the file was set aside meanwhile.
//
// Write-ahead log with `synchronous = NORMAL`: what was committed survives the death of the process; a loss
// of power may cost the last seconds, whole transactions of them. What is removed stays in free pages
// until these are used again: the file is for its user's eyes alone, as a browser's cache is.

import { randomInt } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { retryWhileBusy } from '../../../process/while-busy.ts';
import { SqliteRows } from './rows-of-entries.ts';
import { faultOf, NotOurs } from './sqlite-faults.ts';

const applicationId = 0x6c616863; // "lahc"
const formatVersion = 1;
// Against 4 KiB a body of 40 KB is read in four fifths of the time; 16 KiB waste more.
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

/** A file that is there, with its tables made if it is empty. @throws NotOurs, or SQLite's or the system's error */
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
 * A file on which nothing can be written, nor beside it; without what its log has. Should somebody else
 * write to it all the same, pages of two states meet: checksums tell. @throws as `openForWriting`
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
  // Not by `import`: older versions of Node warn of it as experimental, which is for those who use it.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(path, options);
  try {
    work(database);
    return new SqliteRows(database);
  } catch (error) {
    database.close();
    // Tables that are not as they were made, or a header that tells of another SQLite.
    const isOdd = (error as { errcode?: unknown }).errcode === 1; // SQLITE_ERROR
    throw isOdd ? new NotOurs('damaged', (error as Error).message) : error;
  }
}

function hasTables(database: DatabaseSync): boolean {
  return database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.count !== 0;
}

/** In one transaction, and before the log begins: the header of a file of ours always bears its id. */
function makeTables(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  // Another process may have made them since.
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
