// What of visitors goes from an SQLite store when its day is over: the salt, and all fingerprints, also those of ways
// that nobody goes any more.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SqliteFile } from '../../../../prefetchd/store/sqlite/graph-file.ts';
import { folderOfTests } from '../../../support/folder-of-tests.ts';
import { contentOf, deltaOf } from '../../../support/graph-deltas.ts';
import { anySeed, randomFrom } from '../../../support/random.ts';
import { fileOptions, graphIn, nowMs } from '../../../support/stored-file.ts';

const dayMs = 24 * 60 * 60 * 1000;
const folder = folderOfTests();
let files = 0;

const newPath = () => join(folder, `${++files}.db`);

function fileAt(path: string, options: Partial<typeof fileOptions> = {}): SqliteFile {
  const file = new SqliteFile(path, { ...fileOptions, ...options, onDamaged: 'refuse' });
  onTestFinished(() => file.close());
  return file;
}

/** From each of so many URLs a way, by three clients each. */
const ways = (era: number, count: number) =>
  deltaOf({
    era,
    graphs: [
      Array.from({ length: count }, (_, n) => ({
        from: `/${n}`,
        to: `/to/${n}`,
        count: 1 + n,
        clients: [1, 2, 3].map((print) => print + (n % 1000)),
      })),
    ],
  });

/** The fingerprints of a way that `ways` makes, as they stand in the file. */
const prints = Buffer.from('201,202,203');

/** The file or its log has these bytes. */
async function isOnDisk(path: string, mark: Uint8Array): Promise<boolean> {
  const there = [path, `${path}-wal`].filter((file) => existsSync(file));
  const contents = await Promise.all(there.map((file) => readFile(file)));
  return contents.some((content) => content.includes(Buffer.from(mark)));
}

test('a salt that is over stands nowhere in the file or its log any more', async () => {
  const path = newPath();
  const [file, other] = [fileAt(path), fileAt(path)];
  const old = file.salt(nowMs, 1000);
  other.add(deltaOf({ nodes: { '/': { accesses: 1 } } }), nowMs);
  expect(await isOnDisk(path, old.bytes)).toBe(true);
  const next = other.salt(nowMs + 1000, 1000);
  expect(await isOnDisk(path, old.bytes)).toBe(false);
  expect(await isOnDisk(path, next.bytes)).toBe(true);
});

describe('when an era has ended, its fingerprints', () => {
  test('go with what came late, after the next salt was made and the others went', async () => {
    const path = newPath();
    const file = fileAt(path);
    const { era } = file.salt(nowMs, dayMs);
    file.salt(nowMs + dayMs, dayMs);
    file.add(ways(era, 300), nowMs + dayMs);
    expect(await isOnDisk(path, prints)).toBe(false);
    expect(contentOf(graphIn(file, nowMs + dayMs)).graphs[0]?.get('/1')).toMatchObject([
      { clients: [], seen: 3 },
    ]);
  });

  test('stay while another process reads, and nothing waits for it', async () => {
    const path = newPath();
    const file = fileAt(path, { busyTimeoutMs: 60_000 });
    const { era } = file.salt(nowMs, dayMs);
    file.add(ways(era, 300), nowMs);
    const other = new DatabaseSync(path);
    other.exec('BEGIN; SELECT count(*) FROM arc');
    file.salt(nowMs + dayMs, dayMs);
    file.add(deltaOf({ nodes: { '/0': { accesses: 1 } } }), nowMs + dayMs);
    expect(await isOnDisk(path, prints)).toBe(true);
    other.exec('COMMIT');
    file.look();
    expect(await isOnDisk(path, prints)).toBe(false);
    other.close();
  });

  test('are all that goes, whatever is added and pruned meanwhile', async () => {
    const seed = anySeed();
    const random = randomFrom(seed);
    const below = (end: number) => Math.floor(end * random());
    const path = newPath();
    const file = fileAt(path, { maxNodes: 700, maxArcs: 900 });
    const printsOf = (day: number) => [500 + day, 600 + day];
    const isThere = (day: number) => isOnDisk(path, Buffer.from(printsOf(day).join()));
    for (let day = 0; day < 12; day++) {
      const { era } = file.salt(nowMs + day * dayMs, dayMs);
      for (let turn = 0; turn < 4; turn++) {
        const arcs = Array.from({ length: 60 }, () => ({
          from: `/${below(3000)}`,
          to: `/${below(3000)}`,
          count: 1 + random(),
          clients: [...printsOf(day), ...new Set([1 + below(9), 1 + below(9)])],
        }));
        file.add(deltaOf({ era, graphs: [arcs] }), nowMs);
      }
      expect(await isThere(day - 1), `SEED=${seed}`).toBe(false);
      expect(await isThere(day)).toBe(true);
    }
  });
});

test('what another process deleted and could not remove from the file goes with the next call', async () => {
  const path = newPath();
  const file = fileAt(path);
  file.add(ways(0, 400), nowMs);
  graphIn(file);
  const other = new DatabaseSync(path);
  other.exec(`
    PRAGMA secure_delete = OFF;
    DELETE FROM url WHERE url = '/to/399';
    DELETE FROM arc WHERE target NOT IN (SELECT id FROM url);
    UPDATE meta SET forgetting = 'now';
    PRAGMA wal_checkpoint(TRUNCATE)`);
  other.close();
  expect((await readFile(path)).includes('/to/399')).toBe(true);
  file.look();
  expect(file.need).toBe('forget');
  expect((await readFile(path)).includes('/to/399')).toBe(false);
});
