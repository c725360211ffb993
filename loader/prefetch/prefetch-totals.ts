// The costs and benefits of prefetching, as `loader.stats().prefetch` reports them.

export interface PrefetchTotals {
  /** Number of requests sent. */
  requests: number;
  /** Number of bodies that were stored or adopted by a page, whether used, wasted, or not used yet. */
  kept: number;
  /** Length of all bodies as received, including dropped ones, bytes. */
  bytes: number;
  /** Number of connections used. */
  connections: number;
  /** Number of kept bodies that a page used. */
  used: number;
  usedBytes: number;
  /** Number of kept bodies that will not be used: evicted, replaced, removed, expired, or unused at the close. */
  wasted: number;
  wastedBytes: number;
  /** Number of cancelled or unusable prefetches: refused, redirected, too large, not storable, or failed. */
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
