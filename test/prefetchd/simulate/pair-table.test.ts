import { expect, it } from 'vitest';
import { PairTable } from '../../../prefetchd/simulate/pair-table.ts';
import fc from '../../support/property.ts';

it('a pair table is a map of pairs, through growth and removals', () => {
  const steps = fc.array(
    fc.record({
      client: fc.integer({ min: 0, max: 5 }),
      file: fc.integer({ min: 0, max: 40 }),
      remove: fc.boolean(),
    }),
    { maxLength: 400 },
  );
  fc.assert(
    fc.property(steps, (all) => {
      const table = new PairTable();
      const map = new Map<string, number>();
      all.forEach(({ client, file, remove }, entry) => {
        const name = `${client} ${file}`;
        if (remove) {
          table.delete(client, file);
          map.delete(name);
        } else {
          table.set(client, file, entry);
          map.set(name, entry);
        }
      });
      expect(table.size).toBe(map.size);
      for (let client = 0; client <= 5; client++) {
        for (let file = 0; file <= 40; file++) {
          expect(table.get(client, file)).toBe(map.get(`${client} ${file}`) ?? -1);
        }
      }
    }),
  );
});
