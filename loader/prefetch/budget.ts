// What may be spent behind a page: so many requests, so many bytes together, and so many on one body.

import type { PrefetchJob } from './prefetch-job.ts';
import type { PrefetchOptions } from './prefetch-options.ts';

export class Budget {
  readonly #options: Required<PrefetchOptions>;
  #requests = 0;
  #bytes = 0;

  constructor(options: Required<PrefetchOptions>) {
    this.#options = options;
  }

  /** A page has loaded. @param room of the cache for what waits, bytes. */
  renew(room: number): void {
    this.#requests = this.#options.maxRequests;
    this.#bytes = Math.min(this.#options.maxBytes, room);
  }

  /** Nothing more may be begun. */
  get isSpent(): boolean {
    return this.#requests <= 0 || this.#bytes <= 0;
  }

  /** Bytes that its body may have, as far as is known before they come. */
  most(job: PrefetchJob): number {
    return Math.min(this.#bytes, this.#mostOfOne(job));
  }

  /** It is begun. */
  countRequest(): void {
    this.#requests--;
  }

  /** @returns false: these were too many. */
  countBytes(job: PrefetchJob, bytes: number): boolean {
    this.#bytes -= bytes;
    return this.#bytes >= 0 && job.bytes <= this.#mostOfOne(job);
  }

  /** What can come whole only is on its way all at once, in front of what a page that begins asks for. */
  #mostOfOne(job: PrefetchJob): number {
    const { maxResourceBytes, maxWholeBytes } = this.#options;
    return job.mayBeInParts ? maxResourceBytes : Math.min(maxResourceBytes, maxWholeBytes);
  }
}
