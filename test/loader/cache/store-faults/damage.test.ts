// A byte that flips anywhere in the file or its log, and a file that is cut anywhere: what is found has the
// right bytes, or is not found; nothing throws, and the store goes on.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSqliteStore } from '../../../../loader/cache/sqlite/sqlite-cache-store.ts';
import { lookedOver, sharedUrls, tellingEntry } from '../../../support/cache-entries.ts';
import { folderOfTests } from '../../../support/folder-of-tests.ts';
import { anySeed, randomFrom } from '../../../support/random.ts';

const top = folderOfTests();
const seed = anySeed();
const random = randomFrom(seed);
const below = (limit: number) => Math.floor(random() * limit);

// Bodies in one page, and over several; later ones are in the log alone.
const urls = sharedUrls.slice(0, 30);
const earlier = urls.slice(0, 20).map((url, n) => tellingEntry(url, n, n * n * 48));
const later = urls.slice(15).map((url, n) => tellingEntry(url, 100 + n, n * 400));
const all = urls.length;

const closed = join(top, 'closed');
const open = join(top, 'open');
const first = createSqliteStore(closed);
first.put(earlier);
first.remove(first.find(urls[5] as string).map(({ id }) => id));
first.put([earlier[5] as (typeof earlier)[0]]);
first.close();
const second = createSqliteStore(closed);
second.put(later);
// As a process leaves it that is killed.
cpSync(closed, open, { recursive: true });
second.close();
rmSync(join(open, 'cache.db-shm'));

/** How often a put went wrong and nobody was told: a damaged index may lead past what it names. */
let unseen = 0;

/** @returns how many entries were found in a copy with this change */
function foundAfter(from: string, name: string, change: (bytes: Buffer) => Buffer): number {
  const place = mkdtempSync(join(top, 'changed-'));
  cpSync(from, place, { recursive: true });
  writeFileSync(join(place, name), change(readFileSync(join(from, name))));
  const notices: string[] = [];
  const store = createSqliteStore(place, { onNotice: (message) => notices.push(message) });
  const before = lookedOver(store, urls);
  expect(before.wrong).toEqual([]);
  const entry = tellingEntry('http://one.example/after', 7, 20_000);
  store.put([entry]);
  const after = lookedOver(store, [entry.url, ...urls]);
  expect(after.wrong).toEqual([]);
  if (notices.length === 0 && after.found !== before.found + 1) unseen++;
  store.close();
  // What was done about it lasts.
  const again = createSqliteStore(place);
  expect(lookedOver(again, [entry.url, ...urls]).wrong).toEqual([]);
  again.close();
  rmSync(place, { recursive: true });
  return before.found;
}

function flip(from: string, name: string, positions: number[]): number[] {
  return positions.map((position) => {
    const by = 1 + below(255);
    try {
      return foundAfter(from, name, (bytes) => {
        bytes[position] = (bytes[position] as number) ^ by;
        return bytes;
      });
    } catch (error) {
      throw new Error(`SEED=${seed}, ${name}, byte ${position} ^ ${by}`, { cause: error });
    }
  });
}

const sizeOf = (from: string, name: string) => readFileSync(join(from, name)).length;
const flips = Number(process.env.LOADER_CACHE_FLIPS ?? 300);

test('unchanged, all is found', () => {
  expect(foundAfter(closed, 'cache.db', (bytes) => bytes)).toBe(all);
  expect(foundAfter(open, 'cache.db-wal', (bytes) => bytes)).toBe(all);
});

test('a byte of its header flips', { timeout: 60_000 }, () => {
  flip(
    closed,
    'cache.db',
    Array.from({ length: 100 }, (_, at) => at),
  );
});

test(`a byte flips, at ${flips} places of the file`, { timeout: 60_000 + 100 * flips }, () => {
  const size = sizeOf(closed, 'cache.db');
  const found = flip(
    closed,
    'cache.db',
    Array.from({ length: flips }, () => below(size)),
  );
  expect(unseen).toBeLessThan(flips / 20);
  const lost = found.filter((entries) => entries < all);
  expect(lost.length, 'flips that cost something').toBeGreaterThan(flips / 4);
});

test('a byte flips, at 60 places of the log', { timeout: 60_000 }, () => {
  const size = sizeOf(open, 'cache.db-wal');
  flip(
    open,
    'cache.db-wal',
    Array.from({ length: 60 }, (_, n) => (n < 20 ? n * 2 : below(size))),
  );
});

test.each([
  ['file', closed, 'cache.db'],
  ['log', open, 'cache.db-wal'],
])('the %s is cut anywhere', { timeout: 60_000 }, (_, from, name) => {
  const size = sizeOf(from, name);
  const lengths = [0, 1, 15, 16, 17, 99, 100, 101, 511, 512, 4096, 8191, 8192, 8193, size - 1];
  for (let n = 0; n < 40; n++) lengths.push(below(size), 8192 * below(size / 8192));
  for (const length of lengths) {
    const found = foundAfter(from, name, (bytes) => bytes.subarray(0, length));
    expect(found, `SEED=${seed}, ${name} cut to ${length}`).toBeLessThanOrEqual(all);
  }
});
