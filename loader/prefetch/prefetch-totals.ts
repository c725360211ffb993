// What prefetching cost and brought, as `loader.stats().prefetch` tells it.

export interface PrefetchTotals {
  /** Requests sent, one for each part of a body; those for robots.txt apart. */
  requests: number;
  /** Bodies that were kept, or became a page's: used, wasted, and those that still wait. */
  kept: number;
  /** Bytes of bodies as they came, of whatever became of them. */
  bytes: number;
  /** Connections they were sent on. */
  connections: number;
  /** Kept ones that a page used. */
  used: number;
  usedBytes: number;
  /** Kept ones that nothing will use: evicted, replaced, forgotten, expired, or unused when the loader closed. */
  wasted: number;
  wastedBytes: number;
  /** Given up or of no use: refused, redirected, too large, not to be stored, failed. */
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
