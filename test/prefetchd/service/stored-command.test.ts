// `prefetchd serve` without a word about its store: what it learned is there again, with the predictor and w
// it was learned with.

import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { runToEnd } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';
import { servingPrefetchd, startPrefetchd } from '../../support/prefetchd-command.ts';
import { access, ask, hintedUrls } from './ask.ts';

let folder: string;
beforeEach(() => {
  folder = folderOfTest();
});

const unsaid = { PREFETCHD_STORE: undefined };

async function serve(args: string[]) {
  return servingPrefetchd(folder, ['serve', '--port', '0', '--min-clients', '1', ...args], unsaid);
}

async function taught(...args: string[]): Promise<void> {
  await using service = await serve(args);
  const body = [access('one x', '/a'), access('one x', '/b')];
  await ask(service.url, '/v1/accesses', { method: 'POST', body });
}

/** In time: a process that is busy, as while it starts, hints less. */
const hints = (url: string, page: string) =>
  eventually(async () => String(await hintedUrls(url, '/a')) === page, `a hint for ${page}`);

it('the default is prefetchd.db in the folder it runs in', async () => {
  await using service = await serve([]);
  const { store } = (await ask(service.url, '/healthz')).json;
  expect(store).toMatchObject({ name: `sqlite:${join(folder, 'prefetchd.db')}`, isHealthy: true });
  expect(await readdir(folder)).toContain('prefetchd.db');
});

it('bad usage makes no file', async () => {
  for (const wrong of ['--limit=0', '--token=short', '--origin=x', '--deny=a b']) {
    expect((await runToEnd(startPrefetchd(folder, ['serve', wrong], unsaid))).code).toBe(2);
  }
  expect(await readdir(folder)).toEqual([]);
});

it('what was learned is hinted after a restart, with the w it was learned with', async () => {
  await taught('--window', '6');
  await using service = await serve([]);
  await hints(service.url, '/b');
  expect((await ask(service.url, '/v1/config')).json.window).toBe(6);
});

it('the predictor is that of the store; another one is refused with what to do, exit code 1', async () => {
  await taught('--predictor', 'dependency-graph');
  const args = ['serve', '--port', '0', '--predictor', 'double-graph'];
  const { code, stderr } = await runToEnd(startPrefetchd(folder, args, unsaid));
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^prefetchd: sqlite:\S+ was learned by dependency-graph, .*double-graph.*leave --predictor out, or name another --store\n$/,
    ),
  ]);
  await using service = await serve([]);
  await hints(service.url, '/b');
});

it('what PATCH /v1/config changed is gone after a restart, p, w and i alike', async () => {
  let before: unknown;
  {
    await using service = await serve(['--window', '6']);
    before = (await ask(service.url, '/v1/config')).json;
    const change = { threshold: 0.4, window: 2, limit: 1 };
    const { json } = await ask(service.url, '/v1/config', { method: 'PATCH', body: change });
    expect(json).toEqual({ ...(before as object), ...change, lasts: 'until the process ends' });
    const body = [access('one x', '/a'), access('one x', '/b')];
    await ask(service.url, '/v1/accesses', { method: 'POST', body });
  }
  await using service = await serve([]);
  await hints(service.url, '/b');
  expect((await ask(service.url, '/v1/config')).json).toEqual(before);
  expect(service.log.join()).not.toContain('was learned with w');
});

it('a second service on the file says so at its start, and names the file', async () => {
  const warnings = ({ log }: { log: string[] }) =>
    log.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
  {
    await using first = await serve([]);
    await using second = await serve([]);
    const { msg } = JSON.parse(await second.logged(/ open too/));
    const file = join(folder, 'prefetchd.db');
    expect(msg).toMatch(`another process has ${file} open too: both add to it`);
    expect(warnings(first)).toEqual([]);
    for (const { url } of [first, second]) {
      const body = [access('one x', '/a'), access('one x', '/b')];
      expect((await ask(url, '/v1/accesses', { method: 'POST', body })).json.learned).toBe(2);
    }
  }
  await using alone = await serve([]);
  await hints(alone.url, '/b');
  expect(warnings(alone)).toEqual([]);
});

it('a damaged store is set aside with an error in the log, and the service runs', async () => {
  await taught();
  const file = await open(join(folder, 'prefetchd.db'), 'r+');
  await file.write(Buffer.alloc(8192, 0x5a), 0, 8192, 4096);
  await file.close();
  await using service = await serve([]);
  const line = JSON.parse(await service.logged(/was damaged/));
  expect(line.level).toBe(50);
  expect((await readdir(folder)).some((name) => name.includes('.damaged-'))).toBe(true);
  expect(await hintedUrls(service.url, '/a')).toEqual([]);
  const body = [access('one x', '/a'), access('one x', '/b')];
  await ask(service.url, '/v1/accesses', { method: 'POST', body });
  await hints(service.url, '/b');
});
