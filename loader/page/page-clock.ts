// Converts monotonic times to ms since navigation start, and to wall-clock times for the cache.

export class PageClock {
  /** Monotonic time of navigation start, ms (performance.now). */
  readonly startedAt: number;
  /** Wall clock at navigation start, ms since the epoch. */
  readonly startedAtMs: number;

  /** @param startedAt Monotonic time of navigation start, ms. */
  constructor(startedAt: number = performance.now()) {
    this.startedAt = startedAt;
    this.startedAtMs = Date.now() - (performance.now() - startedAt);
  }

  /** ms since navigation start, from a monotonic time. */
  time(at: number): number {
    return at - this.startedAt;
  }

  /** Wall clock in ms since the epoch, from a monotonic time. */
  wallTime(at: number): number {
    return this.startedAtMs + this.time(at);
  }
}
