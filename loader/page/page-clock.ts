// When things happened to a page: ms from navigation start, taken from a monotonic clock, and the wall clock
// that belongs to it for all that caches compute.

export class PageClock {
  /** Monotonic time of navigation start, ms (performance.now). */
  readonly startedAt: number;
  /** Wall clock at navigation start, ms since the epoch. */
  readonly startedAtMs: number;

  /** @param startedAt monotonic time of navigation start, ms. */
  constructor(startedAt: number = performance.now()) {
    this.startedAt = startedAt;
    this.startedAtMs = Date.now() - (performance.now() - startedAt);
  }

  /** From a monotonic time to ms from navigation start. */
  time(at: number): number {
    return at - this.startedAt;
  }

  /** From a monotonic time to the wall clock, ms since the epoch. */
  wallTime(at: number): number {
    return this.startedAtMs + this.time(at);
  }
}
