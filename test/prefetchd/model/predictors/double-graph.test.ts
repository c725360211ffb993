import { describe, expect, test } from 'vitest';
import { createPredictor, type Predictor } from '../../../../prefetchd/model/index.ts';
import { DoubleGraph } from '../../../../prefetchd/model/predictors/double-graph.ts';
import { predictorContract } from '../../../contracts/predictor.ts';
import fc from '../../../support/property.ts';
import { access, observeAll } from '../accesses.ts';
import { NaiveDoubleGraph } from '../naive-double-graph.ts';

predictorContract('double-graph', (options) => new DoubleGraph(options));

const everything = { threshold: 0, limit: null };

describe('the fast way of the double graph', () => {
  const idleGapMs = 10_000;
  const urls = ['/a', '/b', '/c', '/d', ...'123456'.split('').map((name) => `/${name}.gif`)];
  const step = fc.record({
    url: fc.constantFrom(...urls),
    client: fc.constantFrom('one', 'two', 'three'),
    afterMs: fc.constantFrom(0, ...Array(50).fill(100), idleGapMs + 1),
    sent: fc.array(fc.constantFrom(...urls), { maxLength: 2 }),
  });

  test('gives what its definition gives, whatever the threshold', () => {
    const steps = fc.array(step, { maxLength: 120, size: 'max' });
    const thresholds = fc.constantFrom(0, 0.1, 0.3, 0.5, 0.9);
    fc.assert(
      fc.property(steps, fc.integer({ min: 2, max: 6 }), thresholds, (trace, window, threshold) => {
        const fast = new DoubleGraph({ window, idleGapMs });
        const slow = new NaiveDoubleGraph(window, idleGapMs);
        let timeMs = 0;
        for (const { afterMs, sent, ...fields } of trace) {
          timeMs += afterMs;
          const asked = access({ ...fields, timeMs, ...(sent.length > 0 && { alsoSent: sent }) });
          fast.observe(asked);
          slow.observe(asked);
          const given = fast.predict(asked, { threshold, limit: null });
          const wanted = slow.candidates(asked);
          for (const { url, kind, probability, navigation } of given) {
            const { probability: exact = 0, navigation: from } = wanted.get(url) ?? {};
            expect(probability).toBeCloseTo(exact, 12);
            expect(navigation).toBe(kind === 'object' ? from : undefined);
          }
          const above = [...wanted].filter(([, { probability }]) => probability > threshold + 1e-9);
          const named = given.map(({ url }) => url);
          expect(named).toEqual(expect.arrayContaining(above.map(([url]) => url)));
        }
      }),
      { numRuns: 100 },
    );
  });

  test('of many next pages the eight likeliest lend their objects, the latest among equals', () => {
    const predictor = new DoubleGraph({ window: 2 });
    for (let page = 0; page < 10; page++) {
      observeAll(predictor, `client ${page}`, ['/a', `/${page}`, `/${page}.gif`], page * 10_000);
    }
    // /0 is as likely as two, /1 is the latest again.
    observeAll(predictor, 'once more', ['/a', '/0', '/0.gif'], 200_000);
    const objects = predictor
      .predict(access({ url: '/a', client: 'new' }), { ...everything, kind: 'object' })
      .map(({ url }) => url);
    const latest = ['/9', '/8', '/7', '/6', '/5', '/4', '/3'].map((page) => `${page}.gif`);
    expect(objects).toEqual(['/0.gif', ...latest]);
  });

  test('of a next page’s many objects the sixteen likeliest count, the latest among equals', () => {
    const predictor = new DoubleGraph({ window: 100 });
    const pictures = Array.from({ length: 20 }, (_, nth) => `/${nth}.gif`);
    observeAll(predictor, 'one', ['/a', '/b', ...pictures]);
    observeAll(predictor, 'two', ['/a', '/b', '/0.gif', '/1.gif'], 200_000);
    const objects = predictor
      .predict(access({ url: '/a', client: 'new' }), { ...everything, kind: 'object' })
      .map(({ url }) => url);
    expect(objects.toSorted()).toEqual(['/0.gif', '/1.gif', ...pictures.slice(6)].toSorted());
  });
});

describe('which page an object is embedded in', () => {
  test('the page asked about, or one that comes next; of pages nothing is said', () => {
    const predictor = new DoubleGraph({ window: 2 });
    observeAll(predictor, 'one', ['/a', '/a.gif', '/b', '/b.gif']);
    expect(predictor.predict(access({ url: '/a', client: 'new' }), everything)).toEqual([
      { url: '/b', kind: 'document', probability: 1 },
      { url: '/b.gif', kind: 'object', probability: 1, navigation: 'next' },
      { url: '/a.gif', kind: 'object', probability: 1, navigation: 'current' },
    ]);
  });

  test('what came after the page once by accident is of the next page that embeds it', () => {
    const predictor = new DoubleGraph({ window: 2 });
    for (let visitor = 0; visitor < 9; visitor++) {
      observeAll(predictor, `${visitor}`, ['/a', '/b', '/b.gif'], visitor * 10_000);
    }
    observeAll(predictor, 'with two tabs', ['/a', '/b.gif'], 100_000);
    const [object] = predictor.predict(access({ url: '/a' }), { ...everything, kind: 'object' });
    expect(object).toMatchObject({ url: '/b.gif', navigation: 'next' });
  });

  test('the dependency graph cannot tell', () => {
    const predictor = createPredictor('dependency-graph', { window: 4 });
    observeAll(predictor, 'one', ['/a', '/a.gif', '/b', '/b.gif']);
    const hints = predictor.predict(access({ url: '/a', client: 'new' }), everything);
    expect(hints.map(({ kind }) => kind)).toContain('object');
    for (const hint of hints) expect(hint).not.toHaveProperty('navigation');
  });
});

const hints = (predictor: Predictor, url: string, client = 'new', timeMs = 0) =>
  Object.fromEntries(
    predictor
      .predict(access({ url, client, timeMs }), { threshold: 0, limit: null })
      .map((hint) => [hint.url, hint.probability]),
  );

describe('double-graph (Domenech et al. 2006)', () => {
  test('objects between two pages do not hide that one follows the other', () => {
    const predictor = createPredictor('double-graph', { window: 2 });
    const images = Array.from({ length: 42 }, (_, i) => `/${i}.gif`);
    observeAll(predictor, 'c', ['/a', ...images, '/b']);
    expect(hints(predictor, '/a')['/b']).toBe(1);
    const plain = createPredictor('dependency-graph', { window: 10 });
    observeAll(plain, 'c', ['/a', ...images, '/b']);
    expect(hints(plain, '/a')['/b']).toBeUndefined();
  });

  test('after a page: its objects, the next pages, and their objects with P(page) P(object)', () => {
    const predictor = createPredictor('double-graph', { window: 2 });
    observeAll(predictor, 'one', ['/a', '/a.gif', '/b', '/b.gif']);
    observeAll(predictor, 'two', ['/a', '/a.gif', '/b']);
    observeAll(predictor, 'three', ['/a', '/c']);
    observeAll(predictor, 'four', ['/a']);
    // /b follows /a in 2 of 4, /b.gif belongs to 1 of 2 views of /b
    const expected = { '/a.gif': 0.5, '/b': 0.5, '/c': 0.25, '/b.gif': 0.25 };
    expect(hints(predictor, '/a')).toEqual(expected);
  });
});
