// A fetch with a private cache in memory, whose clock a test sets on.

import { createMemoryStore } from '../../../loader/cache/memory-cache-store.ts';
import { createFetch, type Fetch, type FetchOptions } from '../../../loader/fetch/fetch.ts';
import { createHttpCache, type HttpCache, type HttpCacheOptions } from '../../../loader/index.ts';

export interface CachedFetch extends AsyncDisposable {
  fetch: Fetch;
  cache: HttpCache;
  /** Entries that are stored. */
  stored(): number;
  /** The cache's clock goes on, s. */
  pass(seconds: number): void;
}

export function cachedFetch(
  options: FetchOptions = {},
  cacheOptions: HttpCacheOptions = {},
): CachedFetch {
  let aheadMs = 0;
  const store = createMemoryStore();
  const cache = createHttpCache(store, { now: () => Date.now() + aheadMs, ...cacheOptions });
  const fetch = createFetch({ ...options, cache });
  return {
    fetch,
    cache,
    stored: () => store.size().entries,
    pass(seconds) {
      aheadMs += seconds * 1000;
    },
    async [Symbol.asyncDispose]() {
      await fetch.close();
      cache.close();
    },
  };
}
