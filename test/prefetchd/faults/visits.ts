// What the visits of a Load left in a store. Each counts as one access of a page, one of the next and one arc
// between: three sums that are equal, or half an addition is there.

import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import type { GraphStore } from '../../../prefetchd/store/graph-store.ts';
import { openStore, parseStore } from '../../../prefetchd/store/store-location.ts';
import { contentOf, loaded } from '../../support/graph-deltas.ts';

/** Opens a store and sums up. @param isExact false: it lost its data, and of the last second the larger part stays */
export async function visitsIn(store: string, isExact = true): Promise<number> {
  const opened: GraphStore = await openStore(parseStore(store), { halfLifeMs: null });
  const { nodes, graphs } = contentOf(await loaded(opened, Date.now()));
  await opened.close();
  const accesses = (name: string) =>
    [...nodes].reduce((sum, [url, node]) => sum + (url.startsWith(name) ? node.accesses : 0), 0);
  const arcs = [...(graphs[0] ?? [])].flatMap(([from, row]) =>
    row.filter(({ to }) => from.startsWith('/page-') && to === from.replace('page', 'next')),
  );
  const steps = arcs.reduce((sum, { count }) => sum + count, 0);
  const sums = [accesses('/page-'), accesses('/next-'), steps];
  if (isExact) expect(sums).toEqual([sums[0], sums[0], sums[0]]);
  return Math.max(...sums);
}

export function expectWhole(path: string): void {
  const database = new DatabaseSync(path);
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  database.close();
}
