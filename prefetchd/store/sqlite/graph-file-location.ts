// The file of an SQLite store in the file system: whether it belongs to prefetchd, whether it is still the file that
// was opened, and how to set it aside.
//
// Guarantee: a foreign file is never written to. The application id identifies a store; it is read from the header
// before SQLite touches the file.

import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { PrefetchdError } from '../../errors.ts';
import { applicationId, formatVersion } from './tables.ts';

/** Format of this version, and of the one that is converted (version-2.ts). */
const knownVersions = [formatVersion, 2];
const headerBytes = 100;
const magic = 'SQLite format 3\0';
// https://www.sqlite.org/fileformat2.html#the_database_header
const versionAt = 60;
const applicationIdAt = 68;

/** Refuse a non-empty file that is not a store. @throws PrefetchdError `store-unreadable` */
export function checkOurs(path: string): void {
  // Opening a pipe would wait for its other end.
  if (statSync(path, { throwIfNoEntry: false })?.isFIFO()) {
    throw new PrefetchdError('store-unreadable', `${path} is a pipe, no file; name a file`);
  }
  const header = headerOf(path);
  if (header.length === 0) return;
  if (
    header.length < applicationIdAt + 4 ||
    header.readUInt32BE(applicationIdAt) !== applicationId
  ) {
    throw new PrefetchdError(
      'store-unreadable',
      `${path} is not a prefetchd store and is left unchanged; name another file`,
    );
  }
  // If the magic bytes are missing, SQLite reports the damage.
  const version = header.readUInt32BE(versionAt);
  if (knownVersions.includes(version) || header.toString('latin1', 0, magic.length) !== magic)
    return;
  throw new PrefetchdError(
    'store-unreadable',
    `${path} has version ${version} of the format, but this prefetchd knows ${knownVersions.join(' and ')}; use the prefetchd that created it, or train into another file`,
  );
}

/** The file's header; empty if the file is missing or empty. */
function headerOf(path: string): Buffer {
  const header = Buffer.alloc(headerBytes);
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return header.subarray(0, 0);
    throw error;
  }
  try {
    return header.subarray(0, readSync(file, header));
  } finally {
    closeSync(file);
  }
}

/** Identifies a file whatever its name; null if there is none. */
export function fileNumber(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/**
 * Rename a file and SQLite's companion files to `PATH.damaged-<n>`.
 * @returns the new name; null if another file is at the path by now
 */
export function setAside(path: string, file: string | null): string | null {
  if (file === null || fileNumber(path) !== file) return null;
  let n = 1;
  while (existsSync(`${path}.damaged-${n}`)) n++;
  const aside = `${path}.damaged-${n}`;
  // The log is renamed first, because SQLite would apply an old log to a new file beside it.
  for (const suffix of ['-wal', '-shm', '-journal', '']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
  return aside;
}
