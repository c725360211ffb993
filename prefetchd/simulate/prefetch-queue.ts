// The pending prefetches of one client in the timed model. A client has one line: prefetches use it one after the
// other, in the order advised, each once the previous one has arrived and the client's own fetch is done. (The paper
// judges each prefetch alone, as if all ran in parallel, and does not discuss their interaction, 8.2.)
//
// Nothing happens between two accesses of a client, so time only advances with accesses (`advance`). A demand for a
// waiting file removes the file from the queue: its prefetch was never requested.

import type { Candidate } from './advisors.ts';
import type { TraceFile } from './trace.ts';

interface Pending extends Candidate {
  advisedAtMs: number;
}

export interface PrefetchQueueOptions {
  /** Returns the duration of a fetch of that many bytes, ms. */
  durationMs: (bytes: number) => number;
  /** Called when a prefetch is requested. */
  onStart: (prefetch: Pending) => void;
  onArrival: (prefetch: Pending) => void;
}

export class PrefetchQueue {
  readonly #options: PrefetchQueueOptions;
  /** In the order advised. */
  readonly #waiting = new Map<TraceFile, Pending>();
  /** Time when the line becomes free, ms. */
  #busyUntilMs = 0;
  /** true while the first pending prefetch is being fetched. */
  #isStarted = false;

  constructor(options: PrefetchQueueOptions) {
    this.#options = options;
  }

  /** Appends a prefetch, unless one of the file is pending. */
  add(candidate: Candidate, advisedAtMs: number): void {
    const { file } = candidate;
    if (!this.#waiting.has(file)) this.#waiting.set(file, { ...candidate, advisedAtMs });
  }

  /** Called when the client's own fetch occupies the line until `untilMs`. */
  occupy(untilMs: number): void {
    this.#busyUntilMs = Math.max(this.#busyUntilMs, untilMs);
  }

  /** Starts every prefetch due before `nowMs`, and delivers every prefetch that ends by then. */
  advance(nowMs: number): void {
    const { durationMs, onStart, onArrival } = this.#options;
    for (const [file, prefetch] of this.#waiting) {
      if (!this.#isStarted) {
        const startMs = Math.max(this.#busyUntilMs, prefetch.advisedAtMs);
        if (startMs >= nowMs) return;
        this.#isStarted = true;
        this.#busyUntilMs = startMs + durationMs(prefetch.bytes);
        onStart(prefetch);
      }
      if (this.#busyUntilMs > nowMs) return;
      this.#waiting.delete(file);
      this.#isStarted = false;
      onArrival(prefetch);
    }
  }

  /**
   * Called when the client requests `file` itself, after `advance` to that time; the file leaves the queue.
   * @returns the remaining time of its prefetch, ms; null if none is being fetched
   */
  removeRequested(file: TraceFile, nowMs: number): number | null {
    const [first] = this.#waiting.keys();
    if (!this.#waiting.delete(file) || first !== file || !this.#isStarted) return null;
    this.#isStarted = false;
    return this.#busyUntilMs - nowMs;
  }
}
