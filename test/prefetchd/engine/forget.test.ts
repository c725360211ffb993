// `prefetchd forget` as an owner meets it who has to erase something.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type GraphStore, isForgotten } from '../../../prefetchd/store/graph-store.ts';
import { RedisStore } from '../../../prefetchd/store/redis/redis-store.ts';
import { SqliteGraphStore } from '../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { runToEnd } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { contentOf, deltaOf, loaded } from '../../support/graph-deltas.ts';
import { servingPrefetchd } from '../../support/prefetchd-command.ts';
import { RedisServer, whyNoRedis } from '../../support/redis.ts';
import { step, TestNode, totals } from '../../support/redis-nodes.ts';
import { access, ask, hintedUrls } from '../service/ask.ts';

const command = fileURLToPath(new URL('../../../cli/prefetchd.ts', import.meta.url));
const nowMs = Date.now();
const folder = folderOfTests();

const forget = (...args: string[]) =>
  runToEnd(spawn(process.execPath, [command, 'forget', ...args], { cwd: folder }));

/** Pages of Jane among 600 others, some in the midst of ways. */
const site = deltaOf({
  nodes: { '/users/jane': { accesses: 3 }, '/users/janet': { accesses: 2 } },
  graphs: [
    [
      { from: '/', to: '/users/jane', count: 5 },
      { from: '/', to: '/users/janet', count: 4 },
      { from: '/users/jane', to: '/users/jane/photo%20album', count: 3 },
      { from: '/users/jane/photo%20album', to: '/', count: 2 },
      { from: '/users/jane?page=2', to: '/news', count: 1 },
      ...Array.from({ length: 600 }, (_, n) => ({ from: `/${n}`, to: `/${n + 1}`, count: 1 })),
    ],
  ],
});

async function expectForgotten(store: GraphStore): Promise<void> {
  const [before, after] = [contentOf(site), contentOf(await loaded(store, nowMs))];
  const isJane = (url: string) => /^\/users\/jane(?!t)/.test(url);
  expect([...after.nodes.keys()].toSorted()).toEqual(
    [...before.nodes.keys()].filter((url) => !isJane(url)).toSorted(),
  );
  const ways = (graph: (typeof after.graphs)[number] | undefined) =>
    [...(graph ?? [])]
      .flatMap(([from, arcs]) => arcs.map(({ to, count }) => ({ from, to, count })))
      .filter(({ from, to }) => !isJane(from) && !isJane(to))
      .map(({ from, to, count }) => `${from} > ${to} ${count}`);
  expect(ways(after.graphs[0]).toSorted()).toEqual(ways(before.graphs[0]).toSorted());
  expect(after.graphs[0]?.get('/')).toHaveLength(1);
}

it('means itself and all below it', () => {
  const under = (forgotten: string) =>
    ['/a', '/a/b', '/a?c', '/ab', '/', 'https://h/a'].filter((url) => isForgotten(url, forgotten));
  expect(under('/a')).toEqual(['/a', '/a/b', '/a?c']);
  expect(under('/a/')).toEqual(['/a/b']);
  expect(under('/a?c')).toEqual(['/a?c']);
  expect(under('/')).toEqual(['/a', '/a/b', '/a?c', '/ab', '/']);
});

describe('an SQLite store', () => {
  it('has nothing of it any more, not in a byte of the file, and adds on', async () => {
    const path = join(folder, 'site.db');
    const store = new SqliteGraphStore(path);
    await store.add(site, nowMs);
    await store.close();
    expect((await readFile(path)).includes('photo%20album')).toBe(true);
    const done = await forget('/users/jane', '--store', 'sqlite:site.db');
    const stdout = '3 URLs forgotten, with the ways from and to them\n';
    expect(done).toEqual({ code: 0, stdout, stderr: '' });
    expect((await readFile(path)).includes('photo%20album')).toBe(false);
    expect((await readFile(path)).includes('/users/jane?')).toBe(false);
    const again = new SqliteGraphStore(path);
    onTestFinished(() => again.close());
    await expectForgotten(again);
    await again.add(step('/', '/users/janet', 1), nowMs);
    expect(totals(await loaded(again, nowMs))['0 / /users/janet']).toBe(5);
  });

  it('is found however it is written: normalised as the service does', async () => {
    const path = join(folder, 'spelled.db');
    const store = new SqliteGraphStore(path);
    await store.add(step('/users/jane?page=2', '/caf%C3%A9', 1), nowMs);
    await store.close();
    for (const given of ['https://Site.example:443/x/../users/j%61ne?page=2#top', '/café']) {
      const { code, stderr } = await forget(
        given,
        ...['--store', `sqlite:${path}`, '--origin', 'https://site.example'],
      );
      expect([code, stderr]).toEqual([0, '']);
    }
  });

  it('is forgotten by a service that runs on it, also after its end', async () => {
    const path = join(folder, 'served.db');
    const teach = (base: string, ...urls: string[]) =>
      ask(base, '/v1/accesses', { method: 'POST', body: urls.map((url) => access('one x', url)) });
    {
      await using service = await servingPrefetchd(folder, [
        ...['serve', '--port', '0', '--min-clients', '1', '--store', `sqlite:${path}`],
        ...['--flush-interval', '100ms'],
      ]);
      const { url } = service;
      await teach(url, '/home', '/users/jane', '/news');
      await eventually(
        async () => (await hintedUrls(url, '/home')).includes('/users/jane'),
        'a hint',
      );
      const isStored = async () =>
        (await forget('/users/jane', '--store', `sqlite:${path}`)).code === 0;
      await eventually(isStored, 'the URL in the store');
      await service.logged(/URLs were deleted from sqlite:.*served\.db/);
      await eventually(
        async () => String(await hintedUrls(url, '/home')) === '/news',
        'its neighbour',
      );
      await teach(url, '/home', '/contact');
      await eventually(async () => (await hintedUrls(url, '/home')).includes('/contact'), 'more');
    }
    const store = new SqliteGraphStore(path);
    onTestFinished(() => store.close());
    const kept = totals(await loaded(store, Date.now()));
    expect(Object.keys(kept).filter((name) => name.includes('jane'))).toEqual([]);
    expect(Object.keys(kept)).toContain('0 /home /contact');
    expect((await readFile(path)).includes('jane')).toBe(false);
  });

  it.each([
    ['/nobody', 'sqlite:other.db', 1, /sqlite:.*other\.db has no \/nobody\n/],
    ['https://site.example/a', 'sqlite:other.db', 1, /no https:.*: give its --origin, or the path/],
    ['/users/jane', 'sqlite:absent.db', 1, /there is no .*absent\.db\n/],
    ['users', 'sqlite:other.db', 2, /users is no path and no http or https URL\n/],
    ['/users', 'memory', 2, /--store must be sqlite:FILE or redis:/],
  ])('%s of %s: exit code %i, and says why', async (url, store, code, why) => {
    const other = new SqliteGraphStore(join(folder, 'other.db'));
    await other.add(step('/a', '/b', 1), nowMs);
    await other.close();
    const told = await forget(url, '--store', store);
    expect(told).toEqual({ code, stdout: '', stderr: expect.stringMatching(why) });
    expect(existsSync(join(folder, 'absent.db'))).toBe(false);
  });
});

describe.skipIf(whyNoRedis !== '')(`Redis ${whyNoRedis}`, () => {
  it('has nothing of it any more, and a node that runs forgets as well', async () => {
    await using server = await RedisServer.start();
    const node = await TestNode.start(new RedisStore(server.url()), nowMs);
    onTestFinished(() => node.store.close());
    await node.learn(site, nowMs);
    expect((await forget('/users/jane', '--store', server.url())).code).toBe(0);
    await expectForgotten(node.store);
    const all = await server.admin.zrange('{test}:url', 0, '-1');
    expect(all.filter((url) => url.includes('jane'))).toEqual(['/users/janet']);
    const rows = Object.entries(await server.admin.hgetall('{test}:seen:0')).flat();
    const keys = [...(await server.admin.keys('*')), ...rows];
    expect(keys.filter((text) => /jane(?!t)/.test(text))).toEqual([]);
    expect(await server.admin.exists('{test}:news')).toBe(0);
    const [other, nothing] = [new RedisStore(server.url()), deltaOf({ graphs: [[]] })];
    onTestFinished(() => other.close());
    const running = await TestNode.start(other, nowMs);
    await running.learn(step('/x', '/y', 1), nowMs);
    expect((await forget('/x', '--store', server.url())).code).toBe(0);
    for (let n = 0; n < 2; n++) await running.learn(nothing, nowMs);
    expect(totals(...running.model)['0 /x /y']).toBeUndefined();
    expect(totals(...running.model)['0 /5 /6']).toBe(1);
    await running.learn(step('/5', '/6', 1), nowMs);
    await running.learn(nothing, nowMs);
    expect(totals(...running.model)['0 /5 /6']).toBe(2);
  });
});
