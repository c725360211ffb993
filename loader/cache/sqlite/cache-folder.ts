// The folder and the file of an SQLite store in the file system.
//
// The file is examined by name only, never opened here while a store may have it open: closing any descriptor of a
// file releases all locks that the process has on it, including SQLite's. https://www.sqlite.org/howtocorrupt.html
// 2.2

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LoaderError } from '../../errors.ts';

const companions = ['-wal', '-shm', '-journal'];
const mostDamaged = 3;

/**
 * The path of `cache.db`. Creates the folder if it is missing (but not its parent), accessible to this user only.
 * @throws LoaderError `cache-unusable`
 */
export function placeIn(folder: string): string {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    // The path may also be a link, or on a read-only file system.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
      const rule = code === 'EEXIST' ? 'it is not a folder' : message;
      const remedy = 'name an existing folder, or a new one in an existing folder';
      const text = `no cache can be kept in ${folder}: ${rule}; ${remedy}`;
      throw new LoaderError('cache-unusable', text, { cause });
    }
  }
  return join(folder, 'cache.db');
}

/** Creates an empty file for this user only, unless it exists. SQLite gives its log the same mode. */
export function makeFile(path: string): void {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Identifies a file by device and inode; null if it does not exist. */
export function fileNumber(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/**
 * Renames a file and its SQLite companions to `PATH.<word>`, or `PATH.<word>-<n>` for damaged and foreign files.
 * Only the last three damaged files are kept, so that a failing disk does not fill up.
 * @returns The new name; null if the path now names another file.
 */
export function setAside(path: string, file: string | null, word: string): string | null {
  if (file === null || fileNumber(path) !== file) return null;
  const isNumbered = word === 'damaged' || word === 'foreign';
  const number = isNumbered ? 1 + Math.max(0, ...numbersOf(path, word)) : null;
  const aside = number === null ? `${path}.${word}` : `${path}.${word}-${number}`;
  // The log is moved first: SQLite would apply an old log to a new file.
  for (const end of [...companions, '']) {
    if (existsSync(path + end)) renameSync(path + end, aside + end);
    else rmSync(aside + end, { force: true });
  }
  if (word === 'damaged') {
    const old = numbersOf(path, word).filter((other) => other <= (number ?? 0) - mostDamaged);
    for (const n of old) {
      for (const end of [...companions, '']) rmSync(`${path}.${word}-${n}${end}`, { force: true });
    }
  }
  return aside;
}

function numbersOf(path: string, word: string): number[] {
  const start = `${basename(path)}.${word}-`;
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && /^\d{1,9}$/.test(name.slice(start.length)))
    .map((name) => Number(name.slice(start.length)));
}
