// The interface of all predictors. They are pure: time comes with the access, and nothing is read or written. The
// simulator, the service and the contract tests depend on this interface alone.

import type { Access, AccessKind, Navigation } from '../access.ts';
import type { PredictOptions } from './model-options.ts';

export interface Observation extends Access {
  /** Counts distinct clients, 1..1023 (tables/client-sets.ts); absent: derived from `client`. */
  fingerprint?: number;
  /** Part of this visit was counted before (`anticipate`), so it is only an access that others follow. */
  isAnticipated?: boolean;
}

export type { PredictOptions };

export interface Prediction {
  url: string;
  kind: AccessKind;
  /** Estimated probability that the client requests it within its window, 0..1. */
  probability: number;
  /** For an object: embedded in the requested page, or in a page that comes next. Absent if the predictor cannot
   *  tell. */
  navigation?: Navigation;
}

export interface Predictor {
  /** Name on the command line and in reports. */
  readonly name: string;
  /** w: accesses in a window; 2 looks one step ahead. May change at any time and applies from then on. */
  window: number;
  /** Learn one access. Prefetches are ignored, and resources sent along do not count as accesses. */
  observe(access: Observation): void;
  /** Optional: the client prefetched a page and may show it without a request. Each arc to the page counts part of a
   *  visit: the probability that its latest page leads there, at most `most`. @returns that part */
  anticipate?(access: Observation, most: number): number;
  /** Optional: clients that open the page fetch objects with it. */
  embedsObjects?(url: string): boolean;
  /** What this client is likely to request after `access`, which must have been observed; best first, ties by
   *  recency, then URL. Empty for a prefetch. Never contains resources sent with this access (7.3). */
  predict(access: Access, options: PredictOptions): Prediction[];
  /** Optional, all three or none: the allocation-free variant, see `Candidates`. `candidateSource` (candidates.ts)
   *  provides it for any predictor. */
  candidates?(access: Access, above?: number): Candidates;
  /** The URL of a candidate's id; ids are valid until the next `observe`. */
  urlOf?(id: number): string;
  /** The kind of a candidate's id. */
  kindOf?(id: number): AccessKind;
  /** True for a candidate that was never opened next after `page`, only some pages later, and that a browser drops
   *  before. */
  isTooEarly?(page: string, id: number): boolean;
  /** Size of a candidate's complete responses, bytes; 0 if unknown. */
  bytesOf?(id: number): number;
}

/**
 * Everything `predict` could return for an access with a threshold of `above` (0 by default), in the same order,
 * without an object per candidate. One call serves any number of (p, i): p ends the list early and i truncates it.
 * The predictor owns the list: the next call overwrites it, and only the first `length` entries are valid.
 */
export interface Candidates {
  length: number;
  /** Small integers, one for each URL that the predictor knows. */
  readonly ids: { readonly [index: number]: number };
  /** Probabilities above 0, at most 1, in descending order. */
  readonly probabilities: { readonly [index: number]: number };
  /** For an object at `index`: the page that embeds it; undefined: the predictor cannot tell. Not meaningful for
   *  documents. Absent if the predictor can never tell. */
  navigationOf?(index: number): Navigation | undefined;
}

/** `candidates` of a predictor, or its equivalent built on `predict`. */
export interface CandidateSource {
  candidates(access: Access, above?: number): Candidates;
  urlOf(id: number): string;
  kindOf(id: number): AccessKind;
  bytesOf?(id: number): number;
  isTooEarly?(page: string, id: number): boolean;
}
