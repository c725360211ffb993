// URLs come and go: what is left is what a model would know that forgets the same URLs and writes
// everything down. Nothing is kept of a URL that went, and nothing of it is taken for the next one's.

import { expect, test } from 'vitest';
import { DependencyGraph } from '../../../prefetchd/model/predictors/dependency-graph.ts';
import fc from '../../support/property.ts';
import { access } from './accesses.ts';
import { learnedArcs } from './learned.ts';

/** The graph without ids: counts by URL, rings of URLs. `forget` lets go of every trace. */
class ForgettingGraph {
  readonly accesses = new Map<string, number>();
  readonly arcs = new Map<string, Map<string, number>>();
  readonly rings = new Map<string, Array<string | null>>();
  readonly #window: number;

  constructor(window: number) {
    this.#window = window;
  }

  forget(url: string): void {
    this.accesses.delete(url);
    this.arcs.delete(url);
    for (const targets of this.arcs.values()) targets.delete(url);
    for (const ring of this.rings.values()) {
      ring.forEach((each, at) => {
        if (each === url) ring[at] = null;
      });
    }
  }

  observe(client: string, url: string): void {
    this.accesses.set(url, (this.accesses.get(url) ?? 0) + 1);
    const ring = this.rings.get(client) ?? [];
    this.rings.set(client, ring);
    for (const earlier of ring.toReversed()) {
      if (earlier === url) break;
      if (earlier === null) continue;
      const targets = this.arcs.get(earlier) ?? new Map<string, number>();
      this.arcs.set(earlier, targets.set(url, (targets.get(url) ?? 0) + 1));
    }
    ring.push(url);
    if (ring.length >= this.#window) ring.shift();
  }
}

test('with few URLs known at a time, all weights are those of a naive model that forgets the same', () => {
  const urls = Array.from({ length: 9 }, (_, n) => `/${n}`);
  const step = fc.record({
    client: fc.constantFrom('one', 'two', 'three'),
    url: fc.constantFrom(...urls),
  });
  const settings = fc.record({
    window: fc.integer({ min: 2, max: 6 }),
    maxNodes: fc.integer({ min: 2, max: 8 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 250 }), settings, (steps, { window, maxNodes }) => {
      const predictor = new DependencyGraph({ window, maxNodes });
      const naive = new ForgettingGraph(window);
      const { nodes } = predictor.graph;
      let known = new Set<string>();
      for (const { client, url } of steps) {
        predictor.observe(access({ client, url }));
        const now = new Set(urls.filter((each) => nodes.find(each) !== undefined));
        for (const each of known) if (!now.has(each)) naive.forget(each);
        known = now;
        naive.observe(client, url);
        expect(now.size).toBeLessThanOrEqual(maxNodes);
        for (const from of now) {
          for (const to of now) {
            const count = naive.arcs.get(from)?.get(to) ?? 0;
            expect(predictor.graph.weight(from, to)).toBe(count / (naive.accesses.get(from) ?? 1));
          }
        }
      }
      const arcs = [...naive.arcs.values()].reduce((sum, targets) => sum + targets.size, 0);
      expect(learnedArcs(predictor)).toHaveLength(arcs);
      expect(predictor.graph.size).toBe(arcs);
    }),
    { numRuns: 300 },
  );
});
