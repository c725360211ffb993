import { expect, test } from 'vitest';
import { HashIndex } from '../../../../prefetchd/model/tables/hash-index.ts';
import fc from '../../../support/property.ts';

/** All entries that a search for this hash comes to. */
const chain = (index: HashIndex, hash: number) => {
  const found: number[] = [];
  for (let entry = index.first(hash); entry >= 0; entry = index.next(entry)) found.push(entry);
  return found;
};

test('whatever is added and removed, every entry is found by its hash, once', () => {
  const step = fc.record({
    entry: fc.nat(300),
    hash: fc.oneof(fc.integer(), fc.integer({ min: 0, max: 3 })),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
      const index = new HashIndex();
      const naive = new Map<number, number>();
      for (const { entry, hash } of steps) {
        if (naive.has(entry)) {
          index.remove(entry);
          naive.delete(entry);
        } else {
          index.add(entry, hash);
          naive.set(entry, hash);
        }
      }
      for (const [entry, hash] of naive) {
        expect(chain(index, hash).filter((each) => each === entry)).toEqual([entry]);
        expect(index.hashOf(entry)).toBe(hash);
      }
    }),
  );
});

test('chains stay short while the table grows, bucket by bucket', () => {
  const index = new HashIndex();
  let longest = 0;
  for (let entry = 0; entry < 50_000; entry++) {
    const hash = Math.imul(entry, 0x9e3779b1);
    index.add(entry, hash);
    longest = Math.max(longest, chain(index, hash).length);
  }
  expect(longest).toBeLessThanOrEqual(4);
  expect(index.typedBytes).toBeLessThan(50_000 * 24);
});
