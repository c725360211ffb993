// The file of an SQLite store, as the file system sees it: whose it is, whether it is still the one that
// was opened, and how it is set aside.
//
// Guarantee: a file that is not ours is never written to. Ours is told by its application id, which is
// read from the header before SQLite touches the file.

import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { PrefetchdError } from '../../errors.ts';

export const applicationId = 0x70666864; // "pfhd"
export const formatVersion = 2;

const headerBytes = 100;
const magic = 'SQLite format 3\0';
// https://www.sqlite.org/fileformat2.html#the_database_header
const versionAt = 60;
const applicationIdAt = 68;

/** Refuses a file that is there, has content and is not ours. @throws PrefetchdError `store-unreadable` */
export function checkOurs(path: string): void {
  const header = headerOf(path);
  if (header.length === 0) return;
  if (
    header.length < applicationIdAt + 4 ||
    header.readUInt32BE(applicationIdAt) !== applicationId
  ) {
    throw new PrefetchdError(
      'store-unreadable',
      `${path} is no prefetchd store, and is left as it is; name another file`,
    );
  }
  // Without the magic SQLite will find it damaged.
  const version = header.readUInt32BE(versionAt);
  if (version === formatVersion || header.toString('latin1', 0, magic.length) !== magic) return;
  throw new PrefetchdError(
    'store-unreadable',
    `${path} has version ${version} of the format, this prefetchd knows ${formatVersion}; take the prefetchd that made it, or train into another file`,
  );
}

/** Empty when there is no file, or nothing in it. */
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

/** Tells files apart, whatever their names; null: there is none. */
export function fileNumber(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/**
 * Renames a file and what SQLite keeps beside it to `PATH.damaged-<n>`.
 * @returns the new name; null when it is another file by now
 */
export function setAside(path: string, file: string | null): string | null {
  if (file === null || fileNumber(path) !== file) return null;
  let n = 1;
  while (existsSync(`${path}.damaged-${n}`)) n++;
  const aside = `${path}.damaged-${n}`;
  // The log first: beside a new file an old log would be taken for its own.
  for (const suffix of ['-wal', '-shm', '-journal', '']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
  return aside;
}
