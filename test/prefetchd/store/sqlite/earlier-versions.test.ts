// A file that an earlier version wrote (version-2.db) is converted when it is opened.

import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { SqliteGraphStore } from '../../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { folderOfTest } from '../../../support/folder-of-tests.ts';
import { arcsOf, contentOf, deltaOf, loaded } from '../../../support/graph-deltas.ts';

const dayMs = 24 * 60 * 60 * 1000;
const nowMs = Date.UTC(2026, 0, 1);

test('a file of version 2 is converted, whoever opens it first, with all that it held, and goes on', async () => {
  const path = join(folderOfTest(), 'store.db');
  await copyFile(new URL('./version-2.db', import.meta.url), path);
  const open = () => new SqliteGraphStore(path, { halfLifeMs: dayMs });
  const [store, other] = [open(), open()];
  for (const found of await Promise.all([store, other].map((one) => loaded(one, nowMs)))) {
    expect(found).toMatchObject({ predictor: 'double', window: 7, era: 3946636034 });
    const urls = found?.urls.map(({ url, kind, accesses }) => `${url} ${kind} ${accesses}`);
    expect(urls?.join()).toBe(`/ 0 7.5,/old 0 0,/a.gif 1 ${1 / 3},/news 0 0,/é?v=3 0 0,/live 2 1`);
    expect(contentOf(found).graphs).toEqual([
      new Map([
        [
          '/',
          [
            { to: '/news', count: 4, clients: [7, 1023, 3], seen: 8 },
            { to: '/é?v=3', count: 1.5, clients: [9], seen: 2 },
            { to: '/old', count: 1, clients: [], seen: 6 },
          ],
        ],
      ]),
      new Map([
        ['/', [{ to: '/a.gif', count: 5, clients: [3], seen: 10 }]],
        ['/news', [{ to: '/a.gif', count: 5, clients: [], seen: 0 }]],
      ]),
    ]);
  }
  expect(await store.salt(nowMs, 30 * dayMs)).toMatchObject({ era: 3946636034, madeMs: nowMs });
  const graphs = [[{ from: '/', to: '/old', count: 4 }], []];
  await store.add(deltaOf({ predictor: 'double', graphs }), nowMs + dayMs);
  const later = arcsOf(await loaded(store, nowMs + dayMs), '/');
  expect(later).toEqual(['/old 4.5', '/news 2', '/é?v=3 0.75']);
  await Promise.all([store.close(), other.close()]);
  const database = new DatabaseSync(path);
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 4 });
  const names = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  expect(names.map(({ name }) => name).toSorted()).toEqual(['arc', 'import', 'meta', 'url']);
  database.close();
});
