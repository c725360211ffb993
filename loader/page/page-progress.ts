// Progress reports to the caller. The callback runs in the middle of the page's work, often inside a parser, so an
// error it throws is kept and stops the load; the load then rejects with it.

/** The progress of a load. Its numbers never decrease, even if a resource is fetched again. */
export interface LoadProgress {
  url: string;
  found: number;
  done: number;
  bodyBytes: number;
}

export class PageProgress {
  /** Total length of all decoded bodies so far, bytes. */
  bodyBytes = 0;
  readonly #most = { found: 0, done: 0, bodyBytes: 0 };
  readonly #onProgress: ((progress: LoadProgress) => void) | undefined;
  readonly #onThrow: () => void;
  #thrown: { error: unknown } | null = null;

  /** @param onThrow Called after each throw of the caller's code, once its stack has unwound. */
  constructor(onProgress: ((progress: LoadProgress) => void) | undefined, onThrow: () => void) {
    this.#onProgress = onProgress;
    this.#onThrow = onThrow;
  }

  /**
   * Reports the progress to the caller.
   * @param url URL of the page. @param outstanding Number of resources that were found but are not done.
   */
  report(url: string, found: number, outstanding: number): void {
    const most = this.#most;
    most.found = Math.max(most.found, found);
    most.done = Math.max(most.done, found - outstanding);
    most.bodyBytes = Math.max(most.bodyBytes, this.bodyBytes);
    this.guard(() => this.#onProgress?.({ url, ...most }));
  }

  /** Calls a callback of the caller, such as `onBody`; an error that it throws stops the load. */
  guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.threw(error);
    }
  }

  /** Keeps the error that the caller's code threw, and stops the load. */
  threw(error: unknown): void {
    this.#thrown ??= { error };
    queueMicrotask(this.#onThrow);
  }

  /** Throws the first error that code of the caller threw, if there is one. */
  rethrow(): void {
    if (this.#thrown !== null) throw this.#thrown.error;
  }
}
