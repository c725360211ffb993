// Several processes, a process's end, and a file that is full.

import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { SqliteGraphStore } from '../../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { folderOfTests } from '../../../support/folder-of-tests.ts';
import { contentOf, deltaOf, loaded } from '../../../support/graph-deltas.ts';
import { nowMs } from '../../../support/stored-file.ts';

const folder = folderOfTests();

const node = (...words: string[]) => promisify(execFile)(process.execPath, words);
const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

describe('processes', () => {
  test('that begin one file and add to it at once add up', async () => {
    const path = join(folder, 'shared.db');
    const program = fileURLToPath(new URL('../../../support/adds-for-ever.ts', import.meta.url));
    await Promise.all(Array.from({ length: 4 }, () => node(program, path, '25')));
    const store = new SqliteGraphStore(path);
    const [graph] = contentOf(await loaded(store, Date.now())).graphs;
    await store.close();
    const counts = [...(graph?.values() ?? [])].flat().map(({ count }) => count);
    expect(counts).toEqual(Array.from({ length: 50 }, () => 100));
  });

  test('end by themselves with a store open, when what was begun is kept', async () => {
    const path = join(folder, 'open.db');
    const code = `
      import { SqliteGraphStore } from ${JSON.stringify(fileOf('../../../../prefetchd/store/sqlite/sqlite-graph-store.ts'))};
      const store = new SqliteGraphStore(${JSON.stringify(path)});
      await store.identity();
      store.salt(${nowMs}, 1000).then(() => console.log('kept'));`;
    const { stdout } = await node('--input-type=module', '--eval', code);
    expect(stdout).toBe('kept\n');
  });
});

describe('when there is too much', () => {
  test('the weakest go, the strongest stay, and the file ends growing', async () => {
    const path = join(folder, 'full.db');
    const store = new SqliteGraphStore(path, { maxNodes: 100, maxArcs: 200, maxArcsPerUrl: 3 });
    const sizes: number[] = [];
    for (let flush = 0; flush < 150; flush++) {
      const news = Array.from({ length: 8 }, (_, n) => ({
        from: `/new/${flush}/${n % 4}`,
        to: `/new/${flush}/${(n * 3 + 1) % 8}`,
        count: 1,
      }));
      const fan = Array.from({ length: 5 }, (_, n) => ({
        from: '/old',
        to: `/old/${n}`,
        count: 9 - n,
      }));
      const old = ['/old', ...fan.map(({ to }) => to)];
      const nodes = Object.fromEntries(old.map((url) => [url, { accesses: 9 }]));
      await store.add(deltaOf({ nodes, graphs: [[...fan, ...news]] }), nowMs);
      const found = contentOf(await loaded(store, nowMs));
      expect(found.nodes.size).toBeLessThanOrEqual(125);
      expect([...(found.graphs[0]?.values() ?? [])].flat().length).toBeLessThanOrEqual(250);
      expect(found.graphs[0]?.get('/old')?.map(({ to }) => to)).toEqual([
        '/old/0',
        '/old/1',
        '/old/2',
      ]);
      expect(found.nodes.get('/old')?.accesses).toBe(9 * (flush + 1));
      expect(found.nodes.has(`/new/${flush}/1`)).toBe(true);
      sizes.push((await stat(path)).size);
    }
    await store.close();
    expect((await stat(path)).size).toBeLessThanOrEqual(256 * 1024);
    expect(sizes.at(-1)).toBe(sizes.at(-50));
  });
});
