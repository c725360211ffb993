// What the files of SQLite have in common, the cache's and a store's: how one is made, what SQLite's errors mean, how
// often work on a busy file is tried again, and how a damaged one is renamed.

import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';

export const busy = 'another process has been writing to it for too long';
export const readOnly = 'this user may not write to it, or to its folder';
export const full = 'the disk is full';
export const damaged = 'it is damaged, or another program or version wrote it';

/** What is wrong with a file, by SQLite's primary result code, the low byte (https://www.sqlite.org/rescode.html). */
const faults: Record<number, string> = {
  5: busy, // SQLITE_BUSY
  6: busy, // SQLITE_LOCKED: another connection of this process has the lock
  8: readOnly, // SQLITE_READONLY
  11: damaged, // SQLITE_CORRUPT
  13: full, // SQLITE_FULL
  14: readOnly, // SQLITE_CANTOPEN: the file or its log cannot be created
  19: damaged, // SQLITE_CONSTRAINT: an intact file violates none
  26: damaged, // SQLITE_NOTADB
};

/** What is wrong with a file, by the code of the operating system's error. */
const systemFaults: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  EROFS: readOnly,
  EACCES: readOnly,
  EPERM: readOnly,
  ENOSPC: full,
  EDQUOT: full,
};

/** Thrown if a file has content that no program of this package writes. */
export class Damage extends Error {}

/** Says what is wrong with a file, by the error it led to; undefined: something else is wrong. */
export function faultOf(error: unknown): string | undefined {
  const { errcode = 0, code } = error as { errcode?: number; code?: string };
  // This package writes no integers beyond 2 ** 53, which node:sqlite refuses to read, and no JSON that is invalid.
  const isDamage = [Damage, SyntaxError].some((type) => error instanceof type);
  if (isDamage || code === 'ERR_OUT_OF_RANGE') return damaged;
  return faults[errcode & 0xff] ?? systemFaults[`${code}`];
}

const retryMs = 5;

/** Runs `work`, and repeats it while SQLite says that another process writes, for at most `timeoutMs`: if two processes
 *  change the journal mode of a file at once, SQLite itself does not wait. @throws the last error of `work` */
export function retryWhileBusy<Result>(timeoutMs: number, work: () => Result): Result {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; ; waitedMs += retryMs) {
    try {
      return work();
    } catch (error) {
      if (faultOf(error) !== busy || waitedMs >= timeoutMs) throw error;
      Atomics.wait(pause, 0, 0, retryMs);
    }
  }
}

/** Makes a file if there is none, readable by this user alone; SQLite makes its log beside it with the same mode. */
export function makePrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/** Identifies a file by device and inode, whatever its name; null if there is none. */
export function fileNumber(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/** Renames a file and what SQLite put beside it, in place of what had the new name. */
export function renameFile(path: string, to: string): void {
  // The log is renamed first: SQLite would apply an old log to a new file.
  for (const end of ['-wal', '-shm', '-journal', '']) {
    rmSync(to + end, { force: true });
    if (existsSync(path + end)) renameSync(path + end, to + end);
  }
}
