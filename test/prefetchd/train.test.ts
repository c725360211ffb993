// `prefetchd train` as a user meets it.

import { spawn } from 'node:child_process';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DependencyGraph } from '../../prefetchd/model/dependency-graph.ts';
import { SqliteStore } from '../../prefetchd/store/sqlite.ts';
import { runToEnd } from '../support/command.ts';

const command = fileURLToPath(new URL('../../cli/prefetchd.ts', import.meta.url));
const log = fileURLToPath(new URL('../../fixtures/logs/combined.log', import.meta.url));
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'train-'));
});
afterAll(() => rm(folder, { recursive: true }));

function train(...args: string[]) {
  return runToEnd(spawn(process.execPath, [command, 'train', ...args]));
}

async function kept(path: string, window = 4): Promise<DependencyGraph['graph']> {
  const store = new SqliteStore(path);
  const graph = new DependencyGraph({ window });
  await store.load(graph);
  await store.close();
  return graph.graph;
}

describe('prefetchd train', () => {
  it('says what it learned and what serves it; a second training adds up', async () => {
    const path = join(folder, "the site's.db");
    const first = await train(log, '--store', `sqlite:${path}`, '--window', '3');
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^learned from \d accesses \(1 lines unreadable\), w 3\n/);
    expect(first.stdout).toMatch(/the store holds \d nodes, \d arcs, \d+ KiB: .*the site's\.db\n/);
    expect(first.stdout).toMatch(
      /\nprefetchd serve --store 'sqlite:.*the site'\\''s\.db' --window 3\n$/,
    );
    const once = await kept(path, 3);
    expect(once.nodes.idOf('/__proto__')).toBeGreaterThanOrEqual(0);
    expect(once.weight('/', '/style.css')).toBeGreaterThan(0);

    // Without --window the store's.
    const second = await train(log, '--store', `sqlite:${path}`);
    expect(second.stdout).toContain(', w 3\n');
    const accesses = (graph: DependencyGraph['graph']) =>
      new Map([...graph.nodeList()].map((node) => [node.url, node.accesses]));
    const twice = accesses(await kept(path, 3));
    for (const [url, times] of accesses(once)) expect(twice.get(url)).toBe(2 * times);
  });

  it('never hints a document with a query, which may log out or buy (normalise-url.ts)', async () => {
    const path = join(folder, 'query.db');
    const visits = join(folder, 'query.log');
    const line = (seconds: number, url: string) =>
      `10.0.0.1 - - [01/Jan/2024:00:00:0${seconds} +0000] "GET ${url} HTTP/1.1" 200 9\n`;
    await writeFile(visits, line(1, '/a') + line(2, '/out?now=1') + line(3, '/b'));
    await train(visits, '--store', `sqlite:${path}`);
    const graph = await kept(path);
    expect([graph.weight('/a', '/out?now=1'), graph.weight('/a', '/b')]).toEqual([0, 1]);
  });

  it('leaves bots out, unless --no-filter', async () => {
    const [path, all] = [join(folder, 'people.db'), join(folder, 'all.db')];
    await train(log, '--store', `sqlite:${path}`);
    await train(log, '--store', `sqlite:${all}`, '--no-filter');
    const home = async (path: string) =>
      [...(await kept(path)).nodeList()].find((node) => node.url === '/')?.accesses ?? 0;
    expect(await home(all)).toBeGreaterThan(await home(path));
  });

  it('bad usage is 2 and makes no file', async () => {
    const path = join(folder, 'never.db');
    expect(await train(log)).toMatchObject({ code: 2 });
    for (const [args, said] of [
      [['--store', 'redis://localhost'], 'redis is not supported yet'],
      [['--store', 'memory'], 'memory is gone when the command ends'],
      [['--store', `sqlite:${path}`, '--window', '1'], 'window must be a whole number from 2'],
    ] as const) {
      const { code, stderr, stdout } = await train(log, ...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(said);
    }
    await expect(access(path)).rejects.toThrow();
  });

  it('a store or a log that cannot be read is 1, and the store stays as it was', async () => {
    const path = join(folder, 'kept.db');
    await train(log, '--store', `sqlite:${path}`);
    const before = [...(await kept(path)).arcList()];
    const missing = await train(join(folder, 'no.log'), '--store', `sqlite:${path}`);
    expect(missing.code).toBe(1);
    const foreign = await train(log, '--store', `sqlite:${log}`);
    expect(foreign).toMatchObject({ code: 1, stdout: '' });
    expect(foreign.stderr).toMatch(/combined\.log is no prefetchd store/);
    expect([...(await kept(path)).arcList()]).toEqual(before);
  });
});
