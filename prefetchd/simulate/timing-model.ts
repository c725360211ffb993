// Computes the duration of a fetch, and the part that a prefetch saves (Padmanabhan 1995, 8.1 and 8.2).
//
// A fetch over the network takes a latency plus a time per byte; the paper's regression over about 230 fetches gave
// 1.13 s and 5.36e-5 s. A cache hit takes no time.
//   simple: a prefetch arrives the instant it is advised; the results are an upper bound.
//   timed:  a prefetch takes its time on the client's line (prefetch-queue.ts); if it is still being fetched at the
//           demand, it saves the completed part, and nothing is fetched twice.
// In both models, an access saves at most its lead, the time from advice to demand: a browser requests a page's images
// within the same second anyway, so hints for them gain nothing. The paper's simple model has no such cap
// (`capByLead: false`).

export type TimingModel = 'simple' | 'timed';
export const timingModels: readonly TimingModel[] = ['simple', 'timed'];

export interface FetchTime {
  /** Time per fetch, ms. */
  latencyMs: number;
  /** Time per byte, ms. */
  perByteMs: number;
}

/** The paper's regression: 1.13 s plus 5.36e-5 s per byte (8.2.1, figure 14). */
export const paperFetchTime: FetchTime = { latencyMs: 1130, perByteMs: 0.0536 };

/** Duration of fetching `bytes`, ms. */
export function fetchTimeMs({ latencyMs, perByteMs }: FetchTime, bytes: number): number {
  return latencyMs + perByteMs * bytes;
}

/** Time that an arrived prefetch saves on an access, ms. */
export function savingMs(unhintedMs: number, hintedMs: number, leadMs: number): number {
  return Math.max(0, Math.min(unhintedMs - hintedMs, leadMs));
}
