// Loads pages on request: a line of JSON in, a line out. Each load has a loader of its own, so its connections are new,
// but its code is compiled already. The process ends with its standard input.

import { createHttpCache } from '../../loader/cache/cache.ts';
import type { HttpCache } from '../../loader/cache/http-cache.ts';
import { createMemoryStore } from '../../loader/cache/memory-cache-store.ts';
import { loadPage } from '../../loader/loader.ts';
import type { LoaderOptions } from '../../loader/options.ts';
import { answerLines } from './line-process.ts';

export interface LoadRequest {
  url: string;
  options: LoaderOptions;
  /** `first`: the cache is empty. `revalidate`: it has what the first visit left, and each response is validated. */
  visit: CompareVisit;
}

export type CompareVisit = 'first' | 'revalidate';

export interface LoadAnswer {
  /** Time until page and resources had arrived, ms; `sizesKnownMs`: until the size of every image was known. */
  completeMs: number | null;
  sizesKnownMs: number | null;
  requests: number;
  /** Number of connections used; `writes`: number of writes to sockets with requests; null: unknown (Chromium). */
  connections: number | null;
  writes: number | null;
  /** The first of the resources that failed, with the reason. */
  error: string | null;
  errors: number;
}

let cache: HttpCache | null = null;

await answerLines(async ({ url, options, visit }: LoadRequest): Promise<LoadAnswer> => {
  if (visit === 'first') cache = createHttpCache(createMemoryStore());
  const cacheMode = visit === 'revalidate' ? 'no-cache' : 'default';
  const { timing, totals, resources } = await loadPage(url, { ...options, cache, cacheMode });
  const failed = resources.find(({ error }) => error !== null);
  return {
    completeMs: timing.completeMs,
    sizesKnownMs: timing.sizesKnownMs,
    requests: totals.requests,
    connections: totals.connections,
    writes: totals.batches,
    error: failed === undefined ? null : `${failed.url}: ${failed.error?.message}`,
    errors: totals.errors,
  };
});
