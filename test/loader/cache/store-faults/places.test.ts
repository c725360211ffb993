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
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSqliteStore } from '../../../../loader/cache/sqlite/sqlite-cache-store.ts';
import { entryOf, lookedOver, sharedUrls, tellingEntry } from '../../../support/cache-entries.ts';

const top = mkdtempSync(join(tmpdir(), 'cache-'));
afterAll(() => rmSync(top, { recursive: true }));
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

function watched(folder: string) {
  const notices: string[] = [];
  const store = createSqliteStore(folder, { onNotice: (message) => notices.push(message) });
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
    expect(() => createSqliteStore(deeper)).toThrow(unusable(/not\/made.*existing folder/));
  });

  test('that is a file is refused, and left as it is', () => {
    const place = join(newPlace(), 'notes');
    writeFileSync(place, 'buy milk');
    expect(() => createSqliteStore(place)).toThrow(
      unusable(/notes: it is not a folder; name an existing folder/),
    );
    expect(readFileSync(place, 'utf8')).toBe('buy milk');
  });

  test.skipIf(!existsSync('/proc/self'))('where no file can be is refused: /proc', () => {
    expect(() => createSqliteStore('/proc')).toThrow(
      unusable(/\/proc\/cache\.db.*may write there/),
    );
    expect(() => createSqliteStore('/proc/cache')).toThrow(
      unusable(/\/proc\/cache.*name an existing folder/),
    );
  });

  test('with a folder in place of the file is refused', () => {
    const place = newPlace();
    mkdirSync(join(place, 'cache.db'));
    expect(() => createSqliteStore(place)).toThrow(unusable(/cache\.db/));
  });

  test('may be reached by a link', () => {
    const place = filled();
    const link = join(newPlace(), 'link');
    symlinkSync(place, link);
    const { store } = watched(link);
    expect(lookedOver(store, sharedUrls)).toEqual(whole);
  });

  test('that is removed while it is open: nothing throws, and it is told', () => {
    const place = filled();
    const { store, notices } = watched(place);
    expect(lookedOver(store, sharedUrls)).toEqual(whole);
    rmSync(place, { recursive: true });
    store.put([entryOf('/a')]);
    expect(store.find('/a')).toEqual([]);
    expect(notices).toEqual([expect.stringMatching(/cache\.db is not written to/)]);
    mkdirSync(place);
    store.put([entryOf('/a')]);
    expect(store.find('/a').length).toBe(1);
  });

  test('whose file is removed while it is open: another is begun', () => {
    const place = filled();
    const { store, notices } = watched(place);
    store.find('/a');
    for (const name of readdirSync(place)) rmSync(join(place, name));
    store.put([entryOf('/a')]);
    const other = watched(place).store;
    expect(other.find('/a').length).toBe(1);
    expect(other.size().entries).toBe(1);
    expect(notices).toEqual([]);
  });
});

describe('what is not ours is set aside, and another begun', () => {
  test('a file that is no database', () => {
    const place = newPlace();
    writeFileSync(join(place, 'cache.db'), 'buy milk');
    const { store, notices } = watched(place);
    store.put(entries);
    expect(lookedOver(store, sharedUrls)).toEqual(whole);
    expect(readFileSync(join(place, 'cache.db.damaged'), 'utf8')).toBe('buy milk');
    expect(notices).toEqual([
      expect.stringMatching(/cache\.db is unusable .* kept as .*cache\.db\.damaged,/),
    ]);
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

  test('a database of another program', () => {
    const place = newPlace();
    const database = new DatabaseSync(join(place, 'cache.db'));
    database.exec('CREATE TABLE heads (x); INSERT INTO heads VALUES (1)');
    database.close();
    const bytes = readFileSync(join(place, 'cache.db'));
    const { store, notices } = watched(place);
    store.put(entries);
    expect(lookedOver(store, sharedUrls)).toEqual(whole);
    expect(readFileSync(join(place, 'cache.db.damaged')).equals(bytes)).toBe(true);
    expect(notices).toEqual([expect.stringMatching(/another program.*cache\.db\.damaged,/)]);
  });

  test('another version of the format', () => {
    const place = filled();
    const versionOf = (name: string) => {
      const database = new DatabaseSync(join(place, name));
      const row = database.prepare('PRAGMA user_version').get();
      database.close();
      return row?.user_version;
    };
    for (let time = 0; time < 2; time++) {
      const database = new DatabaseSync(join(place, 'cache.db'));
      database.exec('PRAGMA user_version = 7');
      database.close();
      const { store, notices } = watched(place);
      expect(lookedOver(store, sharedUrls).found).toBe(0);
      store.put(entries);
      store.close();
      expect(notices).toEqual([expect.stringMatching(/has version 7.*cache\.db\.damaged,/)]);
      expect([versionOf('cache.db'), versionOf('cache.db.damaged')]).toEqual([1, 7]);
    }
    expect(readdirSync(place)).toEqual(['cache.db', 'cache.db.damaged']);
  });
});

describe('a file that is damaged while it is open', () => {
  /** Both have it open, none of it read yet; all of it but its first page is garbage then. */
  function damagedWhileOpen() {
    const place = filled();
    const [one, other] = [watched(place), watched(place)];
    const path = join(place, 'cache.db');
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xa5, 8192));
    return { one, other };
  }

  test('is set aside at the next call, by whom it may be', () => {
    const { one, other } = damagedWhileOpen();
    expect(lookedOver(one.store, sharedUrls)).toEqual({ found: 0, wrong: [] });
    expect(one.notices).toEqual([expect.stringMatching(/is unusable.*cache\.db\.damaged,/)]);
    one.store.put(entries);
    expect(lookedOver(one.store, sharedUrls)).toEqual(whole);
    other.store.put([entryOf('/a')]);
    expect(lookedOver(other.store, sharedUrls)).toEqual(whole);
    expect(one.store.find('/a').length).toBe(1);
    expect(other.notices).toEqual([]);
  });

  test('does not cost what is put when it is found', () => {
    const { one } = damagedWhileOpen();
    one.store.put(entries);
    expect(lookedOver(one.store, sharedUrls)).toEqual(whole);
    expect(one.notices.length).toBe(1);
  });

  test('an id of before names nothing in the file that is begun', () => {
    const place = filled();
    const { store } = watched(place);
    const ids = sharedUrls.map((url) => store.find(url)[0]?.id as number);
    for (const name of readdirSync(place)) rmSync(join(place, name));
    store.put(entries);
    expect(ids.map((id) => store.body(id))).toEqual(ids.map(() => null));
  });

  test('so that nothing can be removed from it: making room comes to an end', () => {
    const place = filled();
    const database = new DatabaseSync(join(place, 'cache.db'));
    database.exec('CREATE TRIGGER x BEFORE DELETE ON heads BEGIN SELECT RAISE(IGNORE); END');
    database.close();
    const notices: string[] = [];
    const onNotice = (message: string) => notices.push(message);
    const store = createSqliteStore(place, { maxBytes: 100_000, onNotice });
    store.put([entryOf('/a')]);
    expect(store.size().entries).toBe(1);
    expect(notices).toEqual([expect.stringMatching(/cannot be removed.*cache\.db\.damaged,/)]);
    store.close();
  });

  test('cut short', () => {
    const place = filled();
    const { store, notices } = watched(place);
    truncateSync(join(place, 'cache.db'), 8192 * 2);
    expect(lookedOver(store, sharedUrls).wrong).toEqual([]);
    store.put(entries);
    expect(lookedOver(store, sharedUrls)).toEqual(whole);
    expect(notices.length).toBe(1);
  });
});

describe('a file system', () => {
  test.skipIf(!mountsWork)(
    'that is read-only: what is there is used, writes are skipped and told once (needs root)',
    () => {
      const place = mounted('8m');
      filled(place);
      run('mount', '-o', 'remount,ro', place);
      const { store, notices } = watched(place);
      expect(lookedOver(store, sharedUrls)).toEqual(whole);
      expect(notices).toEqual([]);
      store.put([entryOf('/a')]);
      store.removeUrl(sharedUrls[0] as string);
      expect(lookedOver(store, sharedUrls)).toEqual(whole);
      expect(notices).toEqual([expect.stringMatching(/not written to.*it is read-only/)]);
      run('mount', '-o', 'remount,rw', place);
      store.put([entryOf('/a')]);
      expect(store.find('/a').length).toBe(1);
    },
  );

  test.skipIf(!mountsWork)('that is read-only, and nothing there (needs root)', () => {
    const place = mounted('1m');
    run('mount', '-o', 'remount,ro', place);
    expect(() => createSqliteStore(place)).toThrow(unusable(/cache\.db.*read-only/));
    expect(() => createSqliteStore(join(place, 'made'))).toThrow(unusable(/made.*read-only/));
  });

  test.skipIf(!mountsWork)('that is read-only, and damage there (needs root)', () => {
    const place = filled(mounted('8m'));
    const path = join(place, 'cache.db');
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xa5, bytes.length / 2));
    run('mount', '-o', 'remount,ro', place);
    const { store, notices } = watched(place);
    expect(lookedOver(store, sharedUrls).wrong).toEqual([]);
    expect(notices.join()).toMatch(/damaged|cannot be renamed/);
  });

  test.skipIf(isRoot)('folder that is read-only (root may write)', () => {
    const place = filled();
    chmodSync(place, 0o500);
    onTestFinished(() => chmodSync(place, 0o700));
    const { store, notices } = watched(place);
    store.put([entryOf('/a')]);
    expect(lookedOver(store, sharedUrls)).toEqual(whole);
    expect(notices.length).toBe(1);
  });

  test.skipIf(!mountsWork)('that is full: told once, and used again with room (needs root)', () => {
    const place = mounted('1m');
    const { store, notices } = watched(place);
    store.put(entries);
    // All or none.
    for (let n = 0; n < 5; n++) store.put([entryOf('/a'), tellingEntry('/large', n, 600_000)]);
    expect([store.find('/a'), store.find('/large')]).toEqual([[], []]);
    expect(notices).toEqual([expect.stringMatching(/not written to.*the disk is full/)]);
    expect(lookedOver(store, sharedUrls)).toEqual(whole);
    run('mount', '-o', 'remount,size=16m', place);
    store.put([tellingEntry('/large', 9, 600_000)]);
    expect(lookedOver(store, ['/large', ...sharedUrls])).toEqual({ ...whole, found: 61 });
    expect(notices.length).toBe(1);
  });

  test.skipIf(!mountsWork)('that is full when it is opened (needs root)', () => {
    const place = mounted('4m');
    filled(place);
    const room = 4 * 1024 * 1024 - statSync(join(place, 'cache.db')).size;
    const ballast = join(place, 'ballast');
    try {
      writeFileSync(ballast, Buffer.alloc(room));
    } catch {
      // All that fits is there.
    }
    const { store, notices } = watched(place);
    expect(lookedOver(store, sharedUrls)).toEqual(whole);
    store.put([tellingEntry('/large', 9, 600_000)]);
    expect(lookedOver(store, ['/large', ...sharedUrls])).toEqual(whole);
    expect(notices.length).toBe(1);
    rmSync(ballast);
    store.put([tellingEntry('/large', 9, 600_000)]);
    expect(lookedOver(store, ['/large', ...sharedUrls])).toEqual({ ...whole, found: 61 });
  });
});
