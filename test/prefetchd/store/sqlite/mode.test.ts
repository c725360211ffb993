// Who may read an SQLite store: its owner, unless the owner said otherwise.

import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { SqliteGraphStore } from '../../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { deltaOf } from '../../../support/graph-deltas.ts';
import { nowMs } from '../../../support/stored-file.ts';

let path = '';
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mode-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  path = join(folder, 'store.db');
});

async function modes(): Promise<string[]> {
  const store = new SqliteGraphStore(path);
  onTestFinished(() => store.close());
  await store.add(deltaOf({ nodes: { '/': { accesses: 1 } } }), nowMs);
  const files = ['', '-wal', '-shm'].map((end) => stat(path + end));
  return (await Promise.all(files)).map(({ mode }) => (mode & 0o777).toString(8));
}

test.skipIf(process.platform === 'win32')(
  'a new file, and what is beside it, is its owner’s',
  async () => {
    expect(await modes()).toEqual(['600', '600', '600']);
  },
);

test.skipIf(process.platform === 'win32')('a file that is there keeps its mode', async () => {
  await writeFile(path, '');
  await chmod(path, 0o640);
  expect(await modes()).toEqual(['640', '640', '640']);
});
