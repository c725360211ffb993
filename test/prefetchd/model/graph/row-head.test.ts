// The head of a row, found without sorting it, is that of the row when sorted.

import { expect, test } from 'vitest';
import { ArcChunk } from '../../../../prefetchd/model/graph/arc-pool.ts';
import { RowHead } from '../../../../prefetchd/model/graph/row-head.ts';
import fc from '../../../support/property.ts';

const counts = fc
  .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 40, size: 'max' })
  .map((list) => list.toSorted((a, b) => b - a));

test('the arcs that count most, the latest among equals, and no others', () => {
  const head = new RowHead();
  const start = fc.integer({ min: 0, max: 5 });
  const most = fc.integer({ min: 1, max: 50 });
  fc.assert(
    fc.property(counts, fc.infiniteStream(fc.nat()), start, most, (row, random, first, wanted) => {
      const chunk = new ArcChunk(0, 64);
      const lasts = row
        .map((_, at) => ({ at, key: random.next().value as number }))
        .toSorted((a, b) => a.key - b.key || a.at - b.at)
        .map(({ at }) => at);
      row.forEach((count, at) => {
        chunk.counts[first + at] = count;
        chunk.lasts[first + at] = lasts[at] as number;
      });
      const sorted = row
        .map((count, at) => ({ at: first + at, count, last: lasts[at] as number }))
        .toSorted((a, b) => b.count - a.count || b.last - a.last);
      head.find(chunk, first, row.length, wanted);
      const found = row
        .map((_, at) => first + at)
        .filter((at) => at < head.end && head.isIn(chunk, at));
      const best = sorted.slice(0, wanted).map(({ at }) => at);
      expect(found).toEqual(best.toSorted((a, b) => a - b));
    }),
    { numRuns: 1000 },
  );
});
