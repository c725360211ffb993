import { join } from 'node:path';
import { SqliteGraphStore } from '../../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { graphStoreContract } from '../../../contracts/graph-store.ts';
import { folderOfTests } from '../../../support/folder-of-tests.ts';

const folder = folderOfTests();

graphStoreContract(
  'sqlite',
  (place, options) => new SqliteGraphStore(join(folder, place), options),
);
