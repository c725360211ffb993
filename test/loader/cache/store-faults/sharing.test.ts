// Several processes and one folder: all write, evict and read at once; nobody waits in vain, and nobody reads
// what is not there.

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import {
  createSqliteStore,
  type SqliteStoreOptions,
} from '../../../../loader/cache/sqlite/sqlite-cache-store.ts';
import type { CacheStore } from '../../../../loader/cache/store.ts';
import { withConstants } from '../../../../options/options.ts';
import { entryOf, lookedOver, sharedUrls } from '../../../support/cache-entries.ts';
import { folderOfTests } from '../../../support/folder-of-tests.ts';
import { anySeed } from '../../../support/random.ts';

const program = fileURLToPath(new URL('../../../support/caches-for-ever.ts', import.meta.url));
const top = folderOfTests();
const newPlace = () => mkdtempSync(join(top, 'place-'));

function opened(folder: string, options: SqliteStoreOptions): CacheStore {
  const store = createSqliteStore(folder, options);
  onTestFinished(() => store.close());
  return store;
}

/** Another process that writes, for as long as it is told. */
function writing(folder: string): () => void {
  const database = new DatabaseSync(join(folder, 'cache.db'));
  database.exec('BEGIN IMMEDIATE');
  return () => {
    database.exec('ROLLBACK');
    database.close();
  };
}

test('three processes that write and read one folder', { timeout: 60_000 }, async () => {
  const folder = newPlace();
  const seed = anySeed();
  const runs = await Promise.all(
    [0, 1, 2].map(async (n) => {
      const words = [program, folder, String(seed + n), '60'];
      const { stdout } = await promisify(execFile)(process.execPath, words);
      return JSON.parse(stdout.slice(stdout.lastIndexOf('\n') + 1));
    }),
  );
  for (const run of runs) {
    expect(run, `SEED=${seed}`).toMatchObject({ wrong: [], notices: [] });
    expect(run.found).toBeGreaterThan(5);
  }
  expect(readdirSync(folder)).toEqual(['cache.db']);
  const store = opened(folder, {});
  const { entries, bytes } = store.size();
  expect(lookedOver(store, sharedUrls)).toEqual({ found: entries, wrong: [] });
  expect(bytes).toBeLessThanOrEqual(400_000);
});

test('a store that another writes to for too long: reads go on, writes are skipped and told once', () => {
  const folder = newPlace();
  const notices: string[] = [];
  const onNotice = (message: string) => notices.push(message);
  const store = opened(folder, { ...withConstants({ busyTimeoutMs: 10 }), onNotice });
  store.put([entryOf('/a')]);
  const id = store.find('/a')[0]?.id as number;
  const end = writing(folder);
  store.put([entryOf('/a', { body: Buffer.from('new') }), entryOf('/b')]);
  store.remove([id]);
  store.removeUrl('/a');
  store.freshen(id, { headers: [], requestedAtMs: 0, receivedAtMs: 0 });
  expect(store.find('/a')[0]?.headers).toEqual(entryOf('/a').headers);
  expect(store.body(id)?.toString()).toBe('the body of /a');
  expect(store.find('/b')).toEqual([]);
  expect(store.size().entries).toBe(1);
  expect(notices).toEqual([
    expect.stringMatching(/cache\.db is not fully usable.* another process/),
  ]);
  end();
  store.put([entryOf('/b')]);
  expect(store.find('/b').length).toBe(1);
  const endAgain = writing(folder);
  store.removeUrl('/b');
  endAgain();
  expect(notices.length).toBe(2);
});

test('a store that is opened while another writes for long works afterwards', () => {
  const folder = newPlace();
  writeFileSync(join(folder, 'cache.db'), '');
  const end = writing(folder);
  const notices: string[] = [];
  const store = opened(folder, {
    ...withConstants({ busyTimeoutMs: 10 }),
    onNotice: (text) => notices.push(text),
  });
  store.put([entryOf('/a')]);
  expect(store.find('/a')).toEqual([]);
  expect(notices.length).toBe(1);
  end();
  store.put([entryOf('/a')]);
  expect(store.find('/a').length).toBe(1);
});
