// Limits the work for hints on a busy server, so that the site's own requests come first. While the thread has used 80
// % of its available processor time for a second (process/thread-load.ts), the share of visitors who are learned from
// and get hints is halved at each measurement; once the load is low again, it grows by half each time. Under full load,
// it reaches zero after two and a half seconds.
//
// The share applies to visitors rather than requests: half of the visitors, seen at each step, show which page follows
// which; half of all requests would not.

import { textHash } from '../../process/text-memo.ts';
import { calm, overload } from '../../process/thread-load.ts';

/**
 * Least time between two changes of the share of visitors, ms; as long as an interval of measurement in
 * process/thread-load.ts.
 */
const sampleMs = 250;
/** Smallest share of visitors who get hints; a smaller one becomes 0. */
const least = 1 / 32;

export class LoadShedding {
  /** Share of visitors who are learned from and get hints, 0..1. */
  share = 1;
  readonly #load: () => number;
  #isOverloaded = false;
  #sampledMs = 0;

  /** @param load Returns how busy the process is, 0..1 */
  constructor(load: () => number) {
    this.#load = load;
  }

  /** True while the thread is overloaded, and afterwards until all visitors get hints again. */
  get isBusy(): boolean {
    return this.#isOverloaded || this.share < 1;
  }

  /**
   * Measures how busy this thread is, and adapts the share of visitors who get hints; to be called for each request.
   * @param nowMs Monotonic time
   */
  sample(nowMs: number): void {
    const load = this.#load();
    this.#isOverloaded = load >= overload;
    if (nowMs - this.#sampledMs < sampleMs) return;
    this.#sampledMs = nowMs;
    if (this.#isOverloaded) {
      this.share = this.share > least ? this.share / 2 : 0;
    } else if (load < calm) {
      this.share = Math.min(1, Math.max(least, this.share * 1.5));
    }
  }

  /** Returns whether the visitor gets hints. @param visitor Any text that is the same for all requests of a visitor */
  has(visitor: string): boolean {
    if (this.share === 1) return true;
    return this.share > 0 && textHash(visitor) / 2 ** 32 < this.share;
  }
}
