// Learned data as plain columns: a whole graph, or what was added to it in one second. Stores save deltas, nodes
// exchange them, predictors import and export them. They contain counts, never ratios, so they can be added in any
// order; client sets are added by union.
//
// Clients are counted without being identified (salt.ts). Each arc carries fingerprints of up to six clients, made
// with the salt of one era, and `seen`, the largest number of distinct clients in any earlier era. Sets of different
// eras cannot be united, because the same client has a different fingerprint in each. The larger number counts, so a
// client who returns the next day is not counted twice.

export { mergedSeen, neverNext } from '../graph/client-sets.ts';

export interface GraphDelta {
  /** Name of the predictor that learned the delta. */
  predictor: string;
  /** Window (w) with which it was learned; the latest one if w changed. */
  window: number;
  /** Era of the salt behind `clients`, 1..2^32-1; 0 if there are no fingerprints. */
  era: number;
  /** URLs without duplicates. */
  urls: string[];
  /** For each URL: 0 for a document, 1 for an object, 2 for a short-lived document (nodes.ts). */
  kinds: Uint8Array;
  /** For each URL: accesses to add, aged to the time when the delta was made. */
  accesses: Float64Array;
  /** One element per graph of the predictor, in its order (predictor.ts). */
  graphs: ArcColumns[];
}

/** One row per arc. The arcs that leave one URL are sorted by count, strongest first; equal arcs latest first. */
export interface ArcColumns {
  /** Index into `urls`. */
  from: Uint32Array;
  /** Index into `urls`. */
  to: Uint32Array;
  /** Accesses to `from` that were followed by `to`, to add; aged like `accesses`. */
  counts: Float64Array;
  /** Six values per arc: fingerprints 1..1023 of distinct clients, then zeros. */
  clients: Uint16Array;
  /** Largest number of distinct clients in one earlier era, 0..6; plus `neverNext`. */
  seen: Uint8Array;
}

export const fingerprintsPerArc = 6;
