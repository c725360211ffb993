import { expect, test } from 'vitest';
import { DeltaBuilder } from '../../../../prefetchd/model/delta/delta-builder.ts';
import { Journal } from '../../../../prefetchd/model/delta/journal.ts';
import { Graph } from '../../../../prefetchd/model/graph/graph.ts';
import type { Node } from '../../../../prefetchd/model/graph/node.ts';
import { NodeTable } from '../../../../prefetchd/model/graph/nodes.ts';
import { modelDefaults } from '../../../../prefetchd/model/model-options.ts';
import { contentOf } from '../../../support/graph-deltas.ts';
import fc from '../../../support/property.ts';
import { access } from '../accesses.ts';

const graphs = 2;

const accessed = (nodes: NodeTable, url: string, timeMs = 0) =>
  nodes.access(access({ url, timeMs })) as Node;

/** A journal of a small table of URLs, in which weak ones give way. */
function noted(maxNodes: number, halfLifeMs: number | null = null) {
  const options = { ...modelDefaults, maxNodes, halfLifeMs };
  const nodes = new NodeTable(options);
  const all = ([0, 1] as const).map((n) => new Graph(options, nodes, n));
  const journal = new Journal({ nodes, graphs: all });
  journal.start();
  const columns = () => new DeltaBuilder({ predictor: 'any', window: 4, era: 7 }, graphs);
  const follow = (graph: number, from: Node, to: Node, amount = 1, client = 1) =>
    (all[graph] as Graph).followOne(from, to, amount, client);
  return { journal, nodes, columns, follow };
}

/** What a journal must give, the plain way: everything, and at the end what is still there. */
class NaiveJournal {
  #accesses = new Map<Node, number>();
  #arcs = new Map<string, { ends: Node[]; count: number; clients: number[] }>();
  readonly #names = new Map<Node, number>();

  access(node: Node): void {
    this.#accesses.set(node, (this.#accesses.get(node) ?? 0) + 1);
  }

  arc(graph: number, from: Node, to: Node, amount: number, client: number): void {
    const key = `${graph} ${this.#nameOf(from)} ${this.#nameOf(to)}`;
    const { count, clients } = this.#arcs.get(key) ?? { count: 0, clients: [] };
    const all = [...new Set([...clients, client])].slice(0, 6);
    this.#arcs.set(key, { ends: [from, to], count: count + amount, clients: all });
  }

  take(): string[] {
    const lines: string[] = [];
    for (const [node, count] of this.#accesses)
      if (!node.isGone) lines.push(`${node.url} ${count}`);
    for (const [key, { ends, count, clients }] of this.#arcs) {
      if (ends.some(({ isGone }) => isGone)) continue;
      const [from, to] = ends.map(({ url }) => url);
      lines.push(`${key.split(' ')[0]}: ${from} > ${to} ${count} of ${clients}`);
    }
    this.#accesses = new Map();
    this.#arcs = new Map();
    return lines.sort();
  }

  /** The same URL may come back as another node. */
  #nameOf(node: Node): number {
    const name = this.#names.get(node) ?? this.#names.size;
    this.#names.set(node, name);
    return name;
  }
}

/** All that waits, in pieces; and that none is larger than it may be. */
function taken({ journal, columns }: ReturnType<typeof noted>, most: number): string[] {
  const accesses = new Map<string, number>();
  const arcs: string[] = [];
  while (journal.waiting > 0) {
    const piece = columns();
    journal.drainInto(piece, most);
    const delta = piece.delta();
    const { nodes, graphs: rows } = contentOf(delta);
    const counted = delta.urls.filter((one) => one.accesses > 0);
    expect(counted.length).toBeLessThanOrEqual(most);
    expect(delta.graphs.flat().length).toBeLessThanOrEqual(most);
    for (const [url, { accesses: count }] of nodes) {
      accesses.set(url, (accesses.get(url) ?? 0) + count);
    }
    rows.forEach((row, graph) => {
      for (const [from, list] of row) {
        for (const { to, count, clients } of list) {
          arcs.push(`${graph}: ${from} > ${to} ${count} of ${clients}`);
        }
      }
    });
  }
  const lines = [...accesses].flatMap(([url, count]) => (count > 0 ? [`${url} ${count}`] : []));
  return [...lines, ...arcs].sort();
}

test('gives what came of the URLs that are still there, whatever was noted, went and came back', () => {
  const url = fc.integer({ min: 0, max: 11 }).map((n) => `/${n}`);
  const step = fc.oneof(
    { arbitrary: url, weight: 6 },
    {
      arbitrary: fc.record({
        graph: fc.nat(graphs - 1),
        ...{ from: url, to: url },
        amount: fc.integer({ min: 1, max: 4 }),
        client: fc.integer({ min: 1, max: 9 }),
      }),
      weight: 12,
    },
    fc.constantFrom('take' as const, 'clear' as const),
  );
  const anyMost = fc.constantFrom(1, 2, 5, Number.POSITIVE_INFINITY);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), anyMost, (steps, most) => {
      const all = noted(6);
      const { journal, nodes, follow } = all;
      const naive = new NaiveJournal();
      for (const each of steps) {
        if (each === 'clear') {
          journal.clear();
          naive.take();
        } else if (each === 'take') {
          expect(taken(all, most)).toEqual(naive.take());
        } else if (typeof each === 'string') {
          naive.access(accessed(nodes, each));
        } else {
          const [from, to] = [nodes.find(each.from), nodes.find(each.to)];
          if (from === undefined || to === undefined) continue;
          follow(each.graph, from, to, each.amount, each.client);
          naive.arc(each.graph, from, to, each.amount, each.client);
        }
      }
      expect(taken(all, most)).toEqual(naive.take());
    }),
    { numRuns: 300 },
  );
});

test('what waited longest is taken first, and what comes meanwhile goes to the end', () => {
  const { journal, nodes, columns } = noted(10);
  for (const url of ['/a', '/b', '/a']) accessed(nodes, url);
  const piece = columns();
  journal.drainInto(piece, 1);
  expect(piece.delta().urls).toMatchObject([{ url: '/a' }]);
  accessed(nodes, '/a');
  expect(journal.waiting).toBe(2);
  const rest = columns();
  journal.drainInto(rest, 10);
  expect(rest.delta().urls).toMatchObject([{ url: '/b' }, { url: '/a' }]);
});

test('what waits ages like everything else', () => {
  const { journal, nodes, columns } = noted(10, 1000);
  for (let n = 0; n < 2000; n++) accessed(nodes, '/a', n * 1000);
  const piece = columns();
  journal.drainInto(piece, 10);
  expect(piece.delta().urls[0]?.accesses).toBeCloseTo(2, 6);
});

test('a URL with more arcs than fit stays first until all of them are taken', () => {
  const { journal, nodes, columns, follow } = noted(100);
  const hub = accessed(nodes, '/');
  for (let n = 0; n < 50; n++) {
    follow(0, hub, accessed(nodes, `/${n}`));
  }
  for (let n = 0; n < 2; n++) {
    const piece = columns();
    journal.drainInto(piece, 20);
    expect(piece.delta().graphs[0]?.length).toBe(20);
    expect(journal.waiting).toBe(51);
  }
});
