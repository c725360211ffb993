// The cache store in a file: the contract, what outlives a process, and what is on the disk.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createSqliteStore,
  type SqliteStoreOptions,
} from '../../../../loader/cache/sqlite/sqlite-cache-store.ts';
import type { CacheStore } from '../../../../loader/cache/store.ts';
import { cacheStoreContract, entryOfBytes } from '../../../contracts/cache-store.ts';
import { entryOf } from '../../../support/cache-entries.ts';
import { folderOfTests } from '../../../support/folder-of-tests.ts';

const top = folderOfTests();

let places = 0;
const newPlace = () => join(top, String(++places));
const failing = { onNotice: (message: string) => expect.fail(message) };

function opened(folder: string, options: SqliteStoreOptions = failing): CacheStore {
  const store = createSqliteStore(folder, options);
  onTestFinished(() => store.close());
  return store;
}
const idOf = (store: CacheStore, url: string) => store.find(url)[0]?.id as number;

cacheStoreContract('sqlite', (limits) => createSqliteStore(newPlace(), { ...failing, ...limits }));

describe('what is kept', () => {
  test('is there when it is opened again, and for others who have it open', () => {
    const place = newPlace();
    const one = opened(place);
    const other = opened(place);
    one.put([entryOf('/a')]);
    expect(other.body(idOf(other, '/a'))?.toString()).toBe('the body of /a');
    one.close();
    other.close();
    const later = opened(place);
    expect(later.body(idOf(later, '/a'))?.toString()).toBe('the body of /a');
  });

  test('and was removed by another between find and body, is a miss', () => {
    const place = newPlace();
    const [one, other] = [opened(place), opened(place)];
    one.put([entryOf('/a'), entryOf('/b')]);
    const ids = ['/a', '/b'].map((url) => idOf(one, url));
    other.removeUrl('/a');
    other.put([entryOf('/b', { body: Buffer.from('later') }), entryOf('/c')]);
    expect(ids.map((id) => one.body(id))).toEqual([null, null]);
  });

  test('keeps the order of its use over a close that wrote nothing else', () => {
    const place = newPlace();
    const options = { ...failing, maxBytes: 200 };
    const store = opened(place, options);
    store.put([entryOfBytes('/a', 100), entryOfBytes('/b', 100)]);
    store.body(idOf(store, '/a'));
    store.close();
    const later = opened(place, options);
    later.put([entryOfBytes('/c', 100)]);
    expect(['/a', '/b', '/c'].map((url) => later.find(url).length)).toEqual([1, 0, 1]);
  });

  test('shrinks to a smaller cap with the next put', () => {
    const place = newPlace();
    const urls = Array.from({ length: 100 }, (_, n) => `/${n}`);
    opened(place).put(urls.map((url) => entryOfBytes(url, 1000)));
    const small = opened(place, { ...failing, maxBytes: 10_000 });
    expect(small.size().entries).toBe(100);
    small.put([entryOfBytes('/new', 1000)]);
    expect(small.size()).toEqual({ entries: 10, bytes: 10_000 });
    expect(small.find('/99').length).toBe(1);
  });
});

describe('on the disk', () => {
  test('folder and files are for this user alone', () => {
    const place = newPlace();
    const store = opened(place);
    store.put([entryOf('/a')]);
    expect(statSync(place).mode & 0o777).toBe(0o700);
    const files = readdirSync(place);
    expect(files.toSorted()).toEqual(['cache.db', 'cache.db-shm', 'cache.db-wal']);
    for (const file of files) expect(statSync(join(place, file)).mode & 0o777).toBe(0o600);
    store.close();
    expect(readdirSync(place)).toEqual(['cache.db']);
  });

  test('it stays near its cap, however much goes through', () => {
    const place = newPlace();
    const store = opened(place, { ...failing, maxBytes: 2_000_000 });
    for (let n = 0; n < 400; n++) {
      store.put([entryOfBytes(`/${n}`, 5000 + ((n * 7919) % 60_000))]);
    }
    expect(store.size().bytes).toBeLessThanOrEqual(2_000_000);
    store.close();
    expect(statSync(join(place, 'cache.db')).size).toBeLessThan(2_600_000);
  });

  test('nothing is written when it is only read', () => {
    const place = newPlace();
    const store = opened(place);
    store.put(['/a', '/b'].map((url) => entryOf(url)));
    const before = statSync(join(place, 'cache.db-wal'));
    for (let n = 0; n < 100; n++) for (const url of ['/a', '/b']) store.body(idOf(store, url));
    store.removeUrl('/c');
    const after = statSync(join(place, 'cache.db-wal'));
    expect([after.size, after.mtimeMs]).toEqual([before.size, before.mtimeMs]);
  });
});

test('refuses a wrong option before it makes anything', () => {
  const place = newPlace();
  const refused = expect.objectContaining({ code: 'invalid-option', option: 'maxBytes' });
  expect(() => createSqliteStore(place, { maxBytes: 0.5 })).toThrow(refused);
  expect(existsSync(place)).toBe(false);
});
