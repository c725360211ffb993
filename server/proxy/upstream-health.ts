// Notes whether the upstream works. Reports the beginning and the end of a period of failures, not each request.

export type UpstreamChange =
  /** The upstream failed a request for the first time since it worked. */
  | { readonly isFailing: true; readonly error: unknown }
  /** The upstream recovered: after how long, and how many requests it had failed. */
  | { readonly isFailing: false; readonly failedMs: number; readonly failures: number };

export class UpstreamHealth {
  readonly #onChange: (change: UpstreamChange) => void;
  #failingSinceMs: number | null = null;
  #failures = 0;

  constructor(onChange: (change: UpstreamChange) => void) {
    this.#onChange = onChange;
  }

  failed(error: unknown): void {
    this.#failures++;
    if (this.#failingSinceMs !== null) return;
    this.#failingSinceMs = performance.now();
    this.#onChange({ isFailing: true, error });
  }

  answered(): void {
    if (this.#failingSinceMs === null) return;
    const change = { failedMs: performance.now() - this.#failingSinceMs, failures: this.#failures };
    this.#failingSinceMs = null;
    this.#failures = 0;
    this.#onChange({ isFailing: false, ...change });
  }
}
