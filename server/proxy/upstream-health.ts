// Notes whether the upstream works. Tells the operator the beginning and the end of a period of failures, not each request.

import type { Logger } from '../../options/logger.ts';

export class UpstreamHealth {
  readonly #upstream: string;
  readonly #log: Logger;
  #failingSinceMs: number | null = null;
  #failures = 0;

  /** @param upstream Address of the upstream, which each message names */
  constructor(upstream: string, log: Logger) {
    this.#upstream = upstream;
    this.#log = log;
  }

  failed(cause: unknown): void {
    this.#failures++;
    if (this.#failingSinceMs !== null) return;
    this.#failingSinceMs = performance.now();
    this.#log.warn({ upstream: this.#upstream, err: cause }, 'the site fails requests');
  }

  answered(): void {
    if (this.#failingSinceMs === null) return;
    const seconds = ((performance.now() - this.#failingSinceMs) / 1000).toFixed(1);
    const message = `the site answers again, after ${seconds} s and ${this.#failures} failed requests`;
    this.#failingSinceMs = null;
    this.#failures = 0;
    this.#log.info({ upstream: this.#upstream }, message);
  }
}
