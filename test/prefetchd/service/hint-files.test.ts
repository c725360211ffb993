// Hints by file: there from the start, new when hints are, whole at every moment.

import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Engine } from '../../../prefetchd/engine/engine.ts';
import { HintFiles, type HintFilesOptions } from '../../../prefetchd/service/hint-files.ts';
import { eventually } from '../../support/eventually.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';
import { tellingLog } from '../../support/telling-log.ts';

let folder: string;
let json: string;
let map: string;
let prefetchd: Engine;
let files: HintFiles | null = null;

beforeEach(() => {
  folder = folderOfTest();
  [json, map] = [join(folder, 'hints.json'), join(folder, 'hints.map')];
  prefetchd = new Engine({ minClients: 1, load: () => 1 });
});
afterEach(async () => {
  await files?.close();
  files = null;
  await prefetchd.close();
});

const notices: string[] = [];

async function start(options: Partial<HintFilesOptions> = {}): Promise<void> {
  notices.length = 0;
  const log = tellingLog((message) => notices.push(message));
  files = new HintFiles(prefetchd, { paths: [json, map], intervalMs: 10, log, ...options });
  await files.start();
}

let clients = 0;
function walk(...urls: string[]): void {
  const client = `c${++clients} Browser`;
  for (const url of urls) {
    const [kind, status] = ['document' as const, 200];
    prefetchd.observe({ client, url, timeMs: Date.now(), kind, status, bytes: 0, prefetch: false });
  }
}

const pages = async () => Object.keys(JSON.parse(await readFile(json, 'utf8')).pages);

it('empty files are there before there are hints, so that a server can include them', async () => {
  await start();
  expect(await pages()).toEqual([]);
  expect(await readFile(map, 'utf8')).toMatch(/^#.*\n$/);
});

it('what is there stays until there is something to say', async () => {
  await writeFile(json, '{"pages": {"/kept": {}}}');
  await writeFile(map, '# kept');
  await start();
  expect(await pages()).toEqual(['/kept']);
  walk('/a', '/b');
  await eventually(async () => (await readFile(map, 'utf8')) !== '# kept');
  expect(await readFile(map, 'utf8')).toContain('"/a" "</b>; rel=prefetch; probability=1";');
  expect(await pages()).toEqual(['/a']);
});

it('all hints are in it, however busy the process is, and what p leaves out goes', async () => {
  await start();
  walk('/a', '/b', '/c');
  await eventually(async () => (await pages()).length === 2);
  expect(await pages()).toEqual(['/a', '/b']);
  prefetchd.tune({ threshold: 1 });
  await eventually(async () => (await pages()).length === 0);
});

it('nothing new is nothing written', async () => {
  walk('/a', '/b');
  await start();
  const { mtimeMs, ino } = await stat(json);
  const { revision } = prefetchd;
  prefetchd.tune({}); // another revision, the same hints
  expect(prefetchd.revision).not.toBe(revision);
  await files?.close();
  expect(await stat(json)).toMatchObject({ mtimeMs, ino });
});

it('at most so many pages: those that are asked for most', async () => {
  for (let n = 0; n < 3; n++) walk('/often', '/x');
  for (let n = 0; n < 20; n++) walk(`/seldom-${n}`, '/x');
  await start({ maxPages: 2 });
  expect(await pages()).toEqual(['/often']); // /x is the other one, and leads nowhere
});

it('a page of objects alone is none', async () => {
  await start();
  const access = { client: 'z B', timeMs: Date.now(), status: 200, bytes: 0, prefetch: false };
  prefetchd.observe({ ...access, url: '/a.css', kind: 'object' });
  prefetchd.observe({ ...access, url: '/b.png', kind: 'object' });
  walk('/a', '/b');
  await eventually(async () => (await pages()).length > 0);
  expect(await pages()).toEqual(['/a']);
});

it('a reader never sees a part, and nothing is left beside it', async () => {
  await start();
  let isOver = false;
  const reading = (async () => {
    let reads = 0;
    for (; !isOver; reads++) await pages(); // throws for a part
    return reads;
  })();
  for (let n = 0; n < 300; n++) walk(`/${n}`, `/to-${n}`);
  await eventually(async () => (await pages()).length === 300);
  isOver = true;
  expect(await reading).toBeGreaterThan(0);
  await files?.close();
  expect((await readdir(folder)).sort()).toEqual(['hints.json', 'hints.map']);
});

it('what changed last is written at the end', async () => {
  await start({ intervalMs: 3_600_000 });
  walk('/a', '/b');
  await files?.close();
  expect(await pages()).toEqual(['/a']);
});

it('a place that cannot be written to is told at the start', async () => {
  json = join(folder, 'none', 'hints.json');
  await expect(start()).rejects.toMatchObject({
    code: 'hints-unwritable',
    message: expect.stringMatching(/none\/hints\.json: ENOENT/),
  });
  files = null;
});

it('later it is told once, and tried until it works', async () => {
  await start();
  await rm(folder, { recursive: true });
  walk('/a', '/b');
  await eventually(() => notices.length > 0);
  expect(notices[0]).toMatch(/^hints cannot be written to .* retrying$/);
  await mkdir(folder);
  await eventually(() => notices.length > 1);
  expect(notices).toHaveLength(2);
  expect(await pages()).toEqual(['/a']);
});
