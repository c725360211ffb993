// The layer in which a page takes over prefetches in flight, so that nothing is requested twice. The page sees an
// ordinary exchange from its first byte. If the response turns out to be unusable, the page sends its own request.

import type { PageLayer, PageRequest } from '../page/page-layer.ts';
import type { Resource } from '../page/resource.ts';
import { plainPlan } from '../request/request-plan.ts';
import type { ExchangeHandler } from '../transport/exchange.ts';
import type { PrefetchJob } from './prefetch-job.ts';
import type { Prefetcher } from './prefetcher.ts';

/** Makes the layer (code around each request) in which pages take over prefetches. @param prefetcherNow Returns the
 *  prefetcher; null: none yet */
export function adoptedPrefetches(prefetcherNow: () => Prefetcher | null): PageLayer {
  return (dispatch, page) => {
    const prefetcher = prefetcherNow();
    if (prefetcher === null) return dispatch;
    const { cacheMode } = page.context;
    const mayUse = cacheMode === 'default' || cacheMode === 'force-cache';
    /** The prefetches that the page took over, each until its response is known to belong to its request. */
    const jobs = new Map<PrefetchJob, { owner: Resource; handler: ExchangeHandler }>();

    /** Returns the prefetch in flight that can replace the page's own request, or null; cancels one that cannot. */
    const jobFor = ({ owner, purpose }: PageRequest): PrefetchJob | null => {
      const { request, plan } = owner;
      if (purpose !== 'use' || !prefetcher.isFetching(request.url)) return null;
      const job = prefetcher.claim(request);
      const isPlain = plan.validation === null && plan.prefix === null;
      if (job !== null && isPlain && mayUse) return job;
      job?.giveUp('the page sends its own request');
      return null;
    };

    page.watch({
      comes: ({ href }, { validation }) => validation === null && prefetcher.isFetching(href),
      settled: async () => {
        await Promise.all([...jobs.keys()].map((job) => job.proven));
      },
      stopped: (error) => {
        for (const [job, { owner, handler }] of jobs) {
          job.giveUp(error.message);
          job.release();
          if (!owner.done) handler.onError(error, performance.now());
        }
      },
      over: (resources) => {
        const used = resources.filter(
          ({ row, stored }) => row.purpose === 'use' && stored !== null,
        );
        for (const { row } of used) row.prefetched ||= prefetcher.use(row.url);
      },
    });

    return (request, handler) => {
      const { owner } = request;
      const job = jobFor(request);
      if (job === null) {
        dispatch(request, handler);
        return;
      }
      owner.replan(plainPlan);
      owner.row.prefetched = true;
      owner.exchange = job.exchange;
      owner.batch = job.batch;
      jobs.set(job, { owner, handler });
      void job.proven.then(() => jobs.delete(job));
      job.adopt(handler, () => {
        owner.row.prefetched = false;
        owner.batch = null;
        jobs.delete(job);
        dispatch({ ...request, conditions: plainPlan.fields }, handler);
      });
    };
  };
}
