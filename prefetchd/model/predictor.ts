// What every predictor can do. Pure: time comes in with the access, nothing is read or written.
// The simulator, the service and the contract tests know predictors by this alone.

import type { Access, AccessKind, Navigation } from '../access.ts';

export interface Prediction {
  url: string;
  kind: AccessKind;
  /** Estimated probability that the client wants it within its window, 0..1. */
  probability: number;
  /** Of an object: embedded in the page asked about, or in one that comes next; absent: the predictor
   *  cannot tell. */
  navigation?: Navigation;
}

export interface PredictOptions {
  /** p: only what is more probable than this (Padmanabhan 1995, 7.2: "higher than"). */
  threshold: number;
  /** i: at most so many, best first; null: no limit. */
  limit: number | null;
  /** Only documents, or only objects; absent: both. */
  kind?: AccessKind;
}

export interface Predictor {
  /** Name on the command line and in reports. */
  readonly name: string;
  /** w: accesses a window holds; 2 looks one step ahead. May change at any time and holds from then on. */
  window: number;
  /** Learn one access. Prefetches are ignored, and what was sent along is no access. */
  observe(access: Access): void;
  /** What this client is likely to want after `access`, which was observed already; best first, ties by
   *  recency, then URL. Empty for a prefetch. Never what was sent along with this access (7.3). */
  predict(access: Access, options: PredictOptions): Prediction[];
  /** Optional, all three or none: the fast way, see `Candidates`. `candidateSource` (candidates.ts)
   *  gives it for any predictor. */
  candidates?(access: Access, above?: number): Candidates;
  /** The URL of a candidate's id; ids hold until the next `observe`. */
  urlOf?(id: number): string;
  /** The kind of a candidate's id. */
  kindOf?(id: number): AccessKind;
}

/**
 * All that `predict` could answer for an access with a threshold of `above` (0 by default), in its
 * order, without an object for each: from one call any number of (p, i) are read off, since p ends the list early and i cuts it. It belongs to the
 * predictor: the next call overwrites it, and only the first `length` entries mean something.
 */
export interface Candidates {
  length: number;
  /** Small whole numbers, one for each URL the predictor knows. */
  readonly ids: { readonly [index: number]: number };
  /** Above 0, at most 1, falling. */
  readonly probabilities: { readonly [index: number]: number };
  /** Of an entry: which page an object is embedded in; undefined: the predictor cannot tell; absent: of none.
   *  Says nothing of documents. */
  navigationOf?(index: number): Navigation | undefined;
}

/** A predictor's fast way, or the same made of its `predict`. */
export interface CandidateSource {
  candidates(access: Access, above?: number): Candidates;
  urlOf(id: number): string;
  kindOf(id: number): AccessKind;
}
