// Converts a delta to and from the JSON of the script (flush-script.ts) and the news, and splits it into parts.

import { DeltaBuilder } from '../../model/delta/delta-builder.ts';
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

/** Splits a large delta into parts of at most 1000 URLs or arcs each. */
export function* partsOf(delta: GraphDelta): Generator<GraphDelta> {
  const { urls, kinds, accesses, graphs } = delta;
  const indexIn = (part: DeltaBuilder, url = 0) => part.url(urls[url] as string, kinds[url] ?? 0);
  for (let start = 0; start < urls.length; start += partSize) {
    const part = new DeltaBuilder(delta, graphs.length);
    for (let url = start; url < Math.min(start + partSize, urls.length); url++) {
      part.count(indexIn(part, url), accesses[url] as number);
    }
    yield part.delta();
  }
  for (const [graph, { from, to, counts, clients, seen }] of graphs.entries()) {
    for (let start = 0; start < from.length; start += partSize) {
      const part = new DeltaBuilder(delta, graphs.length);
      for (let at = start; at < Math.min(start + partSize, from.length); at++) {
        const first = at * fingerprintsPerArc;
        part.arc(graph, indexIn(part, from[at]), indexIn(part, to[at]), {
          count: counts[at] as number,
          clients: clients.subarray(first, first + fingerprintsPerArc),
          seen: seen[at] as number,
        });
      }
      yield part.delta();
    }
  }
}
