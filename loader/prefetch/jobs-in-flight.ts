// Prefetches in flight, by URL.

import type { CacheRequest } from '../cache/entry.ts';
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

  /** Jobs to cancel when a page begins: those that no page needs. */
  notOf(url: string): PrefetchJob[] {
    return [...this.#jobs.values()].filter(
      ({ isAdopted, target }) => !isAdopted && target.url !== url && target.document !== url,
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
}
