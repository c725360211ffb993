// Who may read an SQLite store, its owner unless the owner said otherwise, and how with `sqlite3` (docs/learning.md).

import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { SqliteGraphStore } from '../../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { folderOfTests } from '../../../support/folder-of-tests.ts';
import { deltaOf } from '../../../support/graph-deltas.ts';

const folder = folderOfTests();

async function storedAt(path: string): Promise<SqliteGraphStore> {
  const store = new SqliteGraphStore(path);
  const weak = { from: '/b', to: '/c', count: 1 };
  await store.add(deltaOf({ graphs: [[weak, { from: '/a', to: '/b', count: 3 }]] }), Date.now());
  return store;
}

test('the query of the page shows the strongest arcs, by their URLs', async () => {
  const path = join(folder, 'graph.db');
  await (await storedAt(path)).close();
  const page = await readFile(new URL('../../../../docs/learning.md', import.meta.url), 'utf8');
  const [, query = ''] = /sqlite3 graph\.db "([^"]+)"/.exec(page) ?? [];
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare(query).all();
  database.close();
  expect(rows.map((row) => Object.values(row))).toEqual([
    ['/a', '/b', 3],
    ['/b', '/c', 1],
  ]);
});

test.skipIf(process.platform === 'win32').each([
  ['a new file, and what is beside it, is its owner’s', null, '600'],
  ['a file that is there keeps its mode', 0o640, '640'],
])('%s', async (_, before, after) => {
  const path = join(folder, `mode-${after}.db`);
  if (before !== null) {
    await writeFile(path, '');
    await chmod(path, before);
  }
  const store = await storedAt(path);
  const found = await Promise.all(['', '-wal', '-shm'].map((end) => stat(path + end)));
  expect(found.map(({ mode }) => (mode & 0o777).toString(8))).toEqual([after, after, after]);
  await store.close();
});
