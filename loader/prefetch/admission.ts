// Decides whether a prefetch may be sent now: the thread must not be busy, and the number and bytes of prefetches after
// the last page must be below their limits.

import type { PrefetchJob } from './prefetch-job.ts';
import type { PrefetchSettings } from './prefetch-options.ts';

/** Whether a prefetch may begin. `wait`: ask again when `onChange` is called. `never`: none of the queue may. */
export type Admitted = 'yes' | 'wait' | 'never';

/** Interval between two checks of how busy this thread is, ms. */
const lookAgainMs = 250;
const longestBusyMs = 10_000;
/** Limit on the number of bodies that are prefetched after one page. */
const mostRequests = 16;

export class Admission {
  readonly #maxLoad: number;
  readonly #load: () => number;
  readonly #budget: PrefetchBudget;
  readonly #onChange: () => void;
  #timer: NodeJS.Timeout | null = null;
  #busySince: number | null = null;

  /**
   * @param maxLoad How busy this thread may be before prefetches have to wait, 0..1; 1: they never wait.
   * @param load Returns how busy this thread is now, 0..1 (process/thread-load.ts).
   * @param onChange Called when it is time to ask `toBegin` again, after it returned `wait`.
   */
  constructor(maxLoad: number, load: () => number, budget: PrefetchBudget, onChange: () => void) {
    this.#maxLoad = maxLoad;
    this.#load = load;
    this.#budget = budget;
    this.#onChange = onChange;
  }

  /** Whether a prefetch may begin. */
  toBegin(): Admitted {
    // An exhausted budget is not refilled before the next page, so waiting is pointless.
    if (this.#budget.isSpent) return 'never';
    // `#load` returns how busy the thread is, at most 1; a limit of 1 means that prefetches never wait.
    if (this.#maxLoad === 1 || this.#load() < this.#maxLoad) {
      this.#busySince = null;
      return 'yes';
    }
    this.#busySince ??= performance.now();
    if (performance.now() - this.#busySince >= longestBusyMs) {
      this.#busySince = null;
      return 'never';
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#onChange();
    }, lookAgainMs).unref();
    return 'wait';
  }

  /** Lets the timer keep the process alive, because a caller waits until all prefetches are over. */
  ref(): void {
    this.#timer?.ref();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

export class PrefetchBudget {
  readonly #options: PrefetchSettings;
  #requests = 0;
  #bytes = 0;

  constructor(options: PrefetchSettings) {
    this.#options = options;
  }

  /** Refills the budget after a page load. @param room Limit on prefetched bytes in the cache that no page has used */
  renew(room: number): void {
    this.#requests = mostRequests;
    this.#bytes = Math.min(this.#options.maxBytes, room);
  }

  /** Whether no further body may be prefetched before the next page is loaded. */
  get isSpent(): boolean {
    return this.#requests <= 0 || this.#bytes <= 0;
  }

  /** Largest body that a prefetch may receive now, bytes. */
  get most(): number {
    return Math.min(this.#bytes, this.#options.maxResourceBytes);
  }

  countRequest(): void {
    this.#requests--;
  }

  /** Counts received bytes of a prefetch. @returns false if the budget, or the limit on one body, is exceeded. */
  countBytes(job: PrefetchJob, bytes: number): boolean {
    this.#bytes -= bytes;
    return this.#bytes >= 0 && job.bytes <= this.#options.maxResourceBytes;
  }
}
