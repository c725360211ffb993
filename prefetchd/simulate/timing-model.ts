// How long a fetch takes and what a prefetch saves of it (Padmanabhan 1995, 8.1 and 8.2).
//
// A fetch over the network takes a latency and a time per byte; the paper's regression over about 230
// fetches gave 1.13 s and 5.36e-5 s. What is in the cache takes no time.
// simple: a prefetch is there the instant it is advised: an upper bound.
// timed:  a prefetch takes its time on the client's line (prefetch-queue.ts); one that is under way when
//         the demand comes saves the part that is done, and is not fetched twice.
// In both, no access saves more than its lead: the time from the advice to the demand. A browser that
// reads the page asks for the page's images in the same second anyway; a hint for them wins nothing.
// The paper's simple model has no such cap; `capByLead: false` is the paper's.

export type TimingModel = 'simple' | 'timed';
export const timingModels: readonly TimingModel[] = ['simple', 'timed'];

export interface FetchTime {
  /** Of any fetch, ms. */
  latencyMs: number;
  /** For each byte, ms. */
  perByteMs: number;
}

/** y = 1.13 + 5.36e-5 x, in seconds and bytes (8.2.1, figure 14). */
export const paperFetchTime: FetchTime = { latencyMs: 1130, perByteMs: 0.0536 };

/** Duration of fetching `bytes`, ms. */
export function fetchTimeMs({ latencyMs, perByteMs }: FetchTime, bytes: number): number {
  return latencyMs + perByteMs * bytes;
}

/** What a prefetch that had arrived saves of an access, ms. */
export function savingMs(unhintedMs: number, hintedMs: number, leadMs: number): number {
  return Math.max(0, Math.min(unhintedMs - hintedMs, leadMs));
}
