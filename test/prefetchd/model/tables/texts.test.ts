import { expect, test } from 'vitest';
import { TextTable } from '../../../../prefetchd/model/tables/texts.ts';
import fc from '../../../support/property.ts';

test('whatever is added and removed, in any script: a Map from text to id and back', () => {
  const anyText = fc.oneof(
    fc.constantFrom('', '/', '/__proto__', 'constructor', '\ud800', '\u00e9', '/\u4e2d', '\ufffd'),
    fc.integer({ min: 0, max: 200 }).map((n) => `/page-${n}`),
    fc.string({ unit: 'binary' }),
  );
  const step = fc.tuple(fc.boolean(), anyText);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const table = new TextTable();
      const naive = new Map<string, number>();
      for (const [adds, text] of steps) {
        const known = naive.get(text);
        expect(table.find(text)).toBe(known ?? -1);
        if (adds && known === undefined) {
          const id = table.add(text);
          expect([...naive.values()]).not.toContain(id);
          naive.set(text, id);
        } else if (!adds && known !== undefined) {
          table.remove(known);
          naive.delete(text);
        }
      }
      expect(table.size).toBe(naive.size);
      expect(table.characters).toBe([...naive.keys()].join('').length);
      for (const [text, id] of naive) {
        expect(table.find(text)).toBe(id);
        expect(table.textOf(id)).toBe(text);
      }
    }),
    { numRuns: 200 },
  );
});

test('texts that came and went leave room for others: the bytes stay in proportion', () => {
  const table = new TextTable();
  const held: number[] = [];
  for (let i = 0; i < 100_000; i++) {
    held.push(table.add(`/a/text/of/thirty/characters/${i}`));
    if (held.length > 100) table.remove(held.shift() as number);
  }
  expect(table.top).toBeLessThan(110);
  expect(table.typedBytes).toBeLessThan(20_000);
});
