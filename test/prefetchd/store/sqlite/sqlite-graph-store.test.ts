import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

/** Of each thread of this process (proc_pid_stat(5), field 19). */
async function nicenesses(): Promise<number[]> {
  const threads = await readdir('/proc/self/task');
  const stats = threads.map((thread) => readFile(`/proc/self/task/${thread}/stat`, 'utf8'));
  return (await Promise.all(stats)).map((stat) =>
    Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]),
  );
}

test.runIf(process.platform === 'linux')(
  'its thread gives way to the others, which stay as they were',
  async () => {
    const own = getPriority();
    const store = new SqliteGraphStore(join(folder, 'nice.db'));
    await store.identity();
    const all = await nicenesses();
    await store.close();
    expect(getPriority()).toBe(own);
    expect(all.filter((niceness) => niceness === Math.max(own, 10))).not.toHaveLength(0);
    expect(all.filter((niceness) => niceness === own).length).toBeGreaterThan(1);
  },
);
