// Defines learned data as plain values: a whole graph, or what was added to it in one second. Stores save deltas,
// processes exchange them, predictors import and export them. They contain counts, never ratios, so they can be added
// in any order; client sets are added by union.
//
// Clients are counted without being identified (salt.ts). Each arc carries fingerprints of up to six clients, made with
// the salt of one era, and `seen`, the largest number of distinct clients in any earlier era. Sets of different eras
// cannot be united, because the same client has a different fingerprint in each. The larger number counts, so a client
// who returns the next day is not counted twice.

export {
  maxCountedClients as fingerprintsPerArc,
  mergedSeen,
  neverNext,
} from '../graph/client-sets.ts';

export interface GraphDelta {
  /** Name of the predictor that learned the delta. */
  predictor: string;
  /** Window (w) with which the delta was learned; the latest one if w changed. */
  window: number;
  /** Era of the salt behind `clients`, 1..2^32-1; 0 if there are no fingerprints. */
  era: number;
  /** The URLs, without duplicates. */
  urls: UrlDelta[];
  /** The arcs of each graph of the predictor, in the order of its graphs (graph/graph.ts). Arcs that leave one URL are
   *  sorted by count, strongest first; equal ones latest first. */
  graphs: ArcDelta[][];
}

export interface UrlDelta {
  url: string;
  /** 0 for a document, 1 for an object, 2 for a short-lived document (nodes.ts). */
  kind: number;
  /** Accesses to add, aged to the time when the delta was made. */
  accesses: number;
}

export interface ArcDelta {
  /** Index in `urls` of the URL that the arc leaves. */
  from: number;
  /** Index in `urls` of the URL that the arc leads to. */
  to: number;
  /** Number to add to the arc: accesses to `from` that `to` followed, aged like `accesses` of a URL. */
  count: number;
  /** Fingerprints 1..1023 of up to six distinct clients. */
  clients: readonly number[];
  /** Largest number of distinct clients in one earlier era, 0..6; plus `neverNext` (client-sets.ts) if it applies. */
  seen: number;
}
