// Memory is bounded by the caps, and what goes is the weakest.

import { describe, expect, test } from 'vitest';
import { bytesPerArcSlot } from '../../../prefetchd/model/graph/arc-pool.ts';
import { ArcTable } from '../../../prefetchd/model/graph/arcs.ts';
import { createPredictor, type Predictor, predictorNames } from '../../../prefetchd/model/index.ts';
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
        const { nodes, arcs } = predictor.graph;
        for (const each of steps) {
          predictor.observe(access(each));
          expect(nodes.size).toBeLessThanOrEqual(12);
          expect(arcs.size).toBeLessThanOrEqual(15);
        }
        const listed = learnedArcs(predictor);
        expect(listed).toHaveLength(arcs.size);
        const known = new Set(learnedNodes(predictor).map((node) => node.url));
        expect(known.size).toBe(nodes.size);
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
    expect(['/x', '/y', '/z'].map((to) => predictor.graph.weight('/a', to))).toEqual([
      0.5, 0, 0.25,
    ]);
  });

  test('ids of URLs that went are used again without false arcs', () => {
    const predictor = new DependencyGraph({ maxNodes: 3, window: 10 });
    // /b goes while the client still has it in its window; /d takes its id
    observeAll(predictor, 'keeper', ['/a', '/a', '/a']);
    observeAll(predictor, 'c', ['/b', '/c', '/a', '/d', '/e']);
    for (const { from, to } of learnedArcs(predictor)) {
      expect([from, to]).not.toContain('/b');
    }
    expect(predictor.graph.weight('/d', '/e')).toBeGreaterThan(0);
  });
});

describe('arcs in few bytes', () => {
  test('an arc takes 30 bytes; with spare slots, rows and nodes at most 90 on a full graph', () => {
    expect(bytesPerArcSlot).toBe(30);
    const predictor = new DependencyGraph();
    let seed = 1;
    const random = () => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      return seed / 0x7fffffff;
    };
    for (let i = 0; i < 200_000; i++) {
      const url = `/page-${Math.floor(random() ** 2 * 20_000)}`;
      predictor.observe(access({ url, client: `client ${i % 500}`, timeMs: i }));
    }
    expect(predictor.graph.arcs.size).toBeGreaterThan(100_000);
    expect(predictor.graph.typedBytes / predictor.graph.arcs.size).toBeLessThan(90);
  });

  test('a row is sorted by count after every credit; once settled, its head is, the latest first', () => {
    const credits = fc.array(fc.tuple(fc.nat(2), fc.nat(12), fc.integer({ min: 1, max: 3 })));
    fc.assert(
      fc.property(credits, fc.nat(8), (list, head) => {
        const time = { sequence: 0, generationOf: () => 0 };
        const arcs = new ArcTable({ maxArcs: 20, maxArcsPerRow: 8 }, time);
        const rowOf = (row: number) => {
          const { to, counts, lasts } = arcs.chunk(row);
          return Array.from({ length: arcs.length(row) }, (_, i) => {
            const at = arcs.start(row) + i;
            return { to: to[at], count: counts[at] as number, last: lasts[at] as number };
          });
        };
        for (const [row, to, amount] of list) {
          time.sequence++;
          arcs.credit(row, to, amount, 1);
          const arc = rowOf(row).find((each) => each.to === to);
          expect(arc?.last).toBe(time.sequence);
        }
        for (const row of [0, 1, 2].filter((each) => arcs.length(each) > 0)) {
          const before = rowOf(row);
          expect(new Set(before.map(({ to }) => to)).size).toBe(before.length);
          const counts = before.map(({ count }) => count);
          expect(counts).toEqual(counts.toSorted((a, b) => b - a));
          const settled = Math.min(head, before.length);
          arcs.settle(row, settled);
          const inOrder = before.toSorted((a, b) => b.count - a.count || b.last - a.last);
          expect(rowOf(row).slice(0, settled)).toEqual(inOrder.slice(0, settled));
        }
      }),
    );
  });

  test('rows longer than a chunk keep their arcs', () => {
    const arcs = new ArcTable(
      { maxArcs: 50_000, maxArcsPerRow: 20_000 },
      { sequence: 0, generationOf: () => 0 },
    );
    for (let to = 0; to < 15_000; to++) arcs.credit(7, to, 1 + (to % 3), 0);
    expect(arcs.size).toBe(15_000);
    for (let to = 0; to < 15_000; to += 997) {
      expect(arcs.chunk(7).counts[arcs.find(7, to)]).toBe(1 + (to % 3));
    }
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
  test('a million distinct URLs of 100,000 clients, in 64 MB', { timeout: 60_000 }, () => {
    const predictor = new DependencyGraph();
    drown(predictor, 1_000_000, 100_000);
    expect(predictor.typedBytes).toBeLessThan(64 * 1024 * 1024);
    expectTopArcs(predictor);
  });

  for (const name of predictorNames) {
    test(`${name}: fifteen times as many URLs as it may know`, () => {
      const caps = { maxNodes: 4000, maxArcs: 8000, maxClients: 500 };
      const predictor = createPredictor(name, { window: 2, ...caps });
      drown(predictor, 60_000, 6000);
      expectTopArcs(predictor);
    });
  }
});
