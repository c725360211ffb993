// The prefetches that have begun and are not over, by URL. A `fetch` that shares the cache waits for one instead of
// asking the server again, and finds it in the cache, which knows for which requests an answer may be used.

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

  /** Those that have a part, and ask for no other yet. */
  get waiting(): PrefetchJob[] {
    return [...this.#jobs.values()].filter(({ isWaiting }) => isWaiting);
  }

  /** A page begins: all that is not the page's own, and that nobody else waits for. */
  notOf(url: string): PrefetchJob[] {
    return [...this.#jobs.values()].filter(
      ({ isWanted, target }) => !isWanted && target.url !== url && target.document !== url,
    );
  }

  /**
   * What may become the answer to a page's request. What is under way for its URL and no answer to it is
   * given up.
   */
  take(
    request: CacheRequest,
    isSameAsker: (one: CacheRequest, other: CacheRequest) => boolean,
  ): PrefetchJob | null {
    const job = this.#jobs.get(request.url);
    if (job === undefined || job.isAdopted || job.target.isRules) return null;
    if (job.isFit && isSameAsker(job.request, request)) return job;
    job.giveUp('the page asks for itself');
    return null;
  }

  /** Somebody but a page waits for it. @returns resolves when it is over; null: nothing is under way that could help. */
  awaited(url: string): Promise<void> | null {
    const job = this.#jobs.get(url);
    if (job === undefined || job.isAdopted || job.isRefused || job.target.isRules) return null;
    job.want();
    return job.proven;
  }

  /** Who wants it asks for itself. */
  overtaken(url: string): void {
    const job = this.#jobs.get(url);
    if (job?.isAdopted === false) job.giveUp('who wants it asks for itself');
  }
}

const fillings = new WeakMap<HttpCache, Set<JobsInFlight>>();

/** From now on these go into that cache. @returns to be called when no more do. */
export function beginShared(cache: HttpCache, active: JobsInFlight): () => void {
  const all = fillings.get(cache) ?? new Set();
  fillings.set(cache, all.add(active));
  return () => void all.delete(active);
}

/**
 * Somebody wants what is being prefetched into the cache: all of it is asked for, and no page ends it.
 * @returns resolves when it is over, and in the cache if it may be; null: nothing is under way for this URL.
 */
export function awaitShared(cache: HttpCache, url: string): Promise<void> | null {
  for (const active of fillings.get(cache) ?? []) {
    const proven = active.awaited(url);
    if (proven !== null) return proven;
  }
  return null;
}

/** Whoever wants it asks for itself: what is under way is given up. */
export function endShared(cache: HttpCache, url: string): void {
  for (const active of fillings.get(cache) ?? []) active.overtaken(url);
}
