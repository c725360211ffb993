// Defines a URL that a predictor knows, and an arc to a URL that followed it. Both are plain objects that refer to each
// other: a forgotten URL is marked as gone, and whatever still refers to it sees the mark.

import type { AccessKind } from '../../access.ts';
import type { ClientSet } from './client-sets.ts';

/** Additions to an arc since the store received it last; `count` is weighted as that of the arc. */
export interface ArcNews extends ClientSet {
  count: number;
}

export interface Arc extends ClientSet {
  readonly from: Node;
  readonly to: Node;
  /** Number of accesses to `from` that `to` followed, each weighted by the gain at its time (ageing.ts), so later ones
   *  weigh more. Divided by the present gain, it is the number after ageing. */
  count: number;
  /** Sequence number of the latest access that was counted for the arc. */
  last: number;
  /** Index of the arc in the graph's list of arcs. */
  at: number;
  /** Additions to the arc that the store has not received yet; null: there are none. */
  news: ArcNews | null;
}

/** The arcs from a node to others, by descending count; equal counts in any order. */
export type ArcRow = readonly Arc[];

/** The arcs of a node in one graph. */
export class Edges {
  row: Arc[] = [];
  /** The nodes to which the arcs of `row` lead, in the same order: a search for one reads no arcs, which are
   *  scattered in memory. */
  targets: Node[] = [];
  /** The arc from the node to itself, whose set of clients counts the URL's visitors; null: there is none. */
  visits: Arc | null = null;
  /** The number of arcs that lead to the node. */
  into = 0;
}

/** The empty arcs that all nodes without arcs share, to save memory: most nodes have none in one of the graphs. */
export const noEdges: Edges = Object.freeze(new Edges());

export class Node {
  /** The URL that the node stands for; empty once the node is evicted. */
  url: string;
  kind: AccessKind;
  /** Number of accesses, each weighted by the gain at its time (ageing.ts), so later ones weigh more. Divided by the
   *  present gain, it is the number after ageing. */
  accesses = 0;
  /** Sequence number of the latest access to the URL. */
  last: number;
  /** Size of the complete response, bytes; 0 if unknown. */
  bytes = 0;
  /** If the last response was larger than `bytes`, the fingerprint of the client that got it; else 0. */
  larger = 0;
  /** Weighted number of requests that opened the URL minus that of all others (nodes.ts); above 0 the URL is a page,
   *  otherwise an object. */
  openings: number;
  /** Whether the options let this URL be hinted; null: `mayHint` was not called yet. */
  mayBeHinted: boolean | null = null;
  /** True if the URL is hinted only on evidence that it is public; set together with `mayBeHinted`. */
  needsEvidence = false;
  /** True if the response is larger than `maxHintBytes`. */
  isTooLarge = false;
  /** True if the URL is not to be hinted until it is learned again. */
  isWithdrawn = false;
  /** True if the URL's last response forbade learning it, for example because it was private. */
  isClosed = false;
  /** True if the page's response has a lifetime below a minute: prefetched several pages ahead, it is usually stale. */
  isShortLived = false;
  /** True if the node was evicted, so that whatever still refers to it must ignore it. */
  isGone = false;
  /** The node's arcs in graph 0 and in graph 1 (`GraphNumber`). */
  readonly edges: [Edges, Edges] = [noEdges, noEdges];
  /** The part of the number `accesses` that the store has not received yet. */
  newAccesses = 0;
  /** Index of the node in the table's list of nodes. */
  at = 0;

  constructor(url: string, kind: AccessKind, last: number, openings: number) {
    this.url = url;
    this.kind = kind;
    this.last = last;
    this.openings = openings;
  }
}

/** Number of a graph: a predictor has one graph, or two, of which the second is for the objects of pages. */
export type GraphNumber = 0 | 1;

/** Removes an element from a list whose elements know their index; the last element takes its place. */
export function removeAt<T extends { at: number }>(list: T[], { at }: T): void {
  const last = list.pop() as T;
  if (at === list.length) return;
  list[at] = last;
  last.at = at;
}
