// Prefetches in flight that the page takes over, so that nothing is requested twice. The page sees an ordinary
// exchange from its first byte. If the response turns out to be unusable, the page sends its own request.

import type { CacheRequest } from '../cache/entry.ts';
import type { CacheMode } from '../cache/http-cache.ts';
import type { LoaderError } from '../errors.ts';
import type { PrefetchJob } from '../prefetch/prefetch-job.ts';
import type { Prefetcher } from '../prefetch/prefetcher.ts';
import type { RequestPlan } from '../request/request-plan.ts';
import type { Resource } from './resource.ts';

export class AdoptedPrefetches {
  readonly #prefetcher: Prefetcher | null;
  readonly #mayUse: boolean;
  readonly #jobs = new Map<Resource, PrefetchJob>();
  /** Completed adoptions whose responses are not verified yet. */
  readonly #unproven = new Set<PrefetchJob>();

  /** @param prefetcher null: prefetching is off. */
  constructor(prefetcher: Prefetcher | null, mode: CacheMode) {
    this.#prefetcher = prefetcher;
    this.#mayUse = mode === 'default' || mode === 'force-cache';
  }

  isFetching(href: string): boolean {
    return this.#prefetcher?.isFetching(href) ?? false;
  }

  /**
   * The prefetch in flight for a URL that the page needs, if it can replace the page's own request; if it cannot, the
   * prefetch is cancelled.
   * @param plan The page's plan for the request.
   * @param request Builds the page's request; called only if a prefetch is in flight.
   */
  take(url: URL, plan: RequestPlan, request: () => CacheRequest): PrefetchJob | null {
    const prefetcher = this.#prefetcher;
    if (prefetcher === null || plan.hit !== null || !prefetcher.isFetching(url.href)) return null;
    const job = prefetcher.take(request());
    const isPlain = plan.validation === null && plan.prefix === null;
    if (job !== null && isPlain && this.#mayUse) return job;
    job?.giveUp('the page sends its own request');
    return null;
  }

  /** @param ask Sends the page's own request; called if the prefetch turns out to be unusable. */
  adopt(resource: Resource, job: PrefetchJob, ask: () => void): void {
    const { row } = resource;
    row.prefetched = true;
    resource.exchange = job.exchange;
    resource.batch = job.batch;
    this.#jobs.set(resource, job);
    job.adopt(resource, () => {
      row.prefetched = false;
      resource.batch = null;
      this.#jobs.delete(resource);
      ask();
    });
  }

  ended(resource: Resource): void {
    const job = this.#jobs.get(resource);
    if (job === undefined) return;
    this.#jobs.delete(resource);
    this.#unproven.add(job);
    void job.proven.then(() => this.#unproven.delete(job));
  }

  /** Resolves when each response is known to belong to its request or has been replaced by the page's own request. */
  async proven(): Promise<void> {
    await Promise.all([...this.#unproven].map((job) => job.proven));
  }

  /** Stops the load. */
  giveUp(error: LoaderError): void {
    for (const job of this.#unproven) job.release();
    for (const [resource, job] of this.#jobs) {
      job.giveUp(error.message);
      job.release();
      resource.onError(error, performance.now());
    }
  }
}
