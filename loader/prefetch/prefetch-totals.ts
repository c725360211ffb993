// Costs and benefits of prefetching, as reported by `loader.stats().prefetch`.

export interface PrefetchTotals {
  /** Requests sent, one per part of a body. */
  requests: number;
  /** Bodies that were stored or adopted by a page: used, wasted, or still waiting. */
  kept: number;
  /** Bytes of all bodies as received, whatever became of them. */
  bytes: number;
  /** Connections used. */
  connections: number;
  /** Kept bodies that a page used. */
  used: number;
  usedBytes: number;
  /** Kept bodies that will not be used: evicted, replaced, removed, expired, or unused when the loader closed. */
  wasted: number;
  wastedBytes: number;
  /** Cancelled or unusable: refused, redirected, too large, not storable, failed. */
  dropped: number;
}

export const noPrefetches: Readonly<PrefetchTotals> = Object.freeze({
  requests: 0,
  kept: 0,
  bytes: 0,
  connections: 0,
  used: 0,
  usedBytes: 0,
  wasted: 0,
  wastedBytes: 0,
  dropped: 0,
});
