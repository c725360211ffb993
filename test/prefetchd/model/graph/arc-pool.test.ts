import { expect, test } from 'vitest';
import { ArcPool } from '../../../../prefetchd/model/graph/arc-pool.ts';
import fc from '../../../support/property.ts';

test('blocks never overlap, each lies in one chunk, and its slots are the row it was given to', () => {
  const step = fc.record({
    order: fc.integer({ min: 1, max: 14 }),
    frees: fc.boolean(),
    pick: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const pool = new ArcPool();
      const held: Array<{ block: number; order: number; row: number }> = [];
      steps.forEach(({ order, frees, pick }, row) => {
        if (frees && held.length > 0) {
          const [gone] = held.splice(pick % held.length, 1);
          if (gone) pool.release(gone.block, gone.order);
          return;
        }
        const block = pool.take(order, row);
        const chunk = pool.chunk(block);
        expect(pool.chunk(block + 2 ** order - 1)).toBe(chunk);
        const first = block - chunk.base;
        expect(chunk.counts.subarray(first, first + 2 ** order).every((count) => count < 0)).toBe(
          true,
        );
        chunk.counts.fill(row, first, first + 2 ** order);
        held.push({ block, order, row });
      });
      for (const { block, order, row } of held) {
        const { base, counts, owners } = pool.chunk(block);
        const [first, end] = [block - base, block - base + 2 ** order];
        expect(counts.subarray(first, end).every((count) => count === row)).toBe(true);
        expect(owners.subarray(first / 2, end / 2).every((owner) => owner === row)).toBe(true);
      }
    }),
  );
});

test('room that was freed in small pieces serves for large ones', () => {
  const pool = new ArcPool();
  const blocks = Array.from({ length: 8192 }, (_, row) => pool.take(1, row));
  const { slots } = pool;
  for (const block of blocks) pool.release(block, 1);
  for (let row = 0; row < slots / 4096; row++) pool.take(12, row);
  expect(pool.slots).toBe(slots);
});
