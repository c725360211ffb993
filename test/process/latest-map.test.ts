// A bounded map keeps what was used last, by number or by size.

import { expect, it } from 'vitest';
import { LatestMap } from '../../process/latest-map.ts';

it('a full map gives up what was used longest ago; a peek is no use', () => {
  const evicted: number[] = [];
  const map = new LatestMap<string, number>(2, { onEvicted: (value) => evicted.push(value) });
  map.set('a', 1);
  map.set('b', 2);
  expect([map.get('a'), map.peek('b')]).toEqual([1, 2]);
  map.set('c', 3);
  map.delete('c');
  map.set('d', 4);
  expect([...map.values()]).toEqual([1, 4]);
  expect(evicted).toEqual([2]);
});

it('sizes are counted, also of values that replace others; what exceeds the bound alone is not kept', () => {
  const map = new LatestMap<string, string>(10, { sizeOf: ({ length }) => length });
  map.set('a', 'aaaa');
  map.set('b', 'bbbb');
  map.set('b', 'bb');
  map.set('c', 'cccc');
  expect(map.size).toBe(3);
  map.set('d', 'd');
  expect([...map.values()]).toEqual(['bb', 'cccc', 'd']);
  map.set('c', 'c'.repeat(11));
  expect([...map.values()]).toEqual(['bb', 'd']);
});

it('a large map never exceeds its bound, and stays nearly full', () => {
  const map = new LatestMap<number, number>(10_000);
  for (let n = 0; n < 50_000; n++) {
    map.set(n, n);
    if (map.size > 10_000 || (n > 10_000 && map.size < 9_900)) throw new Error(`${map.size}`);
  }
  expect(map.peek(49_999)).toBe(49_999);
});
