// Converts a delta to and from the JSON of the script (flush-script.ts) and the news, and splits it into parts.

import { DeltaColumns } from '../../model/delta/delta-columns.ts';
import { fingerprintsPerArc, type GraphDelta } from '../../model/delta/graph-delta.ts';

const partSize = 1000;

export function textOfDelta({ era, urls, kinds, accesses, graphs }: GraphDelta): string {
  return JSON.stringify(
    { era, urls: urls.map((url) => url.toWellFormed()), kinds, accesses, graphs },
    (_, value) => (ArrayBuffer.isView(value) ? Array.from(value as Uint8Array) : value),
  );
}

/** @param worth Factor by which all counts are multiplied, because they have aged since */
export function deltaOfText(
  text: string,
  predictor: string,
  window: number,
  worth: number,
): GraphDelta {
  const { era, urls, kinds, accesses, graphs } = JSON.parse(text);
  const aged = (counts: number[]) => Float64Array.from(counts, (count) => count * worth);
  return {
    ...{ predictor, window, era, urls },
    kinds: Uint8Array.from(kinds),
    accesses: aged(accesses),
    graphs: graphs.map((arcs: Record<'from' | 'to' | 'counts' | 'clients' | 'seen', number[]>) => ({
      from: Uint32Array.from(arcs.from),
      to: Uint32Array.from(arcs.to),
      counts: aged(arcs.counts),
      clients: Uint16Array.from(arcs.clients),
      seen: Uint8Array.from(arcs.seen),
    })),
  };
}

/** Empty columns with a delta's properties, to which some of these URLs can be added. @param kinds as in a delta */
export function columnsOf(
  {
    predictor,
    window,
    era,
    graphs,
  }: Pick<GraphDelta, 'predictor' | 'window' | 'era'> & { graphs: { length: number } },
  urls: readonly string[],
  kinds: { readonly [url: number]: number },
): DeltaColumns {
  const nodes = {
    gain: 1,
    urlOf: (id: number) => urls[id] as string,
    kindOf: (id: number) => (kinds[id] === 1 ? ('object' as const) : ('document' as const)),
    isShortLived: (id: number) => kinds[id] === 2,
  };
  const tables = { nodes, graphs: Array.from(graphs) };
  return new DeltaColumns({ name: predictor, window, tables }, era);
}

/** Splits a large delta into parts of at most 1000 URLs or arcs each. */
export function* partsOf(delta: GraphDelta): Generator<GraphDelta> {
  const { urls, kinds, accesses, graphs } = delta;
  const empty = () => columnsOf(delta, urls, kinds);
  for (let start = 0; start < urls.length; start += partSize) {
    const part = empty();
    for (let id = start; id < Math.min(start + partSize, urls.length); id++) {
      part.addNode(id, accesses[id] as number);
    }
    yield part.delta();
  }
  for (const [graph, { from, to, counts, clients, seen }] of graphs.entries()) {
    for (let start = 0; start < from.length; start += partSize) {
      const part = empty();
      for (let at = start; at < Math.min(start + partSize, from.length); at++) {
        const [source, target] = [from[at] as number, to[at] as number];
        const place = at * fingerprintsPerArc;
        part.addArc(
          graph,
          source,
          target,
          counts[at] as number,
          clients,
          place,
          seen[at] as number,
        );
      }
      yield part.delta();
    }
  }
}
