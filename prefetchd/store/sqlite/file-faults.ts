// Judges the file of an SQLite store: whether it belongs to prefetchd, what a failure means and what to do about it;
// and sets it aside when it is damaged.
//
// Guarantee: a foreign file is never written to. The application id identifies a store; it is read from the header
// before SQLite touches the file.

import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';

export const applicationId = 0x70666864; // "pfhd"
export const formatVersion = 3;
/** Numbers of the formats that can be read: today's, and an earlier one that is converted (version-2.ts). */
const knownVersions = [formatVersion, 2];

/** Refuses a file that has content and is not a store. @throws PrefetchdError `store-unreadable` */
export function checkOurs(path: string): void {
  const refuse = (why: string) => {
    throw new PrefetchdError('store-unreadable', `${path} ${why}`);
  };
  const found = statSync(path, { throwIfNoEntry: false });
  // Opening a pipe would wait for its other end.
  if (found?.isFIFO()) refuse('is a pipe, no file; name a file');
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
    refuse('is not a prefetchd store and is left unchanged; name another file');
  }
  const version = header.readUInt32BE(60);
  const isSqlite = header.toString('latin1').startsWith('SQLite format 3\0');
  // If SQLite's first bytes are missing, the file is damaged, which SQLite itself reports on opening it.
  if (!isSqlite || knownVersions.includes(version)) return;
  refuse(
    `has version ${version} of the format, but this prefetchd knows ${knownVersions.join(' and ')}; use the prefetchd that created it, or train into another file`,
  );
}

/** Returns a text that identifies a file whatever its name; null if there is no file. */
export function fileNumber(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/** Renames a file and SQLite's companion files to `PATH.damaged-<n>`. @returns the new name */
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

const isBusyFor =
  'another process has been writing to it for too long; see which one and call again';
const isDamaged = 'it is damaged; set it aside and train again';

/** Advice by SQLite's primary result code, the low byte (https://www.sqlite.org/rescode.html). */
const advice: Record<number, string> = {
  5: isBusyFor,
  6: isBusyFor, // another connection of this process has the lock
  8: 'the file or its folder may not be written to; give this user permission',
  11: isDamaged,
  13: 'the disk is full; make room and call again',
  14: 'check that its folder exists and that this user may write to it',
  19: isDamaged, // only damaged data of an earlier version breaks a constraint
  26: isDamaged, // the file is not a database
};

/** Thrown if the tables contain data that this program never writes, so that the file must be damaged. */
export class DamagedFile extends Error {}

function adviceFor(error: unknown): string | undefined {
  const { errcode = 0, code } = error as { errcode?: number; code?: string };
  // node:sqlite throws this code for an integer beyond 2 ** 53, which no store writes.
  if (error instanceof DamagedFile || code === 'ERR_OUT_OF_RANGE') return isDamaged;
  return advice[errcode & 0xff];
}

export const isDamage = (error: unknown) => adviceFor(error) === isDamaged;
export const isBusy = (error: unknown) => adviceFor(error) === isBusyFor;

/** Returns the error that a store throws for a cause; an error of a check in this folder keeps its message. */
export function storeError(code: PrefetchdErrorCode, path: string, cause: Error): PrefetchdError {
  if (cause instanceof PrefetchdError) {
    const isUnreadable = cause.code === 'store-unreadable';
    return new PrefetchdError(isUnreadable ? code : cause.code, cause.message, { cause });
  }
  const verb = code === 'store-unreadable' ? 'read' : 'written to';
  const text = [`${path} cannot be ${verb}: ${cause.message}`, adviceFor(cause) ?? []].flat();
  return new PrefetchdError(code, text.join('; '), { cause });
}
