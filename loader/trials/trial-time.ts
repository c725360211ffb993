// How long images are converted: one takes many conversions, and a large one may take longer than all others together.
// So each conversion has what is left of the time, and none begins once the time is up or the caller has aborted.

import type { Sharp } from './pixels.ts';

export class TrialTime {
  readonly #endMs: number;
  readonly #signal: AbortSignal | undefined;

  constructor(timeMs: number, signal: AbortSignal | undefined) {
    this.#endMs = performance.now() + timeMs;
    this.#signal = signal;
  }

  get isOver(): boolean {
    return performance.now() >= this.#endMs;
  }

  /** What it opens fails when the time is up, in whole seconds of sharp, or at once. */
  bound(sharp: Sharp): Sharp {
    return (file, options) => {
      this.#signal?.throwIfAborted();
      if (this.isOver) throw new Error('the time is up');
      const seconds = Math.ceil((this.#endMs - performance.now()) / 1000);
      return sharp(file, options).timeout({ seconds });
    };
  }

  /** The conversion under way cannot be stopped; nobody waits for it. @throws The signal's reason */
  async orAborted<Result>(work: Promise<Result>): Promise<Result> {
    const signal = this.#signal;
    if (signal === undefined) return await work;
    work.catch(() => {});
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      return await Promise.race([work, promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}
