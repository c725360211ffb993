import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutOfWeakest, goesWith, nthSmallest } from '../../../prefetchd/model/weakest.ts';

test('nthSmallest is what stands at n after sorting', () => {
  const values = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(values, fc.nat(), (numbers, index) => {
      const n = index % numbers.length;
      const sorted = Float64Array.from(numbers).sort();
      expect(nthSmallest(Float64Array.from(numbers), n)).toBe(sorted[n]);
    }),
  );
});

test('exactly the quota goes: the smallest counts, and of equal ones those used longest ago', () => {
  const counts = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(counts, fc.nat(), (numbers, quotaSeed) => {
      const quota = 1 + (quotaSeed % numbers.length);
      const entries = numbers.map((count, last) => ({ count, last }));
      const cut = cutOfWeakest(
        Float64Array.from(numbers),
        Float64Array.from(numbers, (_, last) => last),
        quota,
      );
      const goes = entries.filter(({ count, last }) => goesWith(cut, count, last));
      const ranked = entries.toSorted((a, b) => a.count - b.count || a.last - b.last);
      expect(new Set(goes)).toEqual(new Set(ranked.slice(0, quota)));
    }),
  );
});
