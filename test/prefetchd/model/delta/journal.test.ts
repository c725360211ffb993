import { expect, test } from 'vitest';
import { DeltaColumns } from '../../../../prefetchd/model/delta/delta-columns.ts';
import { Journal } from '../../../../prefetchd/model/delta/journal.ts';
import { Graph } from '../../../../prefetchd/model/graph/graph.ts';
import { NodeTable } from '../../../../prefetchd/model/graph/nodes.ts';
import { checkOptions } from '../../../../prefetchd/model/model-options.ts';
import { contentOf } from '../../../support/graph-deltas.ts';
import fc from '../../../support/property.ts';

const graphs = 2;

const accessed = (nodes: NodeTable, url: string) =>
  nodes.access({
    client: '',
    url,
    timeMs: 0,
    kind: 'document',
    status: 200,
    bytes: 0,
    prefetch: false,
  });

/** A journal of a small table of URLs, in which weak ones give way. */
function noted(maxNodes: number, maxArcs = 1000) {
  const options = checkOptions({ maxNodes });
  const nodes = new NodeTable(options);
  const journal = new Journal(nodes, graphs, maxArcs);
  nodes.join(journal);
  nodes.journal = journal;
  const tables = { nodes, graphs: Array.from({ length: graphs }, () => new Graph(options, nodes)) };
  return { journal, nodes, columns: () => new DeltaColumns({ name: 'any', window: 4, tables }, 7) };
}

/** What a journal must give, the plain way: everything with the births of its ids, in maps. */
class NaiveJournal {
  readonly #nodes: NodeTable;
  #accesses = new Map<number, { count: number; born: number }>();
  #arcs = new Map<string, { count: number; clients: number[]; born: number[] }>();

  constructor(nodes: NodeTable) {
    this.#nodes = nodes;
  }

  access(id: number): void {
    const born = this.#nodes.generationOf(id);
    const before = this.#accesses.get(id);
    const count = before?.born === born ? before.count + 1 : 1;
    this.#accesses.set(id, { count, born });
  }

  arc(graph: number, from: number, to: number, amount: number, client: number): void {
    const born = [this.#nodes.generationOf(from), this.#nodes.generationOf(to)];
    const key = `${graph} ${from} ${to}`;
    const before = this.#arcs.get(key);
    const isSame = before !== undefined && `${before.born}` === `${born}`;
    const { count, clients } = isSame ? before : { count: 0, clients: [] };
    const all = [...new Set([...clients, client])].slice(0, 6);
    this.#arcs.set(key, { count: count + amount, clients: all, born });
  }

  scale(factor: number): void {
    for (const entry of [...this.#accesses.values(), ...this.#arcs.values()]) entry.count *= factor;
  }

  take(): string[] {
    const nodes = this.#nodes;
    const lines: string[] = [];
    for (const [id, { count, born }] of this.#accesses) {
      if (born === nodes.generationOf(id)) lines.push(`${nodes.urlOf(id)} ${count}`);
    }
    for (const [key, { count, clients, born }] of this.#arcs) {
      const [graph, from, to] = key.split(' ').map(Number) as [number, number, number];
      if (`${born}` !== `${[nodes.generationOf(from), nodes.generationOf(to)]}`) continue;
      lines.push(`${graph}: ${nodes.urlOf(from)} > ${nodes.urlOf(to)} ${count} of ${clients}`);
    }
    this.#accesses = new Map();
    this.#arcs = new Map();
    return lines.sort();
  }
}

/** All that waits, in pieces; and that none is larger than it may be. */
function taken({ journal, columns }: ReturnType<typeof noted>, most: number): string[] {
  const accesses = new Map<string, number>();
  const arcs: string[] = [];
  while (journal.waiting > 0) {
    const piece = columns();
    journal.take(piece, most);
    const delta = piece.delta();
    const { nodes, graphs: rows } = contentOf(delta);
    expect(delta.accesses.filter((count) => count > 0).length).toBeLessThanOrEqual(most);
    expect(delta.graphs.reduce((sum, { from }) => sum + from.length, 0)).toBeLessThanOrEqual(most);
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

test('gives what came of the URLs that are still there, whatever was noted, went, came back and was scaled', () => {
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
    fc.constantFrom('take' as const, 'clear' as const, 2, 0.5),
  );
  const anyMost = fc.constantFrom(1, 2, 5, Number.POSITIVE_INFINITY);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), anyMost, (steps, most) => {
      const all = noted(6);
      const { journal, nodes } = all;
      const naive = new NaiveJournal(nodes);
      for (const each of steps) {
        if (each === 'clear') {
          journal.clear();
          naive.take();
        } else if (each === 'take') {
          expect(taken(all, most)).toEqual(naive.take());
        } else if (typeof each === 'number') {
          journal.scale(each);
          naive.scale(each);
        } else if (typeof each === 'string') {
          naive.access(accessed(nodes, each));
        } else {
          const [from, to] = [nodes.idOf(each.from), nodes.idOf(each.to)];
          if (from < 0 || to < 0) continue;
          journal.arc(each.graph, from, to, each.amount, each.client);
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
  journal.take(piece, 1);
  expect(piece.delta().urls).toEqual(['/a']);
  accessed(nodes, '/a');
  expect(journal.waiting).toBe(2);
  const rest = columns();
  journal.take(rest, 10);
  expect(rest.delta().urls).toEqual(['/b', '/a']);
});

test('while nobody takes there are no more rows than URLs and arcs of the table', () => {
  const { journal, nodes } = noted(20, 50);
  for (let n = 0; n < 10_000; n++) {
    const to = accessed(nodes, `/${(n * 7) % 400}`);
    for (const from of nodes.ids()) if (from !== to) journal.arc(n % graphs, from, to, 1, 1);
    expect(journal.waiting).toBeLessThanOrEqual(20);
    expect(journal.arcs).toBeLessThanOrEqual(graphs * 50);
  }
});

test('a URL with more arcs than fit stays first until all of them are taken', () => {
  const { journal, nodes, columns } = noted(100);
  const hub = accessed(nodes, '/');
  for (let n = 0; n < 50; n++) {
    journal.arc(0, hub, accessed(nodes, `/${n}`), 1, 1);
  }
  for (const left of [30, 10]) {
    const piece = columns();
    journal.take(piece, 20);
    const {
      graphs: [rows],
    } = piece.delta();
    expect(rows?.from.length).toBe(20);
    expect(journal.arcs).toBe(left);
    expect(journal.waiting).toBe(51);
  }
});
