import { expect, test } from 'vitest';
import {
  addClient,
  endEra,
  fingerprint,
  hasAtLeast,
} from '../../../../prefetchd/model/graph/client-sets.ts';
import { DependencyGraph } from '../../../../prefetchd/model/predictors/dependency-graph.ts';
import { textHash } from '../../../../process/text-memo.ts';
import fc from '../../../support/property.ts';
import { access, observeAll } from '../accesses.ts';

const empty = () => ({ prints: [] as number[], seen: 0 });

test('a set holds the first six distinct fingerprints', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1023 })), (prints) => {
      const set = empty();
      for (const print of prints) addClient(set, print);
      const expected = [...new Set(prints)].slice(0, 6);
      expect(set.prints).toEqual(expected);
      for (let k = 1; k <= 6; k++) expect(hasAtLeast(set, k)).toBe(expected.length >= k);
    }),
  );
});

test('three clients are counted as three but for one time in about 340', () => {
  let short = 0;
  for (let i = 0; i < 3000; i++) {
    const prints = [0, 1, 2].map((n) => fingerprint(textHash(`10.0.${i}.${n} Agent`)));
    if (new Set(prints).size < 3) short++;
  }
  expect(short).toBeLessThan(30);
});

test('clients are told apart by their first word: user agents are free to invent', () => {
  const predictor = new DependencyGraph({ minClients: 3, window: 2 });
  for (let i = 0; i < 9; i++) observeAll(predictor, `192.0.2.1 Agent/${i}`, ['/a', '/b']);
  for (let i = 1; i < 4; i++) observeAll(predictor, `192.0.2.${i} Agent`, ['/a', '/c']);
  const hints = predictor.predict(access({ url: '/a' }), { threshold: 0, limit: null });
  expect(hints.map((hint) => hint.url)).toEqual(['/c']);
});

test('when an era ends, the most distinct clients of any one era hold, whatever their fingerprints', () => {
  const eras = fc.array(fc.array(fc.integer({ min: 1, max: 1023 }), { maxLength: 9 }), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(
      eras,
      fc.array(fc.integer({ min: 1, max: 1023 }), { maxLength: 9 }),
      (past, now) => {
        const set = empty();
        for (const prints of past) {
          for (const print of prints) addClient(set, print);
          endEra(set);
          expect(set.prints).toEqual([]);
        }
        for (const print of now) addClient(set, print);
        const most = Math.max(0, ...past.map((prints) => Math.min(6, new Set(prints).size)));
        expect(set.seen).toBe(most);
        expect(set.prints).toEqual([...new Set(now)].slice(0, 6));
        const counted = Math.max(most, Math.min(6, new Set(now).size));
        for (let k = 1; k <= 6; k++) expect(hasAtLeast(set, k)).toBe(counted >= k);
      },
    ),
  );
});
