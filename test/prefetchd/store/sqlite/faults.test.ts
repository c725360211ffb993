// Each fault with the real thing: what is thrown, that nothing is lost, and that the next addition works
// once its cause is gone. Full and read-only disks are in test/prefetchd/faults/sqlite.test.ts. Immutable files need
// root, and are skipped by name without.

import { execFileSync } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import {
  SqliteGraphStore,
  type SqliteGraphStoreOptions,
} from '../../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { folderOfTests } from '../../../support/folder-of-tests.ts';
import { arcsOf, deltaOf, loaded } from '../../../support/graph-deltas.ts';
import { nowMs, storedFile } from '../../../support/stored-file.ts';

const folder = folderOfTests();

const isRoot = process.getuid?.() === 0;
const run = (command: string, ...words: string[]) =>
  execFileSync(command, words, { stdio: 'ignore' });

function works(attempt: () => void): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

const one = deltaOf({ graphs: [[{ from: '/a', to: '/b', count: 1 }]] });

function storeAt(path: string, options?: SqliteGraphStoreOptions): SqliteGraphStore {
  const store = new SqliteGraphStore(path, options);
  onTestFinished(() => store.close());
  return store;
}

const unwritable = (message: RegExp) => ({
  name: 'PrefetchdError',
  code: 'store-unwritable',
  message: expect.stringMatching(message),
});

test.skipIf(!isRoot || !works(() => run('lsattr', '-d', tmpdir())))(
  'a file that is read-only: it can be read (needs root)',
  async () => {
    const path = storedFile(join(folder, 'immutable.db'));
    if (!works(() => run('chattr', '+i', path))) return;
    const store = storeAt(path);
    try {
      expect((await loaded(store, nowMs))?.urls.length).toBe(800);
      await expect(store.add(one, nowMs)).rejects.toMatchObject(
        unwritable(/immutable\.db cannot be written to.*may not write to it/),
      );
      await expect(store.salt(nowMs, 1000)).rejects.toMatchObject(unwritable(/written to/));
    } finally {
      run('chattr', '-i', path);
    }
    await store.add(one, nowMs);
    expect((await loaded(store, nowMs))?.urls.length).toBe(802);
  },
);

test.skipIf(isRoot)('a folder that is read-only (root may write)', async () => {
  const closed = join(folder, 'closed');
  await mkdir(closed, { mode: 0o500 });
  const store = storeAt(join(closed, 'a.db'));
  await expect(store.add(one, nowMs)).rejects.toMatchObject(unwritable(/permission denied/));
  await chmod(closed, 0o700);
  await store.add(one, nowMs);
});

test('a folder that is missing, and is not made; or in place of the file', async () => {
  await expect(loaded(storeAt(folder), nowMs)).rejects.toMatchObject({ code: 'store-unreadable' });
  const path = join(folder, 'later', 'a.db');
  const store = storeAt(path);
  await expect(loaded(store, nowMs)).rejects.toMatchObject({
    code: 'store-unreadable',
    message: expect.stringMatching(/later\/a\.db cannot be read: .*no such file or directory/),
  });
  await expect(store.add(one, nowMs)).rejects.toMatchObject(
    unwritable(/no such file or directory.*; its folder does not exist$/),
  );
  await mkdir(join(folder, 'later'));
  await store.add(one, nowMs);
  expect(arcsOf(await loaded(store, nowMs), '/a')).toEqual(['/b 1']);
});

test('another process that writes for too long', async () => {
  const path = storedFile(join(folder, 'busy.db'));
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const store = storeAt(path, { busyTimeoutMs: 20 });
  await expect(store.add(one, nowMs)).rejects.toMatchObject(unwritable(/another process/));
  expect((await loaded(store, nowMs))?.urls.length).toBe(800);
  other.exec('ROLLBACK');
  other.close();
  await store.add(one, nowMs);
  expect((await loaded(store, nowMs))?.urls.length).toBe(802);
});

test('waiting for another process stops nothing else', async () => {
  const path = storedFile(join(folder, 'patient.db'));
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  let isAdded = false;
  const adding = storeAt(path, { busyTimeoutMs: 30_000 })
    .add(one, nowMs)
    .then(() => {
      isAdded = true;
    });
  for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate);
  expect(isAdded).toBe(false);
  other.exec('COMMIT');
  other.close();
  await adding;
});

test('a receiver that throws, a thread that dies: their calls fail, the next ones work', async () => {
  const path = storedFile(join(folder, 'thread.db'));
  const workers: Worker[] = [];
  const remember = (worker: Worker) => workers.push(worker);
  process.on('worker', remember);
  onTestFinished(() => {
    process.off('worker', remember);
  });
  const store = storeAt(path);
  const begin = () => {
    throw new RangeError('mine');
  };
  await expect(store.load(nowMs, { begin, arcs: begin })).rejects.toThrow('mine');
  expect(await store.identity()).toMatchObject({ predictor: 'test' });
  const ended = workers[0]?.terminate(); // before the calls, which it might have answered
  const calls = [loaded(store, nowMs), store.add(one, nowMs)];
  const results = await Promise.allSettled(calls);
  await ended;
  const message = expect.stringMatching(/thread.*the next call starts another/);
  expect(results).toMatchObject(Array(2).fill({ reason: { message } }));
  expect((await loaded(store, nowMs))?.urls.length).toBe(800);
  expect(workers.length).toBe(2);
  await workers[1]?.terminate();
  await store.close();
});
