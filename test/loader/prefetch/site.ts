// A site whose pages hint at others, said byte by byte, and a loader that prefetches.

import { onTestFinished } from 'vitest';
import {
  createHttpCache,
  createLoader,
  createMemoryStore,
  type HttpCache,
  type Loader,
  type LoaderOptions,
} from '../../../loader/index.ts';
import type { PrefetchOptions } from '../../../loader/prefetch/prefetch-options.ts';
import { withConstants } from '../../../options/options.ts';
import {
  type RawConnection,
  type RawServer,
  response,
  type SeenRequest,
  startRawServer,
} from '../../support/raw-server.ts';

export const fresh = { 'Content-Type': 'text/html', 'Cache-Control': 'max-age=600' };

export type Answer = (
  request: SeenRequest,
  connection: RawConnection,
) => Buffer | string | null | undefined;

/** Every path is a page of its own; `answer` may say something else, or nothing at all (null). */
export async function startSite(
  home: Record<string, string>,
  answer: Answer = () => undefined,
): Promise<RawServer> {
  return await startRawServer({
    onRequest(request, connection) {
      const own = answer(request, connection);
      if (own === null) return;
      const usual = response(`<p>${request.path}`, {
        ...fresh,
        ...(request.path === '/' ? home : {}),
      });
      connection.write(own ?? usual);
    },
  });
}

/** Ends with the test; so does its cache, unless one is given. */
export function loaderWith(
  prefetch: PrefetchOptions = {},
  extraHeaders: Record<string, string> = {},
  options: LoaderOptions & { cache?: HttpCache } = {},
): Loader {
  const cache = options.cache ?? createHttpCache(createMemoryStore());
  const loader = createLoader({
    ...withConstants({ prefetchMaxLoad: 1 }),
    ...options,
    cache,
    prefetch,
    extraHeaders,
  });
  onTestFinished(async () => {
    await loader.close();
    cache.close();
  });
  return loader;
}

/** Paths that were prefetched, in their order. */
export const prefetches = ({ requests }: RawServer): string[] =>
  requests.filter(({ headers }) => headers['sec-purpose'] === 'prefetch').map(({ path }) => path);

export const link = (...urls: string[]): Record<string, string> => ({
  Link: urls.map((url) => `<${url}>; rel=prefetch; probability=0.9`).join(', '),
});

/** Loads `/` and waits for what it hints at. */
export async function visit(
  server: RawServer,
  prefetch: PrefetchOptions = {},
  extra: Record<string, string> = {},
  options: LoaderOptions & { cache?: HttpCache } = {},
): Promise<Loader> {
  const loader = loaderWith(prefetch, extra, options);
  await loader.load(`${server.origin}/`);
  await loader.idle();
  return loader;
}

export async function untilAsked(server: RawServer, path: string): Promise<void> {
  while (!server.requests.some((request) => request.path === path)) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
