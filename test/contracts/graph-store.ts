// What every graph store holds. A store calls this in three lines:
//
//   graphStoreContract('name', (place) => new MyStore(place));
//
// `open` is given a name that is new in each test; opened again by the same name, it is the same store.

import { afterEach, describe, expect, test } from 'vitest';
import { DependencyGraph } from '../../prefetchd/model/dependency-graph.ts';
import type { GraphStore } from '../../prefetchd/store/graph-store.ts';
import { access, observeAll } from '../prefetchd/model/accesses.ts';

const paths = [
  ['/a', '/b', '/c.gif', '/d'],
  ['/a', '/d', '/b'],
  ['/b', '/a', '/__proto__', '__proto__'],
  ['__proto__', '/a', 'constructor', '/\u00e9'],
];
const urls = [...new Set(paths.flat())];

/** Ties included: many arcs have the same count. */
function learn(graph: DependencyGraph, who: string): DependencyGraph {
  paths.forEach((path, index) => {
    observeAll(graph, `${who} ${index}`, path, index * 60_000);
  });
  return graph;
}

export function predictionsOf(graph: DependencyGraph) {
  return urls.map((url) =>
    graph.predict(access({ url, client: 'new' }), { threshold: 0, limit: null }),
  );
}

const contentOf = ({ graph }: DependencyGraph) => ({
  nodes: [...graph.nodeList()],
  arcs: [...graph.arcList()],
});

export function graphStoreContract(
  name: string,
  open: (place: string) => GraphStore | Promise<GraphStore>,
): void {
  describe(`${name} keeps the contract of a graph store`, () => {
    let places = 0;
    let store: GraphStore | undefined;
    const opened = async (place = `place ${++places}`) => {
      store = await open(place);
      return store;
    };
    afterEach(() => store?.close());

    test('holds nothing at first', async () => {
      const store = await opened();
      const graph = new DependencyGraph();
      await store.load(graph);
      expect(await store.window()).toBeNull();
      expect(contentOf(graph)).toEqual({ nodes: [], arcs: [] });
    });

    test('a round trip gives the same nodes, arcs, clients and predictions', async () => {
      const store = await opened();
      const before = learn(new DependencyGraph({ window: 3 }), 'visitor');
      await store.save(before);
      const after = new DependencyGraph({ window: 3 });
      await store.load(after);
      expect(await store.window()).toBe(3);
      expect(contentOf(after)).toEqual(contentOf(before));
      expect(predictionsOf(after)).toEqual(predictionsOf(before));
      expect(predictionsOf(after).flat().length).toBeGreaterThan(10);
    });

    test('fractions, as ageing leaves them, stay what they are', async () => {
      const store = await opened();
      const aged = learn(new DependencyGraph({ halfLifeMs: 7000 }), 'visitor');
      await store.save(aged);
      const after = new DependencyGraph();
      await store.load(after);
      expect(contentOf(after)).toEqual(contentOf(aged));
    });

    test('two trainings add up: as if one graph had seen both', async () => {
      const place = 'trained twice';
      for (const who of ['monday', 'tuesday']) {
        const store = await opened(place);
        const graph = new DependencyGraph();
        await store.load(graph);
        await store.save(learn(graph, who));
        await store.close();
      }
      const after = new DependencyGraph();
      await (await opened(place)).load(after);
      const both = learn(learn(new DependencyGraph(), 'monday'), 'tuesday');
      for (const from of urls) {
        for (const to of urls) {
          expect(after.graph.weight(from, to)).toBe(both.graph.weight(from, to));
        }
      }
      const clientsOf = (graph: DependencyGraph) =>
        new Map(contentOf(graph).arcs.map((arc) => [`${arc.from} ${arc.to}`, arc.clients]));
      expect(clientsOf(after)).toEqual(clientsOf(both));
      expect([...after.graph.nodeList()]).toEqual([...both.graph.nodeList()]);
    });

    test('saving replaces what was kept', async () => {
      const store = await opened();
      await store.save(learn(new DependencyGraph(), 'visitor'));
      await store.save(new DependencyGraph({ window: 7 }));
      const after = new DependencyGraph({ window: 7 });
      await store.load(after);
      expect(contentOf(after)).toEqual({ nodes: [], arcs: [] });
    });

    test('counts of another window are not added up', async () => {
      const store = await opened();
      await store.save(learn(new DependencyGraph({ window: 3 }), 'visitor'));
      const other = new DependencyGraph({ window: 4 });
      await expect(store.load(other)).rejects.toMatchObject({
        code: 'invalid-option',
        message: expect.stringContaining('window must be 3'),
      });
      expect(contentOf(other).nodes).toEqual([]);
    });

    test('may be closed twice', async () => {
      const store = await opened();
      await store.close();
      await store.close();
    });
  });
}
