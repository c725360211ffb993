// A predictor of the service is kept small by caps; one that is simulated should say what prefetching
// gives, not what a cap takes away: at p = 0 without limit every arc counts. So its caps follow from the
// log, up to a size that several threads can hold.

import type { PredictorOptions } from '../model/model-options.ts';
import type { Trace } from './trace.ts';

/** About 250 MB a thread. */
const mostArcs = 8_000_000;
const mostArcsPerNode = 65_536;
const mostNodes = 2_000_000;
const mostClients = 10_000_000;

/** Caps that the graph of this log does not reach, as far as `mayCut` is false. */
export function graphCaps(trace: Trace, window: number): PredictorOptions {
  return {
    maxArcs: within(1, trace.count * (window - 1), mostArcs),
    maxArcsPerNode: mostArcsPerNode,
    maxNodes: within(2, trace.urls.length, mostNodes),
    maxClients: within(1, trace.clients, mostClients),
    maxUrlCharacters: 2 ** 31,
  };
}

/** Each access makes w - 1 arcs at most; a node has no more than w - 1 for each of its accesses. */
export function mayCut(trace: Trace, window: number): boolean {
  const urls = trace.urls.length;
  if (urls > mostNodes || trace.clients > mostClients) return true;
  if (Math.min(trace.count * (window - 1), urls * (urls - 1)) > mostArcs) return true;
  return Math.min(urls - 1, mostAccesses(trace) * (window - 1)) > mostArcsPerNode;
}

/** Of one URL. */
function mostAccesses({ url, urls, count }: Trace): number {
  const accesses = new Uint32Array(urls.length);
  for (let index = 0; index < count; index++) {
    const number = url[index] as number;
    accesses[number] = (accesses[number] as number) + 1;
  }
  return accesses.reduce((most, value) => Math.max(most, value), 0);
}

function within(least: number, value: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
