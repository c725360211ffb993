import { describe, expect, test } from 'vitest';
import { GraphExport } from '../../../../prefetchd/model/graph-export.ts';
import { DependencyGraph } from '../../../../prefetchd/model/predictors/dependency-graph.ts';
import { predictorContract } from '../../../contracts/predictor.ts';
import { deltaOf } from '../../../support/graph-deltas.ts';
import fc from '../../../support/property.ts';
import { access, observeAll } from '../accesses.ts';
import { addLearned, learnedArcs } from '../learned.ts';
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

  test('B counts once for an occurrence of A, however often it comes: A B C B gives 1', () => {
    const predictor = new DependencyGraph({ window: 10 });
    observeAll(predictor, 'c', ['/a', '/b', '/c', '/b']);
    expect(predictor.graph.weight('/a', '/b')).toBe(1);
    expect(predictor.graph.weight('/b', '/c')).toBe(0.5);
  });

  test('B counts for each occurrence of A that it follows: A A B gives 2 / 2', () => {
    const predictor = new DependencyGraph({ window: 10 });
    observeAll(predictor, 'c', ['/a', '/a', '/b']);
    expect(predictor.graph.weight('/a', '/b')).toBe(1);
  });

  test('w = 2 looks one step ahead (8): in A B C no arc leads from A to C', () => {
    const predictor = new DependencyGraph({ window: 2 });
    observeAll(predictor, 'c', ['/a', '/b', '/c']);
    expect(predictor.graph.weight('/a', '/b')).toBe(1);
    expect(predictor.graph.weight('/a', '/c')).toBe(0);
  });

  test('the ring of w holds the present access and w - 1 before it: w = 4 looks three steps ahead', () => {
    const predictor = new DependencyGraph({ window: 4 });
    observeAll(predictor, 'c', ['/a', '/b', '/c', '/d', '/e']);
    expect(['/b', '/c', '/d', '/e'].map((to) => predictor.graph.weight('/a', to))).toEqual([
      1, 1, 1, 0,
    ]);
  });

  test('no arc leads from a URL to itself: the client has it', () => {
    const predictor = new DependencyGraph();
    observeAll(predictor, 'c', ['/a', '/a', '/b', '/a']);
    expect(predictor.graph.weight('/a', '/a')).toBe(0);
  });

  test('ties go to the arc used last', () => {
    const predictor = new DependencyGraph({ window: 2 });
    for (const next of ['/x', '/m', '/b']) {
      observeAll(predictor, `client of ${next}`, ['/a', next]);
    }
    const hints = predictor.predict(access({ url: '/a' }), { threshold: 0, limit: null });
    expect(hints.map((hint) => hint.url)).toEqual(['/b', '/m', '/x']);
  });

  test('a window that shrinks lets go at once, and one that grows brings nothing back', () => {
    const predictor = new DependencyGraph({ window: 4 });
    observeAll(predictor, 'c', ['/a', '/b']);
    predictor.window = 2;
    observeAll(predictor, 'c', ['/c'], 2000);
    predictor.window = 6;
    observeAll(predictor, 'c', ['/d'], 3000);
    expect(predictor.graph.weight('/a', '/c')).toBe(0);
    expect(predictor.graph.weight('/a', '/d')).toBe(0);
    // the ring of two held /b and /c when the window grew
    expect(predictor.graph.weight('/b', '/d')).toBe(1);
    expect(predictor.graph.weight('/c', '/d')).toBe(1);
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
  test('what one graph lists and another is given makes the same weights', () => {
    const learned = new DependencyGraph();
    observeAll(learned, 'c', ['/', '/a', '/logo.gif', '/', '/b', '/a']);
    const restored = new DependencyGraph();
    addLearned(learned, restored);
    const sorted = (arcs: unknown[]) => arcs.map((arc) => JSON.stringify(arc)).sort();
    expect(sorted(learnedArcs(restored))).toEqual(sorted(learnedArcs(learned)));
    const kinds = restored.predict(access({ url: '/a' }), { threshold: 0, limit: null });
    expect(kinds.find((hint) => hint.url === '/logo.gif')?.kind).toBe('object');
  });

  test('two half graphs put together are the graph of all accesses', () => {
    const left = new DependencyGraph();
    const right = new DependencyGraph();
    const whole = new DependencyGraph();
    observeAll(left, 'one', ['/a', '/b', '/a', '/c']);
    observeAll(right, 'two', ['/a', '/c', '/d']);
    observeAll(whole, 'one', ['/a', '/b', '/a', '/c']);
    observeAll(whole, 'two', ['/a', '/c', '/d']);
    addLearned(right, left);
    for (const { from, to } of learnedArcs(whole)) {
      expect(left.graph.weight(from, to)).toBe(whole.graph.weight(from, to));
    }
    expect(learnedArcs(left)).toHaveLength(learnedArcs(whole).length);
  });

  test('counters that do not fit together still make no weight above 1', () => {
    const predictor = new DependencyGraph();
    const nodes = { '/a': { accesses: 1 }, '/b': { accesses: 9 } };
    const delta = deltaOf({ nodes, graphs: [[{ from: '/a', to: '/b', count: 9 }]] });
    new GraphExport(predictor).add(delta, 1);
    expect(predictor.graph.weight('/a', '/b')).toBe(1);
  });
});
