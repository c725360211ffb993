// What was learned, as plain columns: all of a graph, or what one second added to it. Stores keep it,
// nodes send it to each other, predictors take it in and give it out. It holds counts, never ratios,
// so deltas add up in any order; and sets of clients that add up by union.
//
// Clients are counted without being known (see salt.ts): an arc carries fingerprints of up to six clients
// made with the salt of one era, and `seen`, the most distinct clients that any single era showed. Sets
// of different eras cannot be united, since the same client looks different in each; the greater
// number holds, so nobody is counted twice for coming back the next day.

export interface GraphDelta {
  /** Name of the predictor that learned it. */
  predictor: string;
  /** w it was learned with, the last one where it changed. */
  window: number;
  /** Era of the salt behind `clients`, 1..2^32-1; 0: there are no fingerprints in it. */
  era: number;
  /** URLs, each once. */
  urls: string[];
  /** By URL: 0 document, 1 object. */
  kinds: Uint8Array;
  /** By URL: accesses to add, aged to the moment at which the delta was made. */
  accesses: Float64Array;
  /** One for each graph of the predictor (predictor.ts says which they are). */
  graphs: ArcColumns[];
}

/** Arcs, a row each; the arcs that leave one URL stand strongest first, equals latest first. */
export interface ArcColumns {
  /** Index into `urls`. */
  from: Uint32Array;
  /** Index into `urls`. */
  to: Uint32Array;
  /** Accesses to `from` that `to` followed, to add; aged like `accesses`. */
  counts: Float64Array;
  /** Six for each arc: fingerprints 1..1023 of distinct clients, then zeros. */
  clients: Uint16Array;
  /** Most distinct clients in one earlier era, 0..6. */
  seen: Uint8Array;
}

export const fingerprintsPerArc = 6;
