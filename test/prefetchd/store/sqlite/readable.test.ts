// The tables are read with `sqlite3` as the page says (docs/learning.md).

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { SqliteGraphStore } from '../../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { deltaOf } from '../../../support/graph-deltas.ts';

test('the query of the page shows the strongest arcs, by their URLs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'readable-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'graph.db');
  const store = new SqliteGraphStore(path);
  const weak = { from: '/b', to: '/c', count: 1 };
  await store.add(deltaOf({ graphs: [[weak, { from: '/a', to: '/b', count: 3 }]] }), Date.now());
  await store.close();
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
