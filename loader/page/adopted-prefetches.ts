// Prefetches under way that became the page's: what is being fetched already is not asked for twice. The
// page sees an ordinary exchange, from its first byte on, and asks for itself where it turns out unfit.

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
  /** Of those that ended. */
  readonly #unproven = new Set<PrefetchJob>();

  /** @param prefetcher null: nothing is prefetched. */
  constructor(prefetcher: Prefetcher | null, mode: CacheMode) {
    this.#prefetcher = prefetcher;
    this.#mayUse = mode === 'default' || mode === 'force-cache';
  }

  /**
   * What is under way for a URL the page needs, where that can stand for the page's own request; what cannot
   * is given up.
   * @param plan how the page would ask.
   * @param request as the page would send it; made when something is under way.
   */
  take(url: URL, plan: RequestPlan, request: () => CacheRequest): PrefetchJob | null {
    const prefetcher = this.#prefetcher;
    if (prefetcher === null || plan.hit !== null || !prefetcher.isFetching(url.href)) return null;
    const job = prefetcher.take(request());
    const isPlain = plan.validation === null && plan.prefix === null;
    if (job !== null && isPlain && this.#mayUse) return job;
    job?.giveUp('the page asks for itself');
    return null;
  }

  /** @param ask sends the page's own request; called where the prefetch turns out unfit. */
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

  /** Resolves when what came is known to be what was asked for, or the page has begun to ask for itself. */
  async proven(): Promise<void> {
    await Promise.all([...this.#unproven].map((job) => job.proven));
  }

  /** The load is stopped. */
  giveUp(error: LoaderError): void {
    for (const job of this.#unproven) job.release();
    for (const [resource, job] of this.#jobs) {
      job.giveUp(error.message);
      resource.onError(error, performance.now());
    }
  }
}
