// Whole rows are laid down at once: the same comes of it as when each arc comes by itself. Names of URLs that were
// kept are judged when somebody could be sent there.

import { describe, expect, test } from 'vitest';
import { GraphExport } from '../../../prefetchd/model/graph-export.ts';
import {
  createPredictor,
  type PredictorOptions,
  predictorNames,
} from '../../../prefetchd/model/index.ts';
import { DependencyGraph } from '../../../prefetchd/model/predictors/dependency-graph.ts';
import { type ArcSketch, deltaOf } from '../../support/graph-deltas.ts';
import fc from '../../support/property.ts';
import { access } from './accesses.ts';
import { learnedArcs, learnedNodes } from './learned.ts';

const era = 7;
const everything = { threshold: 0, limit: null };

describe('a delta in one piece', () => {
  const urls = Array.from({ length: 12 }, (_, n) => `/${n}`);
  const anyArc = fc.record({
    from: fc.constantFrom(...urls),
    to: fc.constantFrom(...urls),
    count: fc.integer({ min: 1, max: 4 }),
    clients: fc.uniqueArray(fc.integer({ min: 1, max: 1023 }), { maxLength: 4 }),
    seen: fc.nat(6),
  });
  /** As stores give them: by the URL they leave, strongest first. */
  const anyArcs = fc
    .array(anyArc, { maxLength: 60 })
    .map((arcs) => arcs.toSorted((a, b) => a.from.localeCompare(b.from) || b.count - a.count));
  const anyCaps = fc.constantFrom<PredictorOptions>({}, { maxArcsPerNode: 3 });

  const added = (options: PredictorOptions, ...pieces: ArcSketch[][]) => {
    const predictor = new DependencyGraph(options);
    const kept = new GraphExport(predictor);
    const nodes = Object.fromEntries(urls.map((url) => [url, { accesses: 0 }]));
    kept.add(deltaOf({ nodes }), era);
    for (const graph of pieces) kept.add(deltaOf({ era, graphs: [graph] }), era);
    return predictor;
  };

  test('gives the arcs, in the order, that its arcs give one by one, within the caps', () => {
    fc.assert(
      fc.property(anyArcs, anyArcs, anyCaps, (first, second, caps) => {
        const whole = added(caps, first, second);
        // The last of a delta comes first (graph-delta.ts).
        const single = [...first.toReversed(), ...second.toReversed()].map((arc) => [arc]);
        const apart = added(caps, ...single);
        expect(learnedArcs(whole)).toEqual(learnedArcs(apart));
        expect(whole.graph.size).toBe(learnedArcs(whole).length);
        expect(learnedNodes(whole)).toEqual(learnedNodes(apart));
        for (const url of urls) {
          const asked = access({ url, client: 'nobody' });
          expect(whole.predict(asked, everything)).toEqual(apart.predict(asked, everything));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('never leaves more arcs than there may be, and counts those there are', () => {
    fc.assert(
      fc.property(anyArcs, anyArcs, (first, second) => {
        const predictor = added({ maxArcs: 9 }, first, second);
        expect(predictor.graph.size).toBeLessThanOrEqual(9);
        expect(learnedArcs(predictor)).toHaveLength(predictor.graph.size);
      }),
    );
  });
});

describe('a name that must not be hinted, kept from when it could be', () => {
  const arcs = (...targets: string[]) =>
    targets.map((to) => ({ from: '/a', to, count: 2, clients: [1, 2, 3] }));
  const nodes = { '/a': { accesses: 2 }, '/b': { accesses: 2 }, '/out': { accesses: 2 } };

  test.each(predictorNames)('%s: is no hint', (name) => {
    const asked: string[] = [];
    const mayHint = (url: string) => {
      asked.push(url);
      return url !== '/out';
    };
    const predictor = createPredictor(name, { mayHint, minClients: 3 });
    const graphs = predictor.tables.graphs.map(() => arcs('/b', '/out'));
    new GraphExport(predictor).add(deltaOf({ nodes, era, graphs }), era);
    expect(asked).toEqual([]); // a hundred thousand names would take half a second
    const hinted = () =>
      predictor.predict(access({ url: '/a', client: 'x' }), everything).map(({ url }) => url);
    expect(hinted()).toEqual(['/b']);
    const before = asked.length;
    expect(before).toBeLessThanOrEqual(2);
    hinted();
    expect(asked).toHaveLength(before); // once for each name
    // Nor is it after somebody has a habit of it.
    for (let i = 0; i < 5; i++) {
      for (const url of ['/a', '/out', '/b']) predictor.observe(access({ url, client: 'x' }));
    }
    expect(hinted()).toEqual(['/b']);
  });

  test.each(predictorNames)(
    '%s: a URL that is asked for as another kind is judged anew',
    (name) => {
      const predictor = createPredictor(name, { mayHint: (_, kind) => kind === 'object' });
      const asked = access({ url: '/a', client: 'one' });
      const hints = () => predictor.predict(asked, everything);
      predictor.observe(asked);
      predictor.observe(access({ url: '/b?c', client: 'one', kind: 'object' }));
      expect(hints()).toHaveLength(1);
      predictor.observe(access({ url: '/b?c', client: 'two', kind: 'document' }));
      expect(hints()).toEqual([]);
    },
  );
});
