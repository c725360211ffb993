// A server and a fetch for one test, which end with it; and a fetch with a private cache in memory, whose clock a test
// sets on.

import { onTestFinished } from 'vitest';
import { createMemoryStore } from '../../../loader/cache/memory-cache-store.ts';
import { createFetch, type Fetch, type FetchOptions } from '../../../loader/fetch/fetch.ts';
import { createHttpCache, type HttpCache, type HttpCacheOptions } from '../../../loader/index.ts';
import { answering, type RawHandler } from '../../support/raw-server.ts';

/** What every request gets, or what is done with it. */
type Answer = string | Buffer | NonNullable<RawHandler['onRequest']>;
const start = (answer: Answer) =>
  answering(
    typeof answer === 'function' ? answer : (_, connection) => void connection.write(answer),
  );

export async function served(answer: Answer, options: FetchOptions = {}) {
  const server = await start(answer);
  const fetch = createFetch(options);
  onTestFinished(async () => {
    await fetch.close();
    await server[Symbol.asyncDispose]();
  });
  return { server, fetch };
}

export async function servedAndCached(answer: Answer, options: FetchOptions = {}) {
  const server = await start(answer);
  const cached = cachedFetch(options);
  onTestFinished(async () => {
    await cached[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  return { server, cached };
}

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
