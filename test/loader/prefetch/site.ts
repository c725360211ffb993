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
import { withConstants } from '../../../options/options.ts';
import {
  answering,
  type RawConnection,
  type RawServer,
  response,
  type SeenRequest,
} from '../../support/raw-server.ts';

export const fresh = { 'Content-Type': 'text/html', 'Cache-Control': 'max-age=600' };

export type Answer = (
  request: SeenRequest,
  connection: RawConnection,
) => Buffer | string | null | undefined;

/** Writes how an answer begins. What is to come of it is for `finish` to do. */
export function held(begin: Buffer | string, end: (connection: RawConnection) => void) {
  let finish = (): void => {};
  const answer: Answer = (_, connection) => {
    connection.write(begin);
    finish = () => end(connection);
    return null;
  };
  return { answer, finish: () => finish() };
}

/** A function, or the answers by path. */
type Answers = Answer | Record<string, Buffer | null>;

/** Every path is a page of its own; `answers` may say something else, or nothing at all (null). */
export async function startSite(
  home: Record<string, string>,
  answers: Answers = {},
): Promise<RawServer> {
  return await answering((request, connection) => {
    const own =
      typeof answers === 'function' ? answers(request, connection) : answers[request.path];
    if (own === null) return;
    const usual = response(`<p>${request.path}`, {
      ...fresh,
      ...(request.path === '/' ? home : {}),
    });
    connection.write(own ?? usual);
  });
}

type Given = LoaderOptions & { cache?: HttpCache };

/** Ends with the test; so does its cache, unless one is given. */
export function loaderWith(given: Given = {}): Loader {
  const cache = given.cache ?? createHttpCache(createMemoryStore());
  const always = withConstants({ prefetchMaxLoad: 1 });
  const loader = createLoader({ ...always, prefetch: {}, ...given, cache });
  onTestFinished(async () => {
    await loader.close();
    cache.close();
  });
  return loader;
}

export const isPrefetch = ({ headers }: SeenRequest) => headers['sec-purpose'] === 'prefetch';

/** Paths that were prefetched, in their order. */
export const prefetches = ({ requests }: RawServer): string[] =>
  requests.filter(isPrefetch).map(({ path }) => path);

export const link = (...urls: string[]): Record<string, string> => ({
  Link: urls.map((url) => `<${url}>; rel=prefetch; probability=0.9`).join(', '),
});

/** A site whose first page has these fields, and a loader that prefetches, until the test ends. */
export async function hinting(home: Record<string, string>, answers?: Answers, given?: Given) {
  const server = await startSite(home, answers);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const loader = loaderWith(given);
  const load = (path: string, options?: Parameters<Loader['load']>[1]) =>
    loader.load(server.origin + path, options);
  return {
    ...{ server, loader, load },
    stats: () => loader.stats().prefetch,
    prefetched: () => prefetches(server),
    asked: () => server.requests.map(({ path }) => path),
    untilAsked: (path: string) => untilAskedOf(server, path),
  };
}

/** Loads `/` and waits for what it hints at. */
export async function visited(...given: Parameters<typeof hinting>) {
  const site = await hinting(...given);
  await site.load('/');
  await site.loader.idle();
  return site;
}

/** Loads `/` and waits until this is asked for. */
export async function untilAsked(path: string, ...given: Parameters<typeof hinting>) {
  const site = await hinting(...given);
  await site.load('/');
  await site.untilAsked(path);
  return site;
}

export async function untilAskedOf({ requests }: RawServer, path: string): Promise<void> {
  while (!requests.some((request) => request.path === path)) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
