import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { SqliteGraphStore } from '../../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { graphStoreContract } from '../../../contracts/graph-store.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'));
});
afterAll(() => rm(folder, { recursive: true }));

graphStoreContract(
  'sqlite',
  (place, options) => new SqliteGraphStore(join(folder, place), options),
);
