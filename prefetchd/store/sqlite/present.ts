// Converts stored counts from the units they age in to accesses.

import {
  fingerprintsPerArc,
  type GraphDelta,
  mergedSeen,
  neverNext,
} from '../../model/delta/graph-delta.ts';
import type { RawGraph } from './stored-graph.ts';

/** Counts in accesses, with fingerprints of the present era only. */
export function presentGraph(
  { urls, kinds, accesses, graphs }: RawGraph,
  present: number,
  worth: number,
): Pick<GraphDelta, 'urls' | 'kinds' | 'accesses' | 'graphs'> {
  divide(accesses, worth);
  const columns = graphs.map(({ eras, ...arcs }) => {
    divide(arcs.counts, worth);
    for (let at = 0; at < eras.length; at++) {
      if (eras[at] === present || eras[at] === 0) continue;
      const end = fingerprintsPerArc * (at + 1);
      const prints = arcs.clients.subarray(end - fingerprintsPerArc, end);
      const none = prints.indexOf(0);
      const clients = none < 0 ? prints.length : none;
      arcs.seen[at] = mergedSeen(arcs.seen[at] as number, neverNext + clients);
      prints.fill(0);
    }
    return arcs;
  });
  return { urls, kinds, accesses, graphs: columns };
}

function divide(values: Float64Array, by: number): void {
  if (by === 1) return;
  for (let at = 0; at < values.length; at++) values[at] = (values[at] as number) / by;
}
