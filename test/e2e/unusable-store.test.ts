// A store that cannot be used, of whatever kind and for whatever reason, keeps no site down: `proxy`, `serve` and
// hints() start, hint from memory, say so once, and use the store when it can be.

import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it } from 'vitest';
import { createGraphStore } from '../../prefetchd/index.ts';
import { hints } from '../../server/index.ts';
import { access, ask } from '../prefetchd/service/ask.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTest } from '../support/folder-of-tests.ts';
import { servingPrefetchd } from '../support/prefetchd-command.ts';
import { tellingLog } from '../support/telling-log.ts';
import { visit } from '../support/visit.ts';
import { startApp } from './nginx-set-up.ts';
import { proxying } from './proxying.ts';

let folder: string;
beforeEach(() => {
  folder = folderOfTest();
});

const unusable: Record<string, (path: string) => Promise<unknown> | undefined> = {
  'its folder is missing': () => undefined,
  'it is a folder': (path) => mkdir(path, { recursive: true }),
  'it is no database': async (path) => {
    await mkdir(dirname(path));
    await writeFile(path, 'no database at all, but long enough to look like one'.repeat(40));
  },
  'it is the database of another program': async (path) => {
    await mkdir(dirname(path));
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE orders (id INTEGER); INSERT INTO orders VALUES (1)');
    other.close();
  },
};

const stored = () => join(folder, 'data', 'site.db');

async function started(command: string, site: string) {
  const args = ['--store', `sqlite:${stored()}`, '--min-clients', '1', '--threshold', '0.1'];
  if (command === 'serve') {
    const service = await servingPrefetchd(folder, ['serve', '--port', '0', ...args]);
    return Object.assign(service, { admin: service.url });
  }
  return proxying(folder, site, args);
}

/** Resolves when a page leads to another. */
const hinted = (admin: string, from: string, to: string) =>
  eventually(async () => (await ask(admin, `/v1/hints?url=${from}`)).json.hints[0]?.url === to);

const kinds = Object.keys(unusable);

it.each(['proxy', 'serve'].flatMap((command) => kinds.map((kind) => [command, kind] as const)))(
  '%s starts, says it once and hints, where %s',
  async (command, kind) => {
    await unusable[kind]?.(stored());
    const before = await readFile(stored()).catch(() => null);
    await using app = await startApp();
    await using running = await started(command, `http://${app.address}`);
    if (command === 'proxy') {
      expect(await visit(`${running.url}/a`)).toMatchObject({ status: 200, body: 'page /a' });
    }
    await eventually(async () => {
      const health = (await ask(running.admin, '/healthz')).json;
      return health.status === 'degraded' && health.store.failures > 1;
    }, 'it is tried again');
    const body = [access('one x', '/c'), access('one x', '/d')];
    await ask(running.admin, '/v1/accesses', { method: 'POST', body });
    await hinted(running.admin, '/c', '/d');
    const said = running.log.filter((line) => line.includes('site.db'));
    const errors = said.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);
    const msg = expect.stringMatching(/site\.db.*; hints continue from memory$/);
    expect(errors).toMatchObject([{ msg }]);
    expect(await readFile(stored()).catch(() => null)).toEqual(before);
  },
);

it.each(['proxy', 'serve'])('%s uses the store once it can be used', async (command) => {
  await using app = await startApp();
  {
    await using running = await started(command, `http://${app.address}`);
    const body = [access('one x', '/a'), access('one x', '/b')];
    await ask(running.admin, '/v1/accesses', { method: 'POST', body });
    await running.logged(/hints continue from memory/);
    await mkdir(dirname(stored()));
    await running.logged(/site\.db works again/);
    expect((await stat(stored())).size).toBeGreaterThan(0);
  }
  await using running = await started(command, `http://${app.address}`);
  await hinted(running.admin, '/a', '/b');
});

it('proxy starts where a later version learned by a predictor that it does not know', async () => {
  const usual = ['serve', '--port', '0', '--store', `sqlite:${stored()}`];
  const body = [access('one x', '/a'), access('one x', '/b')];
  const teach = (url: string) => ask(url, '/v1/accesses', { method: 'POST', body });
  await mkdir(dirname(stored()));
  {
    await using service = await servingPrefetchd(folder, usual);
    await teach(service.url);
  }
  const database = new DatabaseSync(stored());
  database.exec("UPDATE meta SET predictor = 'oracle'");
  database.close();
  await using app = await startApp();
  await using running = await started('proxy', `http://${app.address}`);
  expect(await visit(`${running.url}/a`)).toMatchObject({ status: 200, body: 'page /a' });
  await teach(running.admin);
  expect(await running.logged(/hints continue from memory/)).toContain('oracle');
});

it.each(kinds)(
  'a site with hints() starts and serves, and its log is told, where %s',
  async (kind) => {
    await unusable[kind]?.(stored());
    const told: string[] = [];
    const store = await createGraphStore(`sqlite:${stored()}`);
    const middleware = hints({
      prefetchd: { store },
      log: tellingLog((message) => told.push(message)),
    });
    await using site = await startApp((request, response) => {
      middleware(request, response, () => response.end('page'));
    });
    expect(await visit(`http://${site.address}/a`)).toMatchObject({ status: 200, body: 'page' });
    await eventually(() => told.length > 0);
    expect(told).toEqual([expect.stringContaining('site.db')]);
    await middleware.close();
  },
);

it('starts where the store is a pipe, or is locked by another process for long', async () => {
  await mkdir(dirname(stored()));
  execFileSync('mkfifo', [stored()]);
  await using app = await startApp();
  {
    await using running = await started('proxy', `http://${app.address}`);
    await running.logged(
      /site\.db cannot be read: it is not a file; name a file.*hints continue from memory/,
    );
  }
  await rm(stored());
  {
    await using running = await started('proxy', `http://${app.address}`);
    expect((await visit(`${running.url}/a`)).status).toBe(200);
  }
  const other = new DatabaseSync(stored());
  other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE more (id INTEGER)');
  {
    await using running = await started('proxy', `http://${app.address}`);
    expect((await visit(`${running.url}/a`)).status).toBe(200);
  }
  other.close();
});
