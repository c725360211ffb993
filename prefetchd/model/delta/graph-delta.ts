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
  predictor: string;
  /** Window (w, accesses of a client considered together) with which the delta was learned; the latest if w changed. */
  window: number;
  /** Number of the salt that made the fingerprints in `clients` (salt.ts), 1..2^32-1; 0 if there are none. */
  era: number;
  /** The URLs of the delta, each once; arcs refer to them by index. */
  urls: UrlDelta[];
  /** The arcs, a list for each graph that the predictor keeps (double-graph: page to page, page to object). Arcs that
   *  leave one URL are sorted by count, strongest first; equal ones latest first. */
  graphs: ArcDelta[][];
}

export interface UrlDelta {
  url: string;
  /** 0 for a document, 1 for an object, 2 for a document whose response has a lifetime below a minute. */
  kind: number;
  /** Number to add to the accesses of the URL: each is weighted by its age when the delta was made (half-life). */
  accesses: number;
}

export interface ArcDelta {
  /** Index in `urls` of the URL that the arc leaves. */
  from: number;
  /** Index in `urls` of the URL that the arc leads to. */
  to: number;
  /** Number to add to the arc's count: accesses to `from` that `to` followed, weighted by age like `accesses`. */
  count: number;
  /** Fingerprints, 1..1023, of up to six distinct clients that followed the arc. */
  clients: readonly number[];
  /** Largest number of distinct clients, 0..6, that followed the arc while one of the earlier salts was used, plus the
   *  flag `neverNext` (client-sets.ts). */
  seen: number;
}
