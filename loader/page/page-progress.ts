// What the caller is told while a page loads. Its callback runs in the middle of the page's work, often
// inside a parser: what it throws is kept for the end of the load, and stops it.

/** No figure ever falls: what is fetched again counts as it did when it came first. */
export interface LoadProgress {
  url: string;
  found: number;
  done: number;
  bodyBytes: number;
}

export class PageProgress {
  /** Of all bodies so far, after decoding. */
  bodyBytes = 0;
  readonly #most = { found: 0, done: 0, bodyBytes: 0 };
  readonly #onProgress: ((progress: LoadProgress) => void) | undefined;
  readonly #onThrow: () => void;
  #thrown: { error: unknown } | null = null;

  /** @param onThrow called each time the callback throws, when the caller's stack has unwound. */
  constructor(onProgress: ((progress: LoadProgress) => void) | undefined, onThrow: () => void) {
    this.#onProgress = onProgress;
    this.#onThrow = onThrow;
  }

  /** @param url of the page. @param outstanding of those found. */
  tell(url: string, found: number, outstanding: number): void {
    if (this.#onProgress === undefined) return;
    const most = this.#most;
    most.found = Math.max(most.found, found);
    most.done = Math.max(most.done, found - outstanding);
    most.bodyBytes = Math.max(most.bodyBytes, this.bodyBytes);
    try {
      this.#onProgress({ url, ...most });
    } catch (error) {
      this.#thrown ??= { error };
      queueMicrotask(this.#onThrow);
    }
  }

  /** @throws what the callback threw first. */
  rethrow(): void {
    if (this.#thrown !== null) throw this.#thrown.error;
  }
}
