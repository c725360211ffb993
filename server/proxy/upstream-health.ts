// Notes whether the upstream works. Tells the operator the beginning and the end of a period of failures, not each request.

import type { Notice } from '../../prefetchd/errors.ts';

export class UpstreamHealth {
  readonly #onNotice: (notice: Notice) => void;
  #failingSinceMs: number | null = null;
  #failures = 0;

  constructor(onNotice: (notice: Notice) => void) {
    this.#onNotice = onNotice;
  }

  failed(cause: unknown): void {
    this.#failures++;
    if (this.#failingSinceMs !== null) return;
    this.#failingSinceMs = performance.now();
    const error = cause instanceof Error ? cause : new Error(String(cause));
    this.#onNotice({ level: 'warn', message: 'the site fails requests', error });
  }

  answered(): void {
    if (this.#failingSinceMs === null) return;
    const seconds = ((performance.now() - this.#failingSinceMs) / 1000).toFixed(1);
    const message = `the site answers again, after ${seconds} s and ${this.#failures} failed requests`;
    this.#failingSinceMs = null;
    this.#failures = 0;
    this.#onNotice({ level: 'info', message });
  }
}
