// The ring of the last accesses: the latest are kept, in their order, with the hints they got.

import { expect, it } from 'vitest';
import {
  mostAccesses,
  RecentAccesses,
  unknownHints,
} from '../../../../prefetchd/engine/watch/recent-accesses.ts';

function add(recent: RecentAccesses, n: number, client = 'c'): void {
  recent.add(`/${n}`, n, n % 7, client, 1000 + n, n % 2 === 0 ? 'document' : 'object', n);
}

it.each([0, 1, 511, 512, 513, 19_999, 20_000, 20_001, 45_678])('%i accesses', (count) => {
  const recent = new RecentAccesses();
  for (let n = 0; n < count; n++) add(recent, n);
  for (const most of [1, 40, mostAccesses * 2]) {
    const length = Math.min(most, count, mostAccesses);
    const expected = Array.from({ length }, (_, at) => count - length + at);
    const columns = recent.last(most);
    expect(columns.length).toBe(length);
    expect([...columns.urls]).toEqual(expected);
    expect([...columns.timesMs]).toEqual(expected.map((n) => 1000 + n));
    expect([...columns.objects]).toEqual(expected.map((n) => n % 2));
    expect([...columns.visitors]).toEqual(expected.map((n) => n % 7));
  }
});

it('hints are those of the access just before', () => {
  const recent = new RecentAccesses();
  add(recent, 1);
  recent.hinted('/1', 'c', 3);
  add(recent, 2);
  recent.hinted('/1', 'c', 5);
  expect([...recent.last(2).hints]).toEqual([3, unknownHints]);
});

it('hints that are asked for ahead of the access are kept while somebody watches, for the one who asked', () => {
  const recent = new RecentAccesses();
  recent.hinted('/1', 'c', 4);
  add(recent, 1);
  recent.isWatched = true;
  recent.hinted('/2', 'c', 5);
  add(recent, 2, 'other');
  add(recent, 2);
  expect([...recent.last(3).hints]).toEqual([unknownHints, unknownHints, 5]);
});

it('after clear nothing is left', () => {
  const recent = new RecentAccesses();
  for (let n = 0; n < 700; n++) add(recent, n);
  recent.clear();
  expect(recent.last(10).length).toBe(0);
  add(recent, 5);
  expect([...recent.last(10).urls]).toEqual([5]);
});
