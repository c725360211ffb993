// What an SQLite store does with files that are not its own, or no longer whole.

import { existsSync } from 'node:fs';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { SqliteFile } from '../../../../prefetchd/store/sqlite/graph-file.ts';
import { SqliteGraphStore } from '../../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { useLog } from '../../../../prefetchd/store/sqlite/tables.ts';
import { folderOfTests } from '../../../support/folder-of-tests.ts';
import { arcsOf, deltaOf, loaded } from '../../../support/graph-deltas.ts';
import { anySeed, randomFrom } from '../../../support/random.ts';
import { fileOptions, graphIn, nowMs, pairs, storedFile } from '../../../support/stored-file.ts';

const folder = folderOfTests();

const one = deltaOf({ graphs: [[{ from: '/a', to: '/b', count: 1 }]] });

/** Every call refuses it, and not a byte of it changes. */
async function expectRefused(
  path: string,
  message: RegExp,
  onDamaged: 'refuse' | 'set-aside',
): Promise<void> {
  const before = await readFile(path);
  const store = new SqliteGraphStore(path, { onDamaged });
  const says = { message: expect.stringMatching(message), name: 'PrefetchdError' };
  await expect(loaded(store, nowMs)).rejects.toMatchObject({ ...says, code: 'store-unreadable' });
  await expect(store.add(one, nowMs)).rejects.toMatchObject({ ...says, code: 'store-unwritable' });
  await store.close();
  expect((await readFile(path)).equals(before)).toBe(true);
  const beside = (await readdir(folder)).filter((name) => name.startsWith(`${basename(path)}.`));
  expect(beside).toEqual([]);
}

function databaseAt(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

const isForeign = /is not a prefetchd store/;
const foreign: [name: string, make: (path: string) => unknown, message: RegExp][] = [
  ['a text', (path) => writeFile(path, 'buy milk'), isForeign],
  ['a database of another program', (path) => databaseAt(path, 'CREATE TABLE urls (x)'), isForeign],
  ['one in WAL mode', (path) => databaseAt(path, `${useLog}; CREATE TABLE urls (x)`), isForeign],
  ...[1, 3, 5].map((version): (typeof foreign)[number] => [
    `version ${version} of the format`,
    (path) => databaseAt(storedFile(path), `PRAGMA user_version = ${version}`),
    new RegExp(`has version ${version} of the format, but this prefetchd knows 2 and 4`),
  ]),
];

test.each(foreign)('a file that is not ours is left as it is: %s', async (name, make, message) => {
  for (const onDamaged of ['refuse', 'set-aside'] as const) {
    const path = join(folder, `${name} ${onDamaged}`);
    await make(path);
    await expectRefused(path, message, onDamaged);
  }
});

const damages: Record<string, (path: string) => Promise<void>> = {
  'cut short': (path) => truncate(path, 8192 + 100),
  'cut within its header': (path) => truncate(path, 80),
  'without its first bytes': async (path) => {
    await writeFile(path, (await readFile(path)).fill(0, 0, 16));
  },
  'with garbage in the middle': async (path) => {
    await writeFile(path, (await readFile(path)).fill(0xa5, 4096 * 4, 4096 * 6));
  },
  'with a number beyond all': async (path) => databaseAt(path, 'UPDATE meta SET credits = 1 << 62'),
};

describe.each(Object.entries(damages))('a file %s', (how, damage) => {
  const name = how.replaceAll(' ', '-');

  test('is refused, and is left as it is', async () => {
    const path = storedFile(join(folder, `${name}-refused`));
    await damage(path);
    await expectRefused(path, /-refused cannot be .*damaged.*; set it aside/, 'refuse');
  });

  test('is set aside when asked for: under another name, and an empty store begins', async () => {
    const path = join(folder, name);
    for (const [n, call] of [
      [1, 'load'],
      [2, 'add'],
    ] as const) {
      await rm(path, { force: true });
      storedFile(path);
      await damage(path);
      const before = await readFile(path);
      const notices: string[] = [];
      const store = new SqliteGraphStore(path, {
        onDamaged: 'set-aside',
        onNotice: (notice) => notices.push(notice),
      });
      if (call === 'load') expect(await loaded(store, nowMs)).toBeNull();
      const more = deltaOf({
        graphs: [[...pairs(400).graphs.flat(), { from: '/a', to: '/b', count: 1 }]],
      });
      await store.add(more, nowMs);
      expect(arcsOf(await loaded(store, nowMs), '/7')).toEqual(['/next/7 1']);
      await store.close();
      expect(notices).toEqual([expect.stringContaining(`renamed to ${path}.damaged-${n}`)]);
      expect((await readFile(`${path}.damaged-${n}`)).equals(before)).toBe(true);
      expect(existsSync(`${path}-wal`)).toBe(false);
    }
  });
});

test('arcs whose URLs are gone, and those beside fingerprints that are none, are left out', async () => {
  const path = storedFile(join(folder, 'left-out.db'));
  databaseAt(
    path,
    `DELETE FROM url WHERE url = '/7'; UPDATE arc SET clients = '7,' WHERE source = 799`,
  );
  const notices: string[] = [];
  const store = new SqliteGraphStore(path, { onNotice: (notice) => notices.push(notice) });
  const found = await loaded(store, nowMs);
  await store.close();
  expect(notices).toEqual([expect.stringContaining('arcs of up to 100 URLs are left out')]);
  expect([found?.urls.length, found?.graphs[0]?.length]).toEqual([799, 299]);
});

test('a file damaged between two additions is set aside, and the next one gets the whole graph', async () => {
  const path = join(folder, 'between.db');
  const notices: string[] = [];
  const onNotice = (notice: string) => notices.push(notice);
  const file = new SqliteFile(path, { ...fileOptions, onNotice, onDamaged: 'set-aside' });
  file.add(deltaOf(pairs(400)), nowMs);
  // Another process that writes makes this one read the file again.
  databaseAt(path, 'UPDATE meta SET window = window; PRAGMA wal_checkpoint(TRUNCATE)');
  await damages['with garbage in the middle']?.(path);
  file.add(one, nowMs);
  expect(file.need).toBe('whole');
  expect(graphIn(file)).toBeNull();
  file.look();
  expect(file.need).toBe('whole');
  file.restore(deltaOf(pairs(400)), nowMs, [one]);
  file.look();
  expect(file.need).toBeNull();
  expect(arcsOf(graphIn(file), '/7')).toEqual(['/next/7 1']);
  file.close();
  expect(notices).toEqual([
    expect.stringContaining(`renamed to ${path}.damaged-1`),
    expect.stringContaining('created anew; the whole graph is written to it'),
  ]);
});

test('random bytes anywhere: it is read, or refused, or set aside, and then it can be added to', async () => {
  const seed = anySeed();
  const number = randomFrom(seed);
  const random = (below: number) => Math.floor(number() * below);
  const whole = await readFile(storedFile(join(folder, 'whole.db')));
  let aside = 0;
  for (let round = 0; round < 40; round++) {
    const bytes = Buffer.from(whole);
    // The first bytes tell whose file it is.
    for (let at = 100 + random(bytes.length - 200), n = 1 + random(40); n > 0; n--) {
      bytes[at + n] = random(256);
    }
    const path = join(folder, `random-${round}.db`);
    await writeFile(path, bytes);
    const onNotice = () => aside++;
    const options = { ...fileOptions, onNotice };
    const refusing = new SqliteFile(path, { ...options, onDamaged: 'refuse' });
    try {
      graphIn(refusing);
    } catch (error) {
      expect(error, `SEED=${seed}`).toMatchObject({ code: 'store-unreadable' });
    }
    refusing.close();
    const file = new SqliteFile(path, { ...options, onDamaged: 'set-aside' });
    graphIn(file);
    // What loading does not read may turn out to be damaged only now.
    file.add(one, nowMs);
    if (file.need === 'whole') file.restore(one, nowMs, [one]);
    expect(arcsOf(graphIn(file), '/a'), `SEED=${seed}`).toEqual(['/b 1']);
    file.close();
  }
  expect(aside).toBeGreaterThan(4);
});
