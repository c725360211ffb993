// Computes the caps of a simulated graph. The service caps its graph, but a simulation should measure prefetching, not
// the effect of caps: with threshold p = 0 and no limit, every arc counts. The caps are therefore derived from the log,
// up to a size that several threads can hold.

import type { PredictorOptions } from '../model/model-options.ts';
import type { Trace } from './trace.ts';

/** Most arcs, about 250 MB per thread. */
const mostArcs = 8_000_000;
const mostArcsPerNode = 65_536;
const mostNodes = 2_000_000;
const mostClients = 10_000_000;

/** Caps that the graph of this log does not reach if `mayCut` is false. */
export function graphCaps(trace: Trace, window: number): PredictorOptions {
  return {
    maxArcs: within(1, trace.count * (window - 1), mostArcs),
    maxArcsPerNode: mostArcsPerNode,
    maxNodes: within(2, trace.urls.length, mostNodes),
    maxClients: within(1, trace.clients, mostClients),
    maxUrlCharacters: 2 ** 31,
  };
}

/** False if no cap is reached: each access creates at most w - 1 arcs, so a node has at most w - 1 per access. */
export function mayCut(trace: Trace, window: number): boolean {
  const urls = trace.urls.length;
  if (urls > mostNodes || trace.clients > mostClients) return true;
  if (Math.min(trace.count * (window - 1), urls * (urls - 1)) > mostArcs) return true;
  return Math.min(urls - 1, trace.mostAccesses * (window - 1)) > mostArcsPerNode;
}

function within(least: number, value: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
