// The folder and the file of an SQLite store, as the file system sees them.
//
// The file is looked at by its name only, never opened here while a store may have it open: closing any
// descriptor of a file gives up all locks the process has on it, SQLite's too.
// https://www.sqlite.org/howtocorrupt.html 2.2

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
 * The path of `cache.db`. The folder is made if it is missing, for this user alone; the one above it is not.
 * @throws LoaderError `cache-unusable`
 */
export function placeIn(folder: string): string {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    // What is there may also be reached by a link, or be on a file system that is read-only.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
      const rule = code === 'EEXIST' ? 'it is no folder' : message;
      const remedy = 'name a folder that is there, or can be made in one that is';
      const text = `no cache can be kept in ${folder}: ${rule}; ${remedy}`;
      throw new LoaderError('cache-unusable', text, { cause });
    }
  }
  return join(folder, 'cache.db');
}

/** An empty file for this user alone, where there is none. SQLite gives its log the same mode. */
export function makeFile(path: string): void {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Tells files apart, whatever their names; null: there is none. */
export function fileNumber(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/**
 * Renames a file, and what SQLite keeps beside it, to `PATH.<word>`, or `PATH.<word>-<n>` where each is to
 * stay. Of damaged ones the last three stay: a failing disk must not fill up with them.
 * @returns the new name; null when another file is there by now
 */
export function setAside(path: string, file: string | null, word: string): string | null {
  if (file === null || fileNumber(path) !== file) return null;
  const isNumbered = word === 'damaged' || word === 'foreign';
  const number = isNumbered ? 1 + Math.max(0, ...numbersOf(path, word)) : null;
  const aside = number === null ? `${path}.${word}` : `${path}.${word}-${number}`;
  // The log first: beside a new file an old log would be taken for its own.
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
