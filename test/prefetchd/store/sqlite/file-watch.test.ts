// The file is deleted or replaced under a running engine: what the engine knows is in the new one in the end, once.

import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createPrefetchd, type Prefetchd } from '../../../../prefetchd/engine/prefetchd.ts';
import { SqliteGraphStore } from '../../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { folderOfTests } from '../../../support/folder-of-tests.ts';
import { contentOf, loaded } from '../../../support/graph-deltas.ts';
import { nowMs } from '../../../support/stored-file.ts';
import { tellingLog } from '../../../support/telling-log.ts';

const folder = folderOfTests();

async function engineOn(path: string, minClients = 1) {
  const notices: string[] = [];
  const prefetchd = createPrefetchd({
    store: new SqliteGraphStore(path, { onNotice: (notice) => notices.push(notice) }),
    minClients,
    halfLifeMs: null,
    flushIntervalMs: 60 * 60 * 1000, // never: the test flushes
    now: () => nowMs,
    load: () => 0,
    log: tellingLog((message) => notices.push(message)),
  });
  onTestFinished(() => prefetchd.close());
  await prefetchd.ready;
  return { prefetchd, notices };
}

function walk(prefetchd: Prefetchd, client: string, ...urls: string[]): void {
  for (const url of urls) {
    const access = { client, url, timeMs: nowMs, kind: 'document', status: 200 } as const;
    expect(prefetchd.observe({ ...access, bytes: 0, prefetch: false })).toBeNull();
  }
}

async function remove(path: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await rm(path + end, { force: true });
}

/** `/a > /b 2` */
async function keptIn(path: string): Promise<string[]> {
  const store = new SqliteGraphStore(path);
  const { graphs } = contentOf(await loaded(store, nowMs));
  await store.close();
  const rows = [...(graphs[0] ?? [])].flatMap(([from, arcs]) =>
    arcs.map(({ to, count }) => `${from} > ${to} ${count}`),
  );
  return rows.sort();
}

test.each([
  ['though nothing is learned', 0],
  ['with what was learned meanwhile, once', 2],
])('deleted: the new file gets the whole graph, %s', async (_, more) => {
  const path = join(folder, `deleted-${more}.db`);
  const { prefetchd, notices } = await engineOn(path);
  walk(prefetchd, 'one', '/a', '/b');
  await prefetchd.flush();
  for (let time = 0; time < 2; time++) {
    await remove(path);
    for (let n = 0; n < more; n++) walk(prefetchd, `${time} ${n}`, '/a', '/b');
    await prefetchd.flush();
    expect(await keptIn(path)).toEqual([`/a > /b ${1 + more * (time + 1)}`]);
  }
  const anew = expect.stringMatching(/deleted-.\.db was created anew; the whole graph is written/);
  expect(notices).toEqual([anew, anew]);
  walk(prefetchd, 'two', '/a', '/c');
  await prefetchd.flush();
  expect(await keptIn(path)).toContain('/a > /c 1');
});

test('deleted: the salt goes with the graph, so clients of before are known again', async () => {
  const path = join(folder, 'salt.db');
  const { prefetchd } = await engineOn(path, 2);
  walk(prefetchd, '192.0.2.1', '/a', '/b');
  await prefetchd.flush();
  await remove(path);
  await prefetchd.close();
  const { prefetchd: next } = await engineOn(path, 2);
  walk(next, '192.0.2.1', '/a', '/b');
  expect(next.hints({ url: '/a' })).toEqual([]); // one client
  walk(next, '192.0.2.7', '/a', '/b');
  walk(next, '192.0.2.8', '/a', '/b');
  expect(next.hints({ url: '/a' })).toHaveLength(1);
});

test('deleted under two that share it: one gives the whole, the other what is news', async () => {
  const path = join(folder, 'shared.db');
  const before = await engineOn(path);
  walk(before.prefetchd, 'one', '/a', '/b');
  await before.prefetchd.close();
  const [one, other] = [await engineOn(path), await engineOn(path)];
  await remove(path);
  walk(other.prefetchd, 'two', '/a', '/c');
  for (const { prefetchd } of [one, other]) await prefetchd.flush();
  expect(await keptIn(path)).toEqual(['/a > /b 1', '/a > /c 1']);
});

test('replaced by one with a graph: that stays, and what is learned from then on is added', async () => {
  const path = join(folder, 'replaced.db');
  const trained = join(folder, 'trained.db');
  const other = await engineOn(trained);
  walk(other.prefetchd, 'one', '/x', '/y');
  await other.prefetchd.close();
  const { prefetchd } = await engineOn(path);
  walk(prefetchd, 'one', '/a', '/b');
  await prefetchd.flush();
  await remove(path);
  await rename(trained, path);
  walk(prefetchd, 'two', '/c', '/d');
  await prefetchd.flush();
  expect(await keptIn(path)).toEqual(['/c > /d 1', '/x > /y 1']);
});
