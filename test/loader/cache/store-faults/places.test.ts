// Folders and files that are not what they should be, at the start and while they are open. Mounts need
// root, and are skipped by name without.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createSqliteStore,
  type SqliteStoreOptions,
} from '../../../../loader/cache/sqlite/sqlite-cache-store.ts';
import { entryOf, lookedOver, sharedUrls, tellingEntry } from '../../../support/cache-entries.ts';
import { folderOfTests } from '../../../support/folder-of-tests.ts';

const top = folderOfTests();
const newPlace = () => mkdtempSync(join(top, 'place-'));

const isRoot = process.getuid?.() === 0;
const run = (command: string, ...words: string[]) =>
  execFileSync(command, words, { stdio: 'ignore' });

function canMount(): boolean {
  try {
    run('unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt');
    return true;
  } catch {
    return false;
  }
}
const mountsWork = isRoot && canMount();

function mounted(size: string): string {
  const place = newPlace();
  run('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', place);
  onTestFinished(() => {
    run('umount', '--lazy', place);
  });
  return place;
}

function watched(folder: string, options: SqliteStoreOptions = {}) {
  const notices: string[] = [];
  const onNotice = (message: string) => notices.push(message);
  const store = createSqliteStore(folder, { ...options, onNotice });
  onTestFinished(() => store.close());
  return { store, notices };
}

const entries = sharedUrls.map((url, n) => tellingEntry(url, n, 100 * n));
const whole = { found: entries.length, wrong: [] };

/** A folder with a store of entries that nobody has open. */
function filled(folder = newPlace()): string {
  const store = createSqliteStore(folder);
  store.put(entries);
  store.close();
  return folder;
}
const unusable = (message: RegExp) =>
  expect.objectContaining({
    name: 'LoaderError',
    code: 'cache-unusable',
    message: expect.stringMatching(message),
  });

describe('a folder', () => {
  test('is made, one level of it', () => {
    const place = join(newPlace(), 'made');
    watched(place).store.put(entries);
    expect(existsSync(join(place, 'cache.db'))).toBe(true);
    const deeper = join(place, 'not', 'made');
    expect(() => createSqliteStore(deeper)).toThrow(unusable(/not\/made.*a new one in such/));
  });

  test('that is a file is refused, and left as it is', () => {
    const place = join(newPlace(), 'notes');
    writeFileSync(place, 'buy milk');
    expect(() => createSqliteStore(place)).toThrow(
      unusable(/notes: .*not a directory.*name a fol/),
    );
    expect(readFileSync(place, 'utf8')).toBe('buy milk');
  });

  test.skipIf(!existsSync('/proc/self'))('where no file can be is refused: /proc', () => {
    for (const place of ['/proc', '/proc/cache']) {
      expect(() => createSqliteStore(place)).toThrow(unusable(/\/proc.*name a folder to write in/));
    }
  });

  test('with a folder in place of the file keeps nothing, and it is told once', () => {
    const place = newPlace();
    mkdirSync(join(place, 'cache.db'));
    const { store, notices } = watched(place);
    store.put(entries);
    expect(lookedOver(store, sharedUrls).found).toBe(0);
    expect(notices).toEqual([expect.stringMatching(/cache\.db is not fully usable/)]);
  });

  test('may be reached by a link', () => {
    const link = join(newPlace(), 'link');
    symlinkSync(filled(), link);
    expect(lookedOver(watched(link).store, sharedUrls)).toEqual(whole);
  });

  test('that is removed while it is open: nothing throws, and it is told', () => {
    const place = filled();
    const { store, notices } = watched(place);
    expect(lookedOver(store, sharedUrls)).toEqual(whole);
    rmSync(place, { recursive: true });
    store.put([entryOf('/a')]);
    expect(store.find('/a')).toEqual([]);
    expect(notices).toEqual([expect.stringMatching(/cache\.db is not fully usable.*ENOENT/)]);
    mkdirSync(place);
    store.put([entryOf('/a')]);
    expect(store.find('/a').length).toBe(1);
  });

  test('whose file is removed while it is open: another is begun, where no id of before names anything', () => {
    const place = filled();
    const { store, notices } = watched(place);
    const ids = sharedUrls.map((url) => store.find(url)[0]?.id as number);
    for (const name of readdirSync(place)) rmSync(join(place, name));
    store.put(entries);
    expect(ids.map((id) => store.body(id))).toEqual(ids.map(() => null));
    expect(lookedOver(watched(place).store, sharedUrls)).toEqual(whole);
    expect(notices).toEqual([]);
  });
});

describe('what is not ours is set aside, and another begun', () => {
  const changedBy = (sql: string) => (path: string) => {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  };
  test.each([
    ['a file that is no database', (path: string) => writeFileSync(path, 'buy milk')],
    ['a database of another program', changedBy('CREATE TABLE heads (x)')],
    ['another version of the format', changedBy('PRAGMA user_version = 7; CREATE TABLE heads (x)')],
  ])('%s, time and again', (_, write) => {
    const place = newPlace();
    const path = join(place, 'cache.db');
    for (let time = 0; time < 2; time++) {
      rmSync(path, { force: true });
      write(path);
      const bytes = readFileSync(path);
      const { store, notices } = watched(place);
      store.put(entries);
      expect(lookedOver(store, sharedUrls)).toEqual(whole);
      store.close();
      expect(readFileSync(`${path}.damaged`).equals(bytes)).toBe(true);
      expect(notices).toEqual([
        expect.stringMatching(/cache\.db is begun anew.*kept as .*cache\.db\.damaged.*version/),
      ]);
    }
    expect(readdirSync(place)).toEqual(['cache.db', 'cache.db.damaged']);
  });

  test('a link to such a file, which stays where it is', () => {
    const place = newPlace();
    const notes = join(newPlace(), 'notes');
    writeFileSync(notes, 'buy milk');
    symlinkSync(notes, join(place, 'cache.db'));
    const { store } = watched(place);
    store.put(entries);
    expect(lookedOver(store, sharedUrls)).toEqual(whole);
    expect(readFileSync(notes, 'utf8')).toBe('buy milk');
  });
});

describe('a file that is damaged while it is open', () => {
  test.each([
    ['all but its first page is garbage', (bytes: Buffer) => bytes.fill(0xa5, 8192)],
    ['cut short', (bytes: Buffer) => bytes.subarray(0, 8192 * 2)],
  ])('%s: it is set aside by one of those who have it open', (_, damage) => {
    const place = filled();
    const [one, other] = [watched(place), watched(place)];
    const path = join(place, 'cache.db');
    writeFileSync(path, damage(readFileSync(path)));
    expect(lookedOver(one.store, sharedUrls).wrong).toEqual([]);
    expect(one.notices).toEqual([expect.stringMatching(/is begun anew.*cache\.db\.damaged/)]);
    one.store.put(entries);
    expect(lookedOver(one.store, sharedUrls)).toEqual(whole);
    other.store.put([entryOf('/a')]);
    expect(lookedOver(other.store, sharedUrls)).toEqual(whole);
    expect(one.store.find('/a').length).toBe(1);
    expect(other.notices).toEqual([]);
  });

  test('so that nothing can be removed from it: making room comes to an end', () => {
    const place = filled();
    const database = new DatabaseSync(join(place, 'cache.db'));
    database.exec('CREATE TRIGGER x BEFORE DELETE ON heads BEGIN SELECT RAISE(IGNORE); END');
    database.close();
    const { store, notices } = watched(place, { maxBytes: 100_000 });
    for (let time = 0; time < 2; time++) store.put([entryOf('/a')]);
    expect(store.size().entries).toBe(1);
    expect(notices).toEqual([expect.stringMatching(/begun anew.*cannot be removed/)]);
  });
});

describe('a file system (needs root)', () => {
  test.skipIf(!mountsWork)('that is read-only: told once, and used again when it is not', () => {
    const place = mounted('8m');
    filled(place);
    run('mount', '-o', 'remount,ro', place);
    const { store, notices } = watched(place);
    store.put([entryOf('/a')]);
    expect(lookedOver(store, sharedUrls).wrong).toEqual([]);
    expect(notices).toEqual([expect.stringMatching(/not fully usable.*may not write to it/)]);
    run('mount', '-o', 'remount,rw', place);
    store.put([entryOf('/a')]);
    expect(store.find('/a').length).toBe(1);
    expect(lookedOver(store, sharedUrls)).toEqual(whole);
  });

  test.skipIf(!mountsWork)('that is read-only, and nothing there', () => {
    const place = mounted('1m');
    run('mount', '-o', 'remount,ro', place);
    expect(() => createSqliteStore(place)).toThrow(unusable(/cache\.db.*name a folder/));
    expect(() => createSqliteStore(join(place, 'made'))).toThrow(unusable(/made.*read-only/));
  });

  test.skipIf(!mountsWork)('that is full: told once, and used again with room', () => {
    const place = mounted('1m');
    const { store, notices } = watched(place);
    store.put(entries);
    // All or none.
    for (let n = 0; n < 5; n++) store.put([entryOf('/a'), tellingEntry('/large', n, 600_000)]);
    expect([store.find('/a'), store.find('/large')]).toEqual([[], []]);
    expect(notices).toEqual([expect.stringMatching(/not fully usable.*the disk is full/)]);
    expect(lookedOver(store, sharedUrls)).toEqual(whole);
    run('mount', '-o', 'remount,size=16m', place);
    store.put([tellingEntry('/large', 9, 600_000)]);
    expect(lookedOver(store, ['/large', ...sharedUrls])).toEqual({ ...whole, found: 61 });
    expect(notices.length).toBe(1);
  });

  test.skipIf(!mountsWork)('that is full when it is opened', () => {
    const place = mounted('4m');
    filled(place);
    const ballast = join(place, 'ballast');
    const room = 4 * 1024 * 1024 - statSync(join(place, 'cache.db')).size;
    try {
      writeFileSync(ballast, Buffer.alloc(room));
    } catch {
      // All that fits is there.
    }
    const { store, notices } = watched(place);
    for (let n = 0; n < 5; n++) store.put([tellingEntry('/large', 9, 600_000)]);
    expect(lookedOver(store, ['/large']).found).toBe(0);
    expect(notices.length).toBe(1);
    rmSync(ballast);
    store.put([tellingEntry('/large', 9, 600_000)]);
    expect(lookedOver(store, ['/large', ...sharedUrls])).toEqual({ ...whole, found: 61 });
  });
});

test.skipIf(isRoot)(
  'a folder that is read-only: nothing throws, and it is told (root may write)',
  () => {
    const place = filled();
    chmodSync(place, 0o500);
    onTestFinished(() => chmodSync(place, 0o700));
    const { store, notices } = watched(place);
    store.put([entryOf('/a')]);
    expect(lookedOver(store, sharedUrls).wrong).toEqual([]);
    expect(notices.length).toBe(1);
  },
);
