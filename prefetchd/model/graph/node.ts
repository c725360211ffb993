// Defines a URL that a predictor knows, and an arc to a URL that followed it. Both are plain objects that refer to each
// other: a forgotten URL is marked as gone, and whatever still refers to it sees the mark.

import type { AccessKind } from '../../access.ts';
import type { ClientSet } from './client-sets.ts';

/** What an arc gained since the last flush, in gain units (ageing.ts). */
export interface ArcNews extends ClientSet {
  count: number;
}

export interface Arc extends ClientSet {
  readonly from: Node;
  readonly to: Node;
  /** Aged accesses to `from` that `to` followed; divide by the gain (ageing.ts) for accesses as of now. */
  count: number;
  /** Sequence number of the access that last credited the arc. */
  last: number;
  /** Index of the arc in the graph's list of arcs. */
  at: number;
  /** What the arc gained that the store has not got yet; null: nothing. */
  news: ArcNews | null;
}

/** The arcs from a node to others, by descending count; equal counts in any order. */
export type ArcRow = readonly Arc[];

export class Node {
  /** The URL; empty once the node is gone. */
  url: string;
  kind: AccessKind;
  /** Aged accesses, in gain units (ageing.ts); divide by the gain for accesses as of now. */
  accesses = 0;
  /** Sequence number of the latest access to the URL. */
  last: number;
  /** Size of complete responses, bytes; 0 if unknown. */
  bytes = 0;
  /** Fingerprint of the client that got the last response, if that was larger than `bytes`; 0: it was no larger. */
  larger = 0;
  /** The sum that decides the kind (nodes.ts): above 0 for a page, otherwise an object. */
  openings: number;
  /** Whether the options let this URL be hinted; null: `mayHint` was not called yet. */
  mayBeHinted: boolean | null = null;
  /** The URL is hinted only on evidence that it is public; set together with `mayBeHinted`. */
  needsEvidence = false;
  /** The response is larger than `maxHintBytes`. */
  isTooLarge = false;
  /** The URL is not to be hinted until it is learned again. */
  isWithdrawn = false;
  /** The URL's last response was not to be learned. */
  isClosed = false;
  /** A browser that prefetched the page drops it when the next page is opened. */
  isShortLived = false;
  /** The node was evicted. */
  isGone = false;
  /** The arcs from the node to others, in graph 0 and in graph 1 (`GraphNumber`). */
  readonly rows: [Arc[], Arc[]] = [[], []];
  /** The node's arc to itself, which counts visitors, in each graph; null: there is none. */
  readonly visits: [Arc | null, Arc | null] = [null, null];
  /** The number of arcs that lead to the node, in each graph. */
  readonly into: [number, number] = [0, 0];
  /** Accesses that the store has not got yet, in gain units (ageing.ts). */
  newAccesses = 0;
  /** Index of the node in the list of nodes. */
  at = 0;

  constructor(url: string, kind: AccessKind, last: number, openings: number) {
    this.url = url;
    this.kind = kind;
    this.last = last;
    this.openings = openings;
  }
}

/** Number of a graph: a predictor has two graphs at most. */
export type GraphNumber = 0 | 1;

export function arcTo(row: ArcRow, to: Node): Arc | undefined {
  for (const arc of row) if (arc.to === to) return arc;
  return undefined;
}

/** Removes an element from a list whose elements know their index; the last element takes its place. */
export function removeAt<T extends { at: number }>(list: T[], { at }: T): void {
  const last = list.pop() as T;
  if (at === list.length) return;
  list[at] = last;
  last.at = at;
}
