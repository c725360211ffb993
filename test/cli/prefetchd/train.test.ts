// `prefetchd train` as a user meets it.

import { spawn } from 'node:child_process';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { createGraphStore, createPrefetchd, type Prefetchd } from '../../../prefetchd/index.ts';
import { GraphExport } from '../../../prefetchd/model/graph-export.ts';
import { DoubleGraph } from '../../../prefetchd/model/predictors/double-graph.ts';
import { SqliteGraphStore } from '../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { learnedArcs, learnedNodes } from '../../prefetchd/model/learned.ts';
import { runToEnd } from '../../support/command.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { loaded } from '../../support/graph-deltas.ts';
import { servingPrefetchd } from '../../support/prefetchd-command.ts';

const command = fileURLToPath(new URL('../../../cli/prefetchd.ts', import.meta.url));
const log = fileURLToPath(new URL('../../../fixtures/logs/combined.log', import.meta.url));
const folder = folderOfTests();
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';

function train(...args: string[]) {
  return runToEnd(spawn(process.execPath, [command, 'train', ...args]));
}

/** A visit in Common Log Format, by the visitor of this number. */
const line = (client: number, seconds: number, url: string, site = '', agent = '') =>
  `${site}192.0.2.${client} - - [01/Jan/2024:00:0${client}:0${seconds} +0000] "GET ${url} HTTP/1.1" 200 9${agent}\n`;

/** Trains a store of this name by these lines. */
async function learn(name: string, lines: readonly string[], ...flags: string[]) {
  const [path, visits] = [join(folder, `${name}.db`), join(folder, `${name}.log`)];
  await writeFile(visits, lines.join(''));
  return { path, visits, ...(await train(visits, '--store', `sqlite:${path}`, ...flags)) };
}
const urlsOf = (predictor: DoubleGraph) => learnedNodes(predictor).map(({ url }) => url);

async function kept(path: string, window = 4): Promise<DoubleGraph> {
  const store = new SqliteGraphStore(path);
  const predictor = new DoubleGraph({ window });
  const delta = await loaded(store, Date.now());
  await store.close();
  expect(delta?.window).toBe(window);
  if (delta !== null) new GraphExport(predictor).add(delta, 1);
  return predictor;
}

describe('prefetchd train', () => {
  it('says what it learned and what serves it; a second training adds up', async () => {
    const path = join(folder, "the site's.db");
    const first = await train(log, '--store', `sqlite:${path}`, '--window', '3');
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('combined.log:4: no [time]');
    expect(first.stdout).toMatch(
      /\nlearned from \d accesses \(left out: .*unreadable 1.*\), w 3: \d URLs, \d arcs\n/,
    );
    expect(first.stdout).toMatch(/\nthey are in sqlite:.*the site's\.db\n/);
    expect(first.stdout).toMatch(
      /\nnpm run -s prefetchd -- serve --store 'sqlite:.*the site'\\''s\.db' --window 3\n$/,
    );
    const once = await kept(path, 3);
    const { nodes, graphs } = once.tables;
    expect(nodes.find('/__proto__')).toBeDefined();
    expect(graphs[1]?.weight('/', '/style.css')).toBeGreaterThan(0);

    // Without --window the store's.
    const second = await train(log, '--store', `sqlite:${path}`);
    expect(second.stdout).toContain(', w 3:');
    const accesses = (predictor: DoubleGraph) =>
      new Map(learnedNodes(predictor).map((node) => [node.url, node.accesses]));
    const twice = accesses(await kept(path, 3));
    for (const [url, times] of accesses(once)) expect(twice.get(url)).toBeCloseTo(2 * times, 3);
  });

  it('never learns a document with a query, nor one that logs out (name-rule.ts)', async () => {
    const urls = ['/a', '/out?now=1', '/logout', '/b'];
    const lines = urls.map((url, at) => line(1, at, url));
    const { path, stdout } = await learn('query', lines);
    expect(stdout).toContain('(left out: query 1, denied 1)');
    const predictor = await kept(path);
    expect(urlsOf(predictor).sort()).toEqual(['/a', '/b']);
    expect(predictor.tables.graphs[0]?.weight('/a', '/b')).toBeCloseTo(1, 9);
  });

  it('keeps of clients only how many went along an arc', async () => {
    const lines = [1, 2, 3].map((client) => line(client, 1, '/a') + line(client, 2, '/b'));
    const { path } = await learn('clients', lines);
    const store = new SqliteGraphStore(path);
    const arcs = [...((await loaded(store, Date.now()))?.graphs[0] ?? [])];
    await store.close();
    // Of both pages, and between them.
    const seen = arcs.map((arc) => arc.seen);
    // With one salt in 341, two of the three have the same fingerprint.
    expect([seen.length, new Set(seen).size, Math.abs((seen[0] ?? 0) - 2.5)]).toEqual([3, 1, 0.5]);
    expect(arcs.flatMap(({ clients }) => clients)).toEqual([]);
  });

  it('knows which pages came next, as whoever saw the same visits', async () => {
    const pages = ['/', '/2', '/3', '/4'];
    const linesOf = (client: number) => pages.map((url, at) => line(client, at, url));
    const { path } = await learn('ahead', [1, 2, 3].flatMap(linesOf));
    const options = { load: () => 0, ...withConstants({ requireObjects: false }) };
    await using trained = createPrefetchd({
      ...options,
      store: await createGraphStore(`sqlite:${path}`),
    });
    await using live = createPrefetchd(options);
    await trained.ready;
    const see = (prefetchd: Prefetchd, client: number) => {
      for (const url of pages) {
        prefetchd.observe({
          ...{ client: `192.0.2.${client}`, url, timeMs: Date.now(), kind: 'document' },
          ...{ status: 200, bytes: 9, prefetch: false, freshMs: 0 },
        });
      }
    };
    for (const client of [1, 2, 3]) see(live, client);
    // A log does not tell lifetimes.
    see(trained, 4);
    for (const [at, url] of pages.entries()) {
      const hinted = [trained, live].map((one) => one.hints({ url }).map((hint) => hint.url));
      expect(hinted).toEqual([pages.slice(at + 1, at + 2), pages.slice(at + 1, at + 2)]);
    }
  });

  describe('a log that names the site of each line', () => {
    const agent = ` "-" "${userAgent}"`;
    const visits = (site: string) =>
      [1, 2, 3].flatMap((client) =>
        [1, 2].map((at) => line(client, at, at === 1 ? '/a' : '/b', `${site}:443 `, agent)),
      );

    it('of one site is learned as the log of this site, by paths', async () => {
      const { path, code } = await learn('vhost', visits('www.example.com'), '--no-filter');
      expect(code).toBe(0);
      const urls = urlsOf(await kept(path));
      expect(urls).toEqual(expect.arrayContaining(['/a', '/b']));
      expect(urls.join()).not.toMatch(/example\.com\//);
      const served = ['serve', '--port', '0', '--store', `sqlite:${path}`, '--window', '4'];
      await using service = await servingPrefetchd(folder, served);
      const answer = await fetch(`${service.url}/v1/hints?url=/a`);
      expect(await answer.json()).toMatchObject({ hints: [{ url: '/b' }] });
    });

    it('of several is refused with their names, unless --host says which', async () => {
      const both = [...visits('www.example.com'), ...visits('b.example')];
      const { path, visits: log, ...refused } = await learn('vhosts', both, '--no-filter');
      expect(refused).toMatchObject({ code: 2 });
      expect(refused.stderr).toContain(
        'several sites: example.com (6 lines), b.example (6 lines). Give --host NAME for one, or --host each',
      );
      await train(log, '--store', `sqlite:${path}`, '--no-filter', '--host', 'b.example');
      expect(urlsOf(await kept(path)).sort()).toEqual(['/a', '/b']);
    });
  });

  it('a store learned with another w or predictor is refused, and stays as it was', async () => {
    const path = join(folder, 'window.db');
    await train(log, '--store', `sqlite:${path}`, '--window', '3');
    for (const flags of [
      ['--window', '5'],
      ['--predictor', 'dependency-graph'],
    ]) {
      const { code, stderr } = await train(log, '--store', `sqlite:${path}`, ...flags);
      expect(code).toBe(2);
      expect(stderr).toMatch(/learned by double-graph with w 3, not by .*do not add up/);
    }
    await kept(path, 3);
  });

  it('leaves bots out, unless --no-filter', async () => {
    const [path, all] = [join(folder, 'people.db'), join(folder, 'all.db')];
    await train(log, '--store', `sqlite:${path}`);
    await train(log, '--store', `sqlite:${all}`, '--no-filter');
    const home = async (path: string) =>
      learnedNodes(await kept(path)).find((node) => node.url === '/')?.accesses ?? 0;
    expect(await home(all)).toBeGreaterThan(await home(path));
  });

  it('bad usage is 2 and makes no file', async () => {
    const path = join(folder, 'never.db');
    expect(await train(log)).toMatchObject({ code: 2 });
    for (const [args, said] of [
      [['--store', 'redis:nowhere'], 'store must be memory, sqlite:FILE or redis://'],
      [['--store', 'memory'], 'memory is gone when the command ends'],
      [
        ['--store', `sqlite:${path}`, '--window', '1'],
        "'1' is invalid. It must be a whole number from 2",
      ],
    ] as const) {
      const { code, stderr, stdout } = await train(log, ...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(said);
    }
    await expect(access(path)).rejects.toThrow();
  });

  it('takes a salt that is over out of the store, and leaves the present one', async () => {
    const path = join(folder, 'salt.db');
    const lifeMs = 30 * 24 * 60 * 60 * 1000;
    const saltAfterTraining = async (atMs: number) => {
      const store = new SqliteGraphStore(path);
      const { bytes } = await store.salt(atMs, lifeMs);
      await store.close();
      expect((await train(log, '--store', `sqlite:${path}`)).code).toBe(0);
      return (await readFile(path)).includes(Buffer.from(bytes));
    };
    expect(await saltAfterTraining(Date.now() - 2 * lifeMs)).toBe(false);
    expect(await saltAfterTraining(Date.now())).toBe(true);
  });

  it('a store or a log that cannot be read is 1, and the store stays as it was', async () => {
    const path = join(folder, 'kept.db');
    await train(log, '--store', `sqlite:${path}`);
    const before = learnedArcs(await kept(path));
    const missing = await train(join(folder, 'no.log'), '--store', `sqlite:${path}`);
    expect(missing.code).toBe(1);
    const foreign = await train(log, '--store', `sqlite:${log}`);
    expect(foreign).toMatchObject({ code: 1, stdout: '' });
    expect(foreign.stderr).toMatch(/combined\.log cannot be read: it is not a prefetchd store/);
    expect(learnedArcs(await kept(path))).toEqual(before);
  });
});
