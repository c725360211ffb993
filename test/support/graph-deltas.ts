// Deltas written the short way, and read back in a form that can be compared.

import type { ArcDelta, GraphDelta } from '../../prefetchd/model/delta/graph-delta.ts';
import type { GraphParts, GraphStore } from '../../prefetchd/store/graph-store.ts';

export interface ArcSketch {
  from: string;
  to: string;
  count: number;
  clients?: number[];
  seen?: number;
}

export interface DeltaSketch {
  predictor?: string;
  window?: number;
  era?: number;
  /** By URL; kind `document` and no accesses where it is absent. */
  nodes?: Record<string, { kind?: 'document' | 'object'; accesses?: number }>;
  /** Arcs of each graph, strongest first, equals latest first. */
  graphs?: ArcSketch[][];
}

export function deltaOf(sketch: DeltaSketch): GraphDelta {
  const { predictor = 'test', window = 4, era = 0, nodes = {}, graphs = [[]] } = sketch;
  const named = graphs.flat().flatMap(({ from, to }) => [from, to]);
  const urls = [...new Set([...Object.keys(nodes), ...named])];
  const ids = new Map(urls.map((url, id) => [url, id]));
  const nodeOf = (url: string) => (Object.hasOwn(nodes, url) ? nodes[url] : undefined);
  return {
    predictor,
    window,
    era,
    urls: urls.map((url) => ({
      url,
      kind: nodeOf(url)?.kind === 'object' ? 1 : 0,
      accesses: nodeOf(url)?.accesses ?? 0,
    })),
    graphs: graphs.map((arcs) =>
      arcs.map(({ from, to, count, clients = [], seen = 0 }) => {
        const ends = { from: ids.get(from) as number, to: ids.get(to) as number };
        return { ...ends, count, clients, seen };
      }),
    ),
  };
}

export interface DeltaContent {
  nodes: Map<string, { kind: 'document' | 'object'; accesses: number }>;
  /** By graph and by the URL they leave: arcs in their order. */
  graphs: Array<Map<string, Array<Required<Omit<ArcSketch, 'from'>>>>>;
}

export function contentOf(delta: GraphDelta | null): DeltaContent {
  const content: DeltaContent = { nodes: new Map(), graphs: [] };
  if (delta === null) return content;
  for (const { url, kind, accesses } of delta.urls) {
    content.nodes.set(url, { kind: kind === 1 ? 'object' : 'document', accesses });
  }
  const urlAt = (id: number) => delta.urls[id]?.url as string;
  content.graphs = delta.graphs.map((arcs) => {
    const rows = Map.groupBy(arcs, ({ from }) => urlAt(from));
    return new Map(
      [...rows].map(([from, row]) => [
        from,
        row.map(({ to, count, clients, seen }) => ({
          to: urlAt(to),
          count,
          clients: [...clients],
          seen,
        })),
      ]),
    );
  });
  return content;
}

/** `to count` of the arcs that leave a URL, in their order. */
export function arcsOf(delta: GraphDelta | null, from: string, graph = 0): string[] {
  const arcs = contentOf(delta).graphs[graph]?.get(from) ?? [];
  return arcs.map(({ to, count }) => `${to} ${count}`);
}

/** Puts the parts of a stored graph together. */
export class Gathered implements GraphParts {
  graph: GraphDelta | null = null;

  begin(graph: Omit<GraphDelta, 'graphs'>, graphs: number): void {
    this.graph = { ...graph, graphs: Array.from({ length: graphs }, () => []) };
  }

  arcs(graph: number, arcs: readonly ArcDelta[]): void {
    this.graph?.graphs[graph]?.push(...arcs);
  }
}

/** The whole graph in a store; null: it is empty. */
export async function loaded(store: GraphStore, nowMs: number): Promise<GraphDelta | null> {
  const parts = new Gathered();
  return (await store.load(nowMs, parts)) ? parts.graph : null;
}
