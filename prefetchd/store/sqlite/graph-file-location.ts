// Checks the file of an SQLite store in the file system: whether it belongs to prefetchd, and whether it is still the
// file that was opened; and sets it aside.
//
// Guarantee: a foreign file is never written to. The application id identifies a store; it is read from the header
// before SQLite touches the file.

import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { PrefetchdError } from '../../errors.ts';
import { applicationId, formatVersion } from './tables.ts';

/** Formats that can be read: that of this version, and one that is converted (version-2.ts). */
const knownVersions = [formatVersion, 2];

/** Refuses a file that has content and is not a store. @throws PrefetchdError `store-unreadable` */
export function checkOurs(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  // Opening a pipe would wait for its other end.
  if (found?.isFIFO()) refuse(`${path} is a pipe, no file; name a file`);
  if (found === undefined || found.size === 0) return;
  // The header has 100 bytes (https://www.sqlite.org/fileformat2.html#the_database_header).
  const header = Buffer.alloc(100);
  const file = openSync(path, 'r');
  try {
    readSync(file, header);
  } finally {
    closeSync(file);
  }
  if (header.readUInt32BE(68) !== applicationId) {
    refuse(`${path} is not a prefetchd store and is left unchanged; name another file`);
  }
  const version = header.readUInt32BE(60);
  const isSqlite = header.toString('latin1').startsWith('SQLite format 3\0');
  // If the first bytes are missing, SQLite reports the damage.
  if (!isSqlite || knownVersions.includes(version)) return;
  refuse(
    `${path} has version ${version} of the format, but this prefetchd knows ${knownVersions.join(' and ')}; use the prefetchd that created it, or train into another file`,
  );
}

function refuse(message: string): never {
  throw new PrefetchdError('store-unreadable', message);
}

/** A text that identifies a file whatever its name; null if there is no file. */
export function fileNumber(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/** Rename a file and SQLite's companion files to `PATH.damaged-<n>`. @returns the new name */
export function setAside(path: string): string {
  let n = 1;
  while (existsSync(`${path}.damaged-${n}`)) n++;
  const aside = `${path}.damaged-${n}`;
  // SQLite's log is renamed first, because it would be applied to a new file beside it.
  for (const suffix of ['-wal', '-shm', '-journal', '']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
  return aside;
}
