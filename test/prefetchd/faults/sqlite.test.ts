// The file under a running service: full, read-only, damaged at the start. The service goes
// on from memory, says that it is degraded, and what was learned meanwhile is in the file in the end.
// Mounts need root; tests with one are skipped by name without.

import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { Load, type Served, serve, until } from './served.ts';
import { visitsIn } from './visits.ts';

const folder = folderOfTests();

const run = (command: string, ...words: string[]) =>
  execFileSync(command, words, { stdio: 'ignore' });

async function mounted(size: string): Promise<string> {
  const place = await mkdtemp(join(folder, 'mount-'));
  run('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', place);
  onTestFinished(() => {
    run('umount', '--lazy', place);
  });
  return place;
}

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    run('unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt');
    return true;
  } catch {
    return false;
  }
}
const mountsWork = canMount();

const visit = (client: string, ...urls: string[]) =>
  urls.map((url) => ({ client, url, kind: 'document' }));

async function expectDegraded(served: Served): Promise<void> {
  await until(async () => (await served.health()) === 'degraded');
  expect(await served.metric('prefetchd_store_healthy')).toBe(0);
  expect(served.log().match(/hints continue from memory/g)).toHaveLength(1);
}

async function expectWell(served: Served): Promise<void> {
  await until(async () => (await served.health()) === 'ok');
  expect(await served.metric('prefetchd_store_healthy')).toBe(1);
  expect(served.log()).toContain('works again');
}

test.skipIf(!mountsWork)('a disk that fills up (needs root)', async () => {
  const place = await mounted('600k');
  const store = `sqlite:${join(place, 'full.db')}`;
  await using served = await serve(folder, store);
  const load = new Load(served.port, { pages: 20_000, workers: 2 });
  await load.answered(100);
  await expectDegraded(served);
  expect(served.log()).toMatch(/full\.db cannot be written to: .*disk is full/);
  await load.answered(300);
  await served.post('/v1/accesses', visit('late x', '/late', '/later'));
  await until(async () => (await served.hints('/late')).includes('/later'));
  expect((await load.stop()).every(({ status, isBroken }) => status === 200 && !isBroken)).toBe(
    true,
  );
  run('mount', '-o', 'remount,size=64m', place);
  await expectWell(served);
  expect(await served.kill('SIGTERM')).toBe(0);
  expect(await visitsIn(store)).toBe(load.learned);
  await using next = await serve(folder, store);
  expect(await next.hints('/late')).toEqual(['/later']);
});

test.skipIf(!mountsWork)(
  'a file system that is read-only: told, and used when it is writable (needs root)',
  async () => {
    const place = await mounted('64m');
    const path = join(place, 'read-only.db');
    const store = `sqlite:${path}`;
    await using before = await serve(folder, store);
    await before.post('/v1/accesses', visit('one x', '/a', '/b'));
    expect(await before.kill('SIGTERM')).toBe(0);
    const bytes = await readFile(path);
    run('mount', '-o', 'remount,ro', place);
    await using next = await serve(folder, store);
    await eventually(() => /read-only\.db.*; hints continue from memory/.test(next.log()));
    expect((await readFile(path)).equals(bytes)).toBe(true);
    run('mount', '-o', 'remount,rw', place);
    await eventually(() => /read-only\.db works again/.test(next.log()));
    expect(await next.hints('/a')).toEqual(['/b']);
  },
);
