// Defines the interface of all predictors. They are pure: time comes with the access, and nothing is read or written.
// The simulator, the service and the contract tests depend on this interface alone.

import type { Access, AccessKind, Navigation } from '../access.ts';
import type { PredictOptions } from './model-options.ts';

export interface Observation extends Access {
  /** Number that tells the client from others in counts, 1..1023 (graph/client-sets.ts); absent: made of `client`. */
  fingerprint?: number;
  /** True if a fraction of this visit was counted when the page was prefetched (`anticipate`). That stands for the
   *  whole visit, which now only enters the client's window. */
  isAnticipated?: boolean;
  /** True if the access waited until its client was known to be a browser, so later accesses were learned before it. */
  isLate?: boolean;
}

export type { PredictOptions };

export interface Prediction {
  url: string;
  kind: AccessKind;
  /** Estimated probability that the client requests the URL within its window, 0..1. */
  probability: number;
  /** For an object: whether it is embedded in the requested page or in a page that comes next. Absent if the predictor
   *  cannot tell. */
  navigation?: Navigation;
}

export interface Predictor {
  /** Name of the predictor on the command line and in reports. */
  readonly name: string;
  /** w: accesses in a window; 2 looks one step ahead. May change at any time and applies from then on. */
  window: number;
  /** Learns one access. Prefetches are ignored; resources sent along with it (`alsoSent`) do not count as accesses. */
  observe(access: Observation): void;
  /**
   * Optional: learns that the client prefetched a page and may show it without a request. A fraction of a visit is
   * counted: the probability that the client's latest page leads there, at most `most`. @returns that fraction
   */
  anticipate?(access: Observation, most: number): number;
  /** Optional: returns whether clients that open the page fetch objects with it. */
  embedsObjects?(url: string): boolean;
  /** Returns what this client is likely to request after `access`, which must have been observed; best first, ties by
   *  recency, then URL. Empty for a prefetch. Never contains resources that a Get-All response to this access brought
   *  along (`alsoSent`; Padmanabhan 1995, 7.3). */
  predict(access: Access, options: PredictOptions): Prediction[];
  /** Optional: returns whether `url` was never opened next after `page`, only some pages later, when browsers no longer
   *  have what they prefetched on `page`. */
  isTooEarly?(page: string, url: string): boolean;
  /** Optional: returns the size of the complete responses of a URL, bytes; 0 if unknown. */
  bytesOf?(url: string): number;
}
