// Worked examples of the four predictors beside the paper's.

import { describe, expect, test } from 'vitest';
import { createPredictor, type Predictor } from '../../../prefetchd/model/index.ts';
import fc from '../../support/property.ts';
import { access, observeAll } from './accesses.ts';

const hints = (predictor: Predictor, url: string, client = 'new', timeMs = 0) =>
  Object.fromEntries(
    predictor
      .predict(access({ url, client, timeMs }), { threshold: 0, limit: null })
      .map((hint) => [hint.url, hint.probability]),
  );

describe('most-popular', () => {
  test('the probability is the share of accesses that the URL followed within the window', () => {
    const predictor = createPredictor('most-popular', { window: 2 });
    for (const client of ['one', 'two', 'three']) observeAll(predictor, client, ['/x', '/a']);
    observeAll(predictor, 'four', ['/y', '/b']);
    // eight accesses; /a came right after three of them, /b after one
    expect(hints(predictor, '/x')).toEqual({ '/a': 3 / 8, '/b': 1 / 8 });
  });

  test('the list holds the N best, exactly, also when URLs went', () => {
    const predictor = createPredictor('most-popular', { window: 2, top: 3, maxNodes: 40 });
    for (let i = 0; i < 600; i++) {
      const rank = i % 7;
      observeAll(predictor, `client ${i}`, [
        `/noise-${i}`,
        `/top-${rank < 4 ? 0 : rank < 6 ? 1 : 2}`,
      ]);
    }
    expect(Object.keys(hints(predictor, '/noise-599'))).toEqual(['/top-0', '/top-1', '/top-2']);
  });
});

describe('markov', () => {
  test('is the dependency graph that looks one step ahead, whatever its window is set to', () => {
    const urls = fc.array(fc.constantFrom('/a', '/b', '/c', '/d'), { maxLength: 60 });
    fc.assert(
      fc.property(urls, fc.integer({ min: 2, max: 10 }), (accesses, window) => {
        const markov = createPredictor('markov', { window });
        const graph = createPredictor('dependency-graph', { window: 2 });
        observeAll(markov, 'c', accesses);
        observeAll(graph, 'c', accesses);
        for (const url of ['/a', '/b', '/c', '/d']) {
          expect(hints(markov, url)).toEqual(hints(graph, url));
        }
      }),
    );
  });
});

describe('client-blend', () => {
  const blended = (options = {}) => {
    const predictor = createPredictor('client-blend', { priorAccesses: 2, ...options });
    for (let i = 0; i < 9; i++) observeAll(predictor, `visitor-${i}`, ['/a', '/b']);
    observeAll(predictor, 'regular', ['/a', '/c']);
    observeAll(predictor, 'regular', ['/a', '/c'], 7_200_000);
    return predictor;
  };

  test('a newcomer gets what everybody does', () => {
    expect(hints(blended(), '/a')).toEqual({ '/b': 9 / 11, '/c': 2 / 11 });
  });

  test('(own count + k * weight of everybody) / (own accesses + k)', () => {
    const own = hints(blended(), '/a', 'regular');
    expect(own['/c']).toBeCloseTo((2 + 2 * (2 / 11)) / (2 + 2), 12);
    expect(own['/b']).toBeCloseTo((0 + 2 * (9 / 11)) / (2 + 2), 12);
    expect(Object.keys(own)).toEqual(['/c', '/b']);
  });

  test('with minClients a habit alone is no hint', () => {
    expect(Object.keys(hints(blended({ minClients: 3 }), '/a', 'regular'))).toEqual(['/b']);
  });
});

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
    expect(hints(predictor, '/a')).toEqual({
      '/a.gif': 0.5,
      '/b': 0.5,
      '/c': 0.25,
      '/b.gif': 0.25,
    });
  });

  test('after an object: what its page leads to, as far as the client is known', () => {
    const predictor = createPredictor('double-graph', { window: 2 });
    observeAll(predictor, 'one', ['/a', '/a.gif', '/b']);
    observeAll(predictor, 'two', ['/a', '/a.gif']);
    expect(hints(predictor, '/a.gif', 'two')).toEqual({ '/b': 0.5 });
    expect(hints(predictor, '/a.gif', 'nobody')).toEqual({});
  });

  test('an object belongs to the page it was asked for with, not to the one before', () => {
    const predictor = createPredictor('double-graph', { window: 10 });
    observeAll(predictor, 'one', ['/a', '/b', '/b.gif']);
    observeAll(predictor, 'two', ['/a', '/c']);
    expect(hints(predictor, '/a')['/b.gif']).toBe(0.5 * 1);
    expect(hints(predictor, '/c')['/b.gif']).toBeUndefined();
  });
});
