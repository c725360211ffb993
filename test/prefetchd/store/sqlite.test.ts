import { chmod, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DependencyGraph } from '../../../prefetchd/model/dependency-graph.ts';
import { SqliteStore } from '../../../prefetchd/store/sqlite.ts';
import { graphStoreContract } from '../../contracts/graph-store.ts';
import { observeAll } from '../model/accesses.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'));
});
afterAll(() => rm(folder, { recursive: true }));

graphStoreContract('sqlite', (place) => new SqliteStore(join(folder, place)));

async function filled(name: string): Promise<string> {
  const path = join(folder, name);
  const store = new SqliteStore(path);
  const graph = new DependencyGraph();
  for (let i = 0; i < 400; i++) observeAll(graph, 'c', [`/${i}`, `/next/${i}`], i * 7_200_000);
  await store.save(graph);
  await store.close();
  return path;
}

const unreadable = (message: RegExp) =>
  expect.objectContaining({ code: 'store-unreadable', message: expect.stringMatching(message) });

/** It is refused, and not a byte of it changes. */
async function expectRefused(path: string, message: RegExp): Promise<void> {
  const before = await readFile(path);
  expect(() => new SqliteStore(path)).toThrow(unreadable(message));
  expect((await readFile(path)).equals(before)).toBe(true);
}

describe('a file that is not a whole store is refused and stays as it is', () => {
  test('a text', async () => {
    const path = join(folder, 'notes.txt');
    await writeFile(path, 'buy milk');
    await expectRefused(path, /notes\.txt is no prefetchd store/);
  });

  test('a database of another program, in WAL mode too', async () => {
    for (const mode of ['delete', 'wal']) {
      const path = join(folder, `foreign-${mode}.db`);
      const database = new DatabaseSync(path);
      database.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE nodes (x)`);
      await expectRefused(path, /is no prefetchd store/);
      database.close();
    }
  });

  test('a later version of the format', async () => {
    const path = await filled('later.db');
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 2');
    database.close();
    await expectRefused(path, /has version 2 of the format; this prefetchd knows 1/);
  });

  test('a file cut short', async () => {
    const path = await filled('cut.db');
    await truncate(path, 8192 + 100);
    await expectRefused(path, /cut\.db cannot be opened or read/);
  });

  test('a file with garbage in the middle', async () => {
    const path = await filled('garbage.db');
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0xa5, 4096 * 2));
    await expectRefused(path, /garbage\.db cannot be opened or read/);
  });
});

describe('where there is no room for a file', () => {
  test('a missing folder is not made', () => {
    expect(() => new SqliteStore(join(folder, 'none', 'a.db'))).toThrow(
      unreadable(/none\/a\.db cannot be opened/),
    );
  });

  test('a folder in place of the file', () => {
    expect(() => new SqliteStore(folder)).toThrow(unreadable(/cannot be opened/));
  });

  test.skipIf(process.getuid?.() === 0)('a folder that is read-only (root may write)', async () => {
    const closed = join(folder, 'closed');
    await mkdir(closed);
    await chmod(closed, 0o500);
    expect(() => new SqliteStore(join(closed, 'a.db'))).toThrow(unreadable(/cannot be opened/));
  });
});

test('who saves after another process saved is told, and the other state stays', async () => {
  const path = await filled('shared.db');
  const [one, other] = [new SqliteStore(path), new SqliteStore(path)];
  await one.load(new DependencyGraph());
  await other.load(new DependencyGraph());
  const small = new DependencyGraph();
  observeAll(small, 'c', ['/x', '/y']);
  await other.save(small);
  await expect(one.save(new DependencyGraph())).rejects.toMatchObject({ code: 'store-changed' });
  const kept = new DependencyGraph();
  await one.load(kept);
  expect([...kept.graph.nodeList()].map((node) => node.url)).toEqual(['/x', '/y']);
  await one.save(kept);
  await Promise.all([one.close(), other.close()]);
});

test('a save that fails half-way leaves what was kept', async () => {
  const path = await filled('half.db');
  const store = new SqliteStore(path);
  const broken = new DependencyGraph();
  observeAll(broken, 'c', ['/x', '/y']);
  broken.graph.arcList = () => {
    throw new Error('half-way');
  };
  await expect(store.save(broken)).rejects.toMatchObject({ code: 'store-unwritable' });
  const kept = new DependencyGraph();
  await store.load(kept);
  expect(kept.graph.nodes.size).toBe(800);
  await store.close();
});
