// Memory is bounded by the caps, and what goes is the weakest.

import { describe, expect, test } from 'vitest';
import { type Predictor, predictorNames, predictorWith } from '../../../prefetchd/model/index.ts';
import { DependencyGraph } from '../../../prefetchd/model/predictors/dependency-graph.ts';
import fc from '../../support/property.ts';
import { access, observeAll } from './accesses.ts';
import { learnedArcs, learnedNodes } from './learned.ts';

describe('caps hold', () => {
  test('on any accesses: nodes, arcs, arcs of a node', () => {
    const step = fc.record({
      client: fc.integer({ min: 0, max: 5 }).map((n) => `client ${n}`),
      url: fc.integer({ min: 0, max: 40 }).map((n) => `/${n}`),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const caps = { maxNodes: 12, maxArcs: 15, maxArcsPerNode: 4, maxClients: 3, window: 5 };
        const predictor = new DependencyGraph(caps);
        const { graph } = predictor;
        for (const each of steps) {
          predictor.observe(access(each));
          expect(graph.nodes.size).toBeLessThanOrEqual(12);
          expect(graph.size).toBeLessThanOrEqual(15);
        }
        const listed = learnedArcs(predictor);
        expect(listed).toHaveLength(graph.size);
        const known = new Set(learnedNodes(predictor).map((node) => node.url));
        expect(known.size).toBe(graph.nodes.size);
        for (const { from, to } of listed) {
          expect(known.has(from) && known.has(to)).toBe(true);
          expect(predictor.graph.weight(from, to)).toBeLessThanOrEqual(1);
        }
        for (const from of known) {
          expect(listed.filter((arc) => arc.from === from).length).toBeLessThanOrEqual(4);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('the characters of all URLs together', () => {
    const predictor = new DependencyGraph({ maxUrlCharacters: 10_000 });
    for (let i = 0; i < 500; i++) observeAll(predictor, `c${i}`, [`/${i}${'x'.repeat(1000)}`]);
    const characters = learnedNodes(predictor).reduce((sum, { url }) => sum + url.length, 0);
    expect(characters).toBeLessThanOrEqual(10_000);
    expect(predictor.graph.nodes.size).toBeGreaterThan(5);
  });

  test('a full node gives up its weakest arc, unused longest', () => {
    const predictor = new DependencyGraph({ maxArcsPerNode: 2 });
    for (const [i, next] of ['/x', '/x', '/y', '/z'].entries()) {
      observeAll(predictor, `c${i}`, ['/a', next]);
    }
    const weights = ['/x', '/y', '/z'].map((to) => predictor.graph.weight('/a', to));
    expect(weights).toEqual([0.5, 0, 0.25]);
  });

  test('URLs that went are forgotten, and with them the arcs to them', () => {
    const predictor = new DependencyGraph({ maxNodes: 50, window: 2 });
    for (let i = 0; i < 5000; i++) observeAll(predictor, `c${i}`, ['/', `/${i}`]);
    const { arcs, size, nodes } = predictor.graph;
    expect(nodes.size).toBe(50);
    expect(size).toBeLessThanOrEqual(49);
    expect(arcs.length).toBeLessThanOrEqual(2 * size);
    for (const { to } of arcs) expect(to.url === '').toBe(to.isGone);
  });

  test('URLs that went leave no false arcs', () => {
    const predictor = new DependencyGraph({ maxNodes: 3, window: 10 });
    // /b goes while the client still has it in its window
    observeAll(predictor, 'keeper', ['/a', '/a', '/a']);
    observeAll(predictor, 'c', ['/b', '/c', '/a', '/d', '/e']);
    for (const { from, to } of learnedArcs(predictor)) {
      expect([from, to]).not.toContain('/b');
    }
    expect(predictor.graph.weight('/d', '/e')).toBeGreaterThan(0);
  });
});

/** Everybody asks for URLs nobody else asks for; one reader in a hundred follows real links. */
function drown(predictor: Predictor, noiseUrls: number, clients: number): void {
  for (let i = 0; i < noiseUrls; i++) {
    const timeMs = i * 10;
    const client = `192.0.2.${i % clients} Mozilla/5.0 (compatible)`;
    predictor.observe(access({ url: `/noise/${i}`, client, timeMs }));
    if (i % 100 !== 0) continue;
    const page = (i / 100) % 20;
    observeAll(predictor, `reader ${i}`, [`/page-${page}`, `/next-${page}`], timeMs);
  }
}

function expectTopArcs(predictor: Predictor): void {
  for (let page = 0; page < 20; page++) {
    const asked = access({ url: `/page-${page}`, client: 'new' });
    const [best] = predictor.predict(asked, { threshold: 0, limit: 1 });
    expect(best).toMatchObject({ url: `/next-${page}`, probability: 1 });
  }
}

describe('the real top arcs survive', () => {
  for (const name of predictorNames) {
    test(`${name}: fifteen times as many URLs as it may know`, () => {
      const caps = { maxNodes: 4000, maxArcs: 8000, maxClients: 500 };
      const predictor = predictorWith(name, { window: 2, ...caps });
      drown(predictor, 60_000, 6000);
      expectTopArcs(predictor);
    });
  }
});
