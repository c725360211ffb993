// What every predictor holds, whatever it bases its guesses on. A predictor calls this in three lines:
//
//   predictorContract('name', (options) => new Mine(options));

import { describe, expect, test } from 'vitest';
import type { Access } from '../../prefetchd/access.ts';
import type { ModelOptions } from '../../prefetchd/model/model-options.ts';
import type { Predictor } from '../../prefetchd/model/predictor.ts';
import type { NodePredictor } from '../../prefetchd/model/predictors/node-predictor.ts';
import { access, observeAll } from '../prefetchd/model/accesses.ts';
import fc from '../support/property.ts';

const everything = { threshold: 0, limit: null };

const urls = ['/', '/a', '/b', '/c.gif', '/d.gif', '/__proto__', '/constructor', '__proto__'];

const anyAccess: fc.Arbitrary<Access> = fc
  .record({
    url: fc.constantFrom(...urls),
    client: fc.constantFrom('one', 'two', '__proto__'),
    timeMs: fc.integer({ min: -10_000_000, max: 10_000_000 }),
    prefetch: fc.boolean(),
    sent: fc.array(fc.constantFrom(...urls), { maxLength: 2 }),
  })
  .map(({ sent, ...fields }) => access({ ...fields, ...(sent.length > 0 && { alsoSent: sent }) }));

export function predictorContract(
  name: string,
  make: (options?: Partial<ModelOptions>) => Predictor & Pick<NodePredictor, 'forgetClients'>,
): void {
  describe(`${name} keeps the contract of a predictor`, () => {
    /** A site where /a is followed by /b three times in four. */
    const trained = (options?: Partial<ModelOptions>) => {
      const predictor = make(options);
      for (let i = 0; i < 40; i++) {
        const next = i % 4 === 0 ? '/c' : '/b';
        observeAll(predictor, `visitor ${i}`, ['/a', next], i * 7_200_000);
      }
      return predictor;
    };

    test('bears its name', () => {
      expect(make().name).toBe(name);
    });

    test('knows nothing before it learned', () => {
      expect(make().predict(access({ url: '/a' }), everything)).toEqual([]);
    });

    test('hints what followed, the more probable first (Padmanabhan 1995, 7.2)', () => {
      const hints = trained().predict(access({ url: '/a', client: 'new' }), everything);
      expect(hints.map((hint) => hint.url)).toEqual(['/b', '/c']);
    });

    test('w of one access: where each says 2, it learns as one with a w of 2', () => {
      const learned = (options: Partial<ModelOptions>, window?: number) => {
        const predictor = make(options);
        const urls = ['/a', '/b', '/c', '/d', '/b', '/a', '/c'];
        urls.forEach((url, n) => {
          predictor.observe(access({ url, client: 'c', timeMs: n, ...(window && { window }) }));
        });
        return urls.map((url) =>
          predictor.predict(access({ url, client: 'new', timeMs: 9 }), everything),
        );
      };
      expect(learned({ window: 5 }, 2)).toEqual(learned({ window: 2 }));
      expect(learned({ window: 2 }, 5)).toEqual(learned({ window: 2 }));
    });

    test('forgets all clients when it is told to, and keeps what they taught', () => {
      const predictor = trained({ idleGapMs: null });
      const hints = () => predictor.predict(access({ url: '/a', client: 'new' }), everything);
      const before = hints();
      observeAll(predictor, 'me', ['/a', '/x'], 400_000_000);
      predictor.forgetClients();
      observeAll(predictor, 'me', ['/y', '/z'], 400_000_060);
      const nextOf = (url: string) =>
        predictor.predict(access({ url, client: 'me' }), everything).map((hint) => hint.url);
      expect(nextOf('/x')).not.toContain('/y');
      expect(nextOf('/y')).toContain('/z');
      const known = hints().map(({ url }) => url);
      expect(known).toEqual(expect.arrayContaining(before.map(({ url }) => url)));
    });

    test('hints only what is more probable than the threshold (7.2: "higher than")', () => {
      const predictor = trained();
      const [best, next] = predictor.predict(access({ url: '/a' }), everything);
      const threshold = next?.probability ?? 0;
      expect(predictor.predict(access({ url: '/a' }), { threshold, limit: null })).toEqual([best]);
      const atBest = { threshold: best?.probability ?? 0, limit: null };
      expect(predictor.predict(access({ url: '/a' }), atBest)).toEqual([]);
    });

    test('the limit counts only the wanted kind', () => {
      const predictor = make();
      for (let i = 0; i < 9; i++) {
        observeAll(predictor, `visitor ${i}`, ['/a', i % 3 === 0 ? '/b' : '/logo.gif'], 0);
      }
      const asked = access({ url: '/a', client: 'new' });
      const hinted = (kind: 'document' | 'object') =>
        predictor.predict(asked, { threshold: 0, limit: 1, kind }).map((hint) => hint.url);
      expect(hinted('document')).toEqual(['/b']);
      expect(hinted('object')).toEqual(['/logo.gif']);
    });

    test('what GETALL sent along is no candidate at this time, and may be at the next (7.3)', () => {
      const predictor = trained();
      const getAll = access({ url: '/a', client: 'new', alsoSent: ['/b'] });
      expect(predictor.predict(getAll, everything).map((hint) => hint.url)).toEqual(['/c']);
      const get = access({ url: '/a', client: 'new' });
      expect(predictor.predict(get, everything).map((hint) => hint.url)).toEqual(['/b', '/c']);
    });

    test('what GETALL sent along is not learned: the client did not ask for it', () => {
      const predictor = make();
      for (let i = 0; i < 5; i++) {
        predictor.observe(access({ url: '/a', client: `c${i}`, alsoSent: ['/z.gif'] }));
        predictor.observe(access({ url: '/b', client: `c${i}`, timeMs: 1000 }));
      }
      const hints = predictor.predict(access({ url: '/a', client: 'new' }), everything);
      expect(hints.map((hint) => hint.url)).toEqual(['/b']);
    });

    test('a prefetch feeds no window and asks for no hints (7.1)', () => {
      const predictor = trained();
      const before = predictor.predict(access({ url: '/a' }), everything);
      const prefetch = access({ url: '/a', prefetch: true });
      for (let i = 0; i < 9; i++) {
        predictor.observe({ ...prefetch, client: `c${i}` });
        predictor.observe({ ...prefetch, client: `c${i}`, url: '/z' });
      }
      expect(predictor.predict(prefetch, everything)).toEqual([]);
      expect(predictor.predict(access({ url: '/a' }), everything)).toEqual(before);
    });

    test('asking changes nothing', () => {
      const predictor = trained();
      const first = predictor.predict(access({ url: '/a' }), everything);
      predictor.predict(access({ url: '/b', client: 'new' }), everything);
      expect(predictor.predict(access({ url: '/a' }), everything)).toEqual(first);
    });

    test('accesses of different clients are not related (7.2: false dependencies)', () => {
      const predictor = make();
      for (let i = 0; i < 20; i++) {
        predictor.observe(access({ url: '/a', client: `left ${i}`, timeMs: i }));
        predictor.observe(access({ url: '/b', client: `right ${i}`, timeMs: i }));
      }
      expect(predictor.predict(access({ url: '/a', client: 'left 0' }), everything)).toEqual([]);
    });

    test('a URL of which mayHint says no is learned from and never hinted', () => {
      const predictor = trained({ mayHint: (url) => url !== '/b' });
      const hints = predictor.predict(access({ url: '/a', client: 'new' }), everything);
      expect(hints.map((hint) => hint.url)).toEqual(['/c']);
    });

    test('minClients: what one client alone did is told to nobody', () => {
      const predictor = make({ minClients: 2 });
      for (let i = 0; i < 9; i++) observeAll(predictor, 'same', ['/a', '/b'], i * 7_200_000);
      expect(predictor.predict(access({ url: '/a' }), everything)).toEqual([]);
      observeAll(predictor, 'another client', ['/a', '/b'], 0);
      const hints = predictor.predict(access({ url: '/a' }), everything);
      expect(hints.map((hint) => hint.url)).toEqual(['/b']);
    });

    test('the window may change at any time', () => {
      const predictor = make({ window: 2 });
      predictor.window = 10;
      expect(predictor.window).toBe(10);
      expect(() => {
        predictor.window = 1;
      }).toThrow(/window must be a whole number from 2 to 100, not 1/);
      observeAll(predictor, 'c', ['/a', '/b', '/c', '/a'], 0);
      predictor.window = 2;
      observeAll(predictor, 'c', ['/d', '/e'], 10_000);
      expect(predictor.predict(access({ url: '/d' }), everything)).not.toEqual([]);
    });

    test('names that plain objects know are ordinary URLs and clients', () => {
      const predictor = make();
      for (const client of ['__proto__', 'constructor', 'toString']) {
        observeAll(predictor, client, ['/__proto__', 'constructor', '__proto__'], 0);
      }
      const hints = predictor.predict(access({ url: 'constructor', client: 'hasOwnProperty' }), {
        threshold: 0.1,
        limit: 1,
      });
      expect(hints.map((hint) => hint.url)).toEqual(['__proto__']);
    });

    test('whatever comes: 0 < p <= 1, falling, no URL twice, none that was sent along', () => {
      const caps = { maxNodes: 5, maxArcs: 7, maxArcsPerNode: 3, maxClients: 2, halfLifeMs: 9000 };
      fc.assert(
        fc.property(fc.array(anyAccess, { maxLength: 60 }), fc.boolean(), (accesses, capped) => {
          const predictor = make(capped ? caps : undefined);
          for (const each of accesses) {
            predictor.observe(each);
            const hints = predictor.predict(each, everything);
            const probabilities = hints.map((hint) => hint.probability);
            expect(probabilities.every((p) => p > 0 && p <= 1)).toBe(true);
            expect(probabilities).toEqual(probabilities.toSorted((a, b) => b - a));
            const hinted = hints.map((hint) => hint.url);
            expect(new Set(hinted).size).toBe(hinted.length);
            expect(hinted).not.toContain(each.url);
            for (const sent of each.alsoSent ?? []) expect(hinted).not.toContain(sent);
          }
        }),
      );
    });

    test('what is predicted above a threshold is what is predicted above 0 and above it', () => {
      const anyThreshold = fc.constantFrom(0.01, 0.1, 0.25, 0.5, 0.75);
      const anyClients = fc.constantFrom(1, 2);
      const trace = fc.array(anyAccess, { maxLength: 80 });
      fc.assert(
        fc.property(trace, anyThreshold, anyClients, (accesses, threshold, minClients) => {
          const source = make({ minClients });
          for (const each of accesses) {
            source.observe(each);
            const all = source.predict(each, everything);
            const above = all.filter(({ probability }) => probability > threshold);
            expect(source.predict(each, { threshold, limit: null })).toEqual(above);
          }
        }),
      );
    });
  });
}
