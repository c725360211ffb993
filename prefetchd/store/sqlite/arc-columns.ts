// The arcs of a stored graph on their way from the thread that reads them: columns of numbers, which are handed over
// without a copy. A million arcs as objects would be copied one by one, which takes several seconds.

import {
  type ArcDelta,
  fingerprintsPerArc,
  type GraphDelta,
} from '../../model/delta/graph-delta.ts';

/** One element for each arc; `clients` has six, with zeros behind the fingerprints. */
export interface ArcColumns {
  readonly from: Uint32Array<ArrayBuffer>;
  readonly to: Uint32Array<ArrayBuffer>;
  readonly count: Float64Array<ArrayBuffer>;
  readonly seen: Uint8Array<ArrayBuffer>;
  readonly clients: Uint16Array<ArrayBuffer>;
}

export interface StoredGraph extends Omit<GraphDelta, 'graphs'> {
  graphs: ArcColumns[];
}

export function emptyColumns(arcs: number): ArcColumns {
  return {
    from: new Uint32Array(arcs),
    to: new Uint32Array(arcs),
    count: new Float64Array(arcs),
    seen: new Uint8Array(arcs),
    clients: new Uint16Array(arcs * fingerprintsPerArc),
  };
}

/** Most arcs have no clients of the present era. */
const none: readonly number[] = [];

export function graphOf(stored: StoredGraph | null): GraphDelta | null {
  return stored && { ...stored, graphs: stored.graphs.map(arcsOf) };
}

function arcsOf({ from, to, count, seen, clients }: ArcColumns): ArcDelta[] {
  const printsOf = (arc: number): readonly number[] => {
    const prints: number[] = [];
    for (let at = arc * fingerprintsPerArc; prints.length < fingerprintsPerArc; at++) {
      const print = clients[at] as number;
      if (print === 0) break;
      prints.push(print);
    }
    return prints.length === 0 ? none : prints;
  };
  const arcs: ArcDelta[] = [];
  for (const [arc, source] of from.entries()) {
    arcs.push({
      from: source,
      to: to[arc] as number,
      count: count[arc] as number,
      clients: printsOf(arc),
      seen: seen[arc] as number,
    });
  }
  return arcs;
}
