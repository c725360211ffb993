// Deltas written the short way, and read back in a form that can be compared.

import { fingerprintsPerArc, type GraphDelta } from '../../prefetchd/model/delta/graph-delta.ts';

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
    urls,
    kinds: Uint8Array.from(urls, (url) => (nodeOf(url)?.kind === 'object' ? 1 : 0)),
    accesses: Float64Array.from(urls, (url) => nodeOf(url)?.accesses ?? 0),
    graphs: graphs.map((arcs) => ({
      from: Uint32Array.from(arcs, ({ from }) => ids.get(from) as number),
      to: Uint32Array.from(arcs, ({ to }) => ids.get(to) as number),
      counts: Float64Array.from(arcs, ({ count }) => count),
      clients: Uint16Array.from(
        arcs.flatMap(({ clients = [] }) =>
          Array.from({ length: fingerprintsPerArc }, (_, place) => clients[place] ?? 0),
        ),
      ),
      seen: Uint8Array.from(arcs, ({ seen = 0 }) => seen),
    })),
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
  const { urls, kinds, accesses, graphs } = delta;
  urls.forEach((url, id) => {
    const kind = kinds[id] === 1 ? 'object' : 'document';
    content.nodes.set(url, { kind, accesses: accesses[id] as number });
  });
  content.graphs = graphs.map(({ from, to, counts, clients, seen }) => {
    const rows = new Map<string, Array<Required<Omit<ArcSketch, 'from'>>>>();
    counts.forEach((count, at) => {
      const source = urls[from[at] as number] as string;
      const prints = clients.subarray(fingerprintsPerArc * at, fingerprintsPerArc * (at + 1));
      const arc = {
        to: urls[to[at] as number] as string,
        count,
        clients: [...prints].filter((print) => print !== 0),
        seen: seen[at] as number,
      };
      rows.set(source, [...(rows.get(source) ?? []), arc]);
    });
    return rows;
  });
  return content;
}

/** `to count` of the arcs that leave a URL, in their order. */
export function arcsOf(delta: GraphDelta | null, from: string, graph = 0): string[] {
  const arcs = contentOf(delta).graphs[graph]?.get(from) ?? [];
  return arcs.map(({ to, count }) => `${to} ${count}`);
}
