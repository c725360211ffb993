// Prefetches in flight, by URL. A `fetch` that shares the cache waits for a prefetch of its URL instead of sending its
// request, then finds the response in the cache, which decides whether it may be used.

import type { CacheRequest } from '../cache/entry.ts';
import type { HttpCache } from '../cache/http-cache.ts';
import type { PrefetchJob } from './prefetch-job.ts';

export class JobsInFlight {
  readonly #jobs = new Map<string, PrefetchJob>();

  get size(): number {
    return this.#jobs.size;
  }

  has(url: string): boolean {
    return this.#jobs.has(url);
  }

  add(job: PrefetchJob): void {
    this.#jobs.set(job.target.url, job);
  }

  delete(job: PrefetchJob): void {
    this.#jobs.delete(job.target.url);
  }

  /** Jobs that have received a part and have not requested the next one. */
  get waiting(): PrefetchJob[] {
    return [...this.#jobs.values()].filter(({ isWaiting }) => isWaiting);
  }

  /** Jobs to cancel when a page begins: those that neither the page nor any caller needs. */
  notOf(url: string): PrefetchJob[] {
    return [...this.#jobs.values()].filter(
      ({ isWanted, target }) => !isWanted && target.url !== url && target.document !== url,
    );
  }

  /** The job that may answer a page's request. A job for the same URL that cannot answer it is cancelled. */
  take(
    request: CacheRequest,
    isSameAsker: (one: CacheRequest, other: CacheRequest) => boolean,
  ): PrefetchJob | null {
    const job = this.#jobs.get(request.url);
    if (job === undefined || job.isAdopted || job.target.isRules) return null;
    if (job.isFit && isSameAsker(job.request, request)) return job;
    job.giveUp('the page sends its own request');
    return null;
  }

  /**
   * Registers that a caller other than a page waits for a URL. @returns A promise that resolves when the job is over;
   * null: no suitable job is in flight.
   */
  awaited(url: string): Promise<void> | null {
    const job = this.#jobs.get(url);
    if (job === undefined || job.isAdopted || job.isRefused || job.target.isRules) return null;
    job.want();
    return job.proven;
  }

  /** Cancels the job, because its URL is being requested directly. */
  overtaken(url: string): void {
    const job = this.#jobs.get(url);
    if (job?.isAdopted === false) job.giveUp('its URL is requested directly');
  }
}

const fillings = new WeakMap<HttpCache, Set<JobsInFlight>>();

/** Registers jobs that fill the cache. @returns A function that unregisters them. */
export function beginShared(cache: HttpCache, active: JobsInFlight): () => void {
  const all = fillings.get(cache) ?? new Set();
  fillings.set(cache, all.add(active));
  return () => void all.delete(active);
}

/**
 * Waits for a prefetch into the cache. The prefetch then completes even if a page begins.
 * @returns A promise that resolves when it is over and, if allowed, stored; null: none is in flight for this URL.
 */
export function awaitShared(cache: HttpCache, url: string): Promise<void> | null {
  for (const active of fillings.get(cache) ?? []) {
    const proven = active.awaited(url);
    if (proven !== null) return proven;
  }
  return null;
}

/** Cancels the prefetch of this URL, because it is being requested directly. */
export function endShared(cache: HttpCache, url: string): void {
  for (const active of fillings.get(cache) ?? []) active.overtaken(url);
}
