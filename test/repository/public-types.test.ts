// What the types promise to programs. `npm run types` is what fails here: a line under @ts-expect-error that compiles,
// or a type that is another. (The test runs so that `npm test` shows it is there.)

import { createServer } from 'node:http';
import express from 'express';
import { Agent, ProxyAgent } from 'undici';
import { expectTypeOf, test } from 'vitest';
import {
  createFetch,
  createHttpCache,
  createLoader,
  createMemoryStore,
  type Fetch,
  type Loader,
  loadPage,
  type PageLoad,
} from '../../loader/index.ts';
import { walkPages } from '../../loader/walk/index.ts';
import { createPrefetchd, type Prefetchd } from '../../prefetchd/index.ts';
import { createService, type Service } from '../../prefetchd/service/index.ts';
import {
  createOrigin,
  createProxy,
  type Hints,
  hints,
  type Origin,
  type ReverseProxy,
  staticFiles,
} from '../../server/index.ts';

/** Never called. */
function misuse(): void {
  const url = 'http://localhost/';
  // @ts-expect-error of one page nothing is prefetched for the next
  void loadPage(url, { prefetch: {} });
  // @ts-expect-error of pages
  createFetch({ images: 'whole' });
  // @ts-expect-error unknown
  createLoader({ protocoll: 'h2' });
  // @ts-expect-error no such protocol
  createLoader({ protocol: 'h3' });
  // @ts-expect-error a section has its own names
  createLoader({ timeouts: { pagesMs: 1 } });
  // @ts-expect-error a store is what createMemoryStore or createSqliteStore returns
  createHttpCache({ maxBytes: 1 });
  // @ts-expect-error a number
  createPrefetchd({ threshold: '0.5' });
  // @ts-expect-error it needs an upstream
  createProxy({});
  // @ts-expect-error a prefetchd
  createService({});
  // @ts-expect-error a store is not asked for by name
  hints({ prefetchd: { store: 'redis://localhost' } });
}

/** Never called: each line is as users write it. */
async function use(): Promise<void> {
  const cache = createHttpCache(createMemoryStore());
  for (const dispatcher of [new Agent(), new ProxyAgent('http://localhost:3128')]) {
    createLoader({ dispatcher, cache });
    createFetch({ dispatcher });
  }
  createLoader({ cache, prefetch: { threshold: 0.5 } });
  const prefetch = hints({ prefetchd: createPrefetchd() });
  express().use(prefetch).use(staticFiles('.')).use(createService(createPrefetchd()).app);
  createServer(createService(createPrefetchd()).app);
  createServer((request, response) => prefetch(request, response, () => response.end()));
  createProxy({ upstream: 'http://localhost:3000', handlers: [prefetch] });
  createOrigin('.', { handlers: [prefetch] });
  const fetch: (url: string, init?: RequestInit) => Promise<Response> = createFetch();
  await fetch('http://localhost/', { method: 'POST', body: 'text', cache: 'no-cache' });
  walkPages;
}

test('are what users rely on', () => {
  void [misuse, use];
  expectTypeOf<keyof Prefetchd>().toEqualTypeOf<
    | 'ready'
    | 'observe'
    | 'hints'
    | 'tune'
    | 'stats'
    | 'leftOut'
    | 'report'
    | 'flush'
    | 'close'
    | typeof Symbol.asyncDispose
  >();
  expectTypeOf<Loader | Fetch | Origin | ReverseProxy | Service | Hints | Prefetchd>().toExtend<
    AsyncDisposable & { close(): Promise<void> }
  >();
  expectTypeOf<Loader | Fetch | Origin | ReverseProxy | Service>().toExtend<{
    destroy(): Promise<void>;
  }>();
  expectTypeOf<Loader | Origin | ReverseProxy | Hints | Prefetchd>().toExtend<{
    stats(): object;
  }>();
  expectTypeOf(loadPage).returns.resolves.toEqualTypeOf<PageLoad>();
  expectTypeOf<ReturnType<Fetch>>().toEqualTypeOf<Promise<Response>>();
});
