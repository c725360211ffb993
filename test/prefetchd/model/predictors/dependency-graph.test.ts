import { describe, expect, test } from 'vitest';
import { GraphExport } from '../../../../prefetchd/model/graph-export.ts';
import { DependencyGraph } from '../../../../prefetchd/model/predictors/dependency-graph.ts';
import { predictorContract } from '../../../contracts/predictor.ts';
import { deltaOf } from '../../../support/graph-deltas.ts';
import fc from '../../../support/property.ts';
import { access, observeAll } from '../accesses.ts';
import { NaiveGraph } from '../naive-graph.ts';

predictorContract('dependency-graph', (options) => new DependencyGraph(options));

/** Accesses that nothing else in a test asks for, more than a window of them. */
let fillers = 0;
const gap = (count = 12) => Array.from({ length: count }, () => `/filler-${fillers++}`);

describe('weights (Padmanabhan 1995, 7.2 and 7.3)', () => {
  test('A B B ... A ... A ... A B B with w = 10: the weight of A to B is 0.5, not 1 (7.3)', () => {
    const predictor = new DependencyGraph({ window: 10 });
    const accesses = ['/a', '/b', '/b', ...gap(), '/a', ...gap(), '/a', ...gap(), '/a', '/b', '/b'];
    observeAll(predictor, 'c', accesses);
    expect(predictor.graph.weight('/a', '/b')).toBe(0.5);
  });

  test('ties go to the arc used last', () => {
    const predictor = new DependencyGraph({ window: 2 });
    for (const next of ['/x', '/m', '/b']) {
      observeAll(predictor, `client of ${next}`, ['/a', next]);
    }
    const hints = predictor.predict(access({ url: '/a' }), { threshold: 0, limit: null });
    expect(hints.map((hint) => hint.url)).toEqual(['/b', '/m', '/x']);
  });

  test('on any accesses, with any changes of the window, all weights are those of the naive model', () => {
    const step = fc.record({
      client: fc.constantFrom('one', 'two', 'three'),
      url: fc.constantFrom('/a', '/b', '/c', '/d', '/e', '/f.gif'),
      pauseMs: fc.constantFrom(0, 1000, 60_000, 120_000),
      window: fc.option(fc.integer({ min: 2, max: 12 }), { freq: 8 }),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 200 }),
        fc.integer({ min: 2, max: 12 }),
        (steps, w) => {
          const predictor = new DependencyGraph({ window: w, idleGapMs: 200_000 });
          const naive = new NaiveGraph(w, 200_000);
          let timeMs = 0;
          for (const { client, url, pauseMs, window } of steps) {
            if (window !== null) {
              predictor.window = window;
              naive.window = window;
            }
            timeMs += pauseMs;
            predictor.observe(access({ client, url, timeMs }));
            naive.observe(access({ client, url, timeMs }));
          }
          for (const from of ['/a', '/b', '/c', '/d', '/e', '/f.gif']) {
            const hints = predictor.predict(access({ url: from }), { threshold: 0, limit: null });
            const weights = new Map(hints.map((hint) => [hint.url, hint.probability]));
            expect(weights).toEqual(naive.weights(from));
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('graphs add up', () => {
  test('counters that do not fit together still make no weight above 1', () => {
    const predictor = new DependencyGraph();
    const nodes = { '/a': { accesses: 1 }, '/b': { accesses: 9 } };
    const delta = deltaOf({ nodes, graphs: [[{ from: '/a', to: '/b', count: 9 }]] });
    new GraphExport(predictor).add(delta, 1);
    expect(predictor.graph.weight('/a', '/b')).toBe(1);
  });
});
