// Selects what is kept when a store is too large: the URLs with the most accesses, and the arcs between them with the
// highest counts; among equals, the later ones. Pure; one sort for each.

export interface WeighedGraph {
  /** Accesses of each URL. */
  accesses: Float64Array;
  graphs: ReadonlyArray<{ from: Uint32Array; to: Uint32Array; counts: Float64Array }>;
}

export interface Strongest {
  /** For each URL: 1 if it is kept. */
  urls: Uint8Array;
  /** For each graph and arc: 1 if it is kept. */
  arcs: Uint8Array[];
}

export interface GraphSize {
  maxNodes: number;
  /** Most arcs of all graphs together. */
  maxArcs: number;
  /** URLs and arcs that count less are dropped in any case. */
  least: number;
}

export function strongest(graph: WeighedGraph, { maxNodes, maxArcs, least }: GraphSize): Strongest {
  const urls = best(strengths(graph), maxNodes, least);
  const isBetween = (from: number | undefined, to: number | undefined) =>
    urls[from as number] === 1 && urls[to as number] === 1;
  const counts = new Float64Array(graph.graphs.reduce((sum, { from }) => sum + from.length, 0));
  let end = 0;
  for (const { from, to, counts: own } of graph.graphs) {
    for (let at = 0; at < from.length; at++) {
      counts[end++] = isBetween(from[at], to[at]) ? (own[at] as number) : -1;
    }
  }
  const all = best(counts, maxArcs, Math.max(least, 0));
  let start = 0;
  const arcs = graph.graphs.map(({ from }) => {
    start += from.length;
    return all.slice(start - from.length, start);
  });
  return { urls, arcs };
}

/** The accesses of a URL or, if larger, the highest count of its arcs: some URLs are only known through arcs. */
function strengths({ accesses, graphs }: WeighedGraph): Float64Array {
  const values = accesses.slice();
  const raise = (url: number, count: number) => {
    if (count > (values[url] as number)) values[url] = count;
  };
  for (const { from, to, counts } of graphs) {
    for (let at = 0; at < counts.length; at++) {
      raise(from[at] as number, counts[at] as number);
      raise(to[at] as number, counts[at] as number);
    }
  }
  return values;
}

/** 1 for each of the `most` highest values that are at least `least`. */
function best(values: Float64Array, most: number, least: number): Uint8Array {
  const stays = new Uint8Array(values.length);
  const sorted = values.toSorted();
  const cut = values.length > most ? (sorted[values.length - most] as number) : -Infinity;
  let equals = most;
  for (let at = sorted.length - 1; at >= 0 && (sorted[at] as number) > cut; at--) equals--;
  for (let at = values.length - 1; at >= 0; at--) {
    const value = values[at] as number;
    if (value < least || value < cut) continue;
    if (value > cut || equals-- > 0) stays[at] = 1;
  }
  return stays;
}
