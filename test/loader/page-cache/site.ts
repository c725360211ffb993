// A site of numbered images behind validators, said byte by byte, and a cache whose store can be looked into.

import { createHttpCache } from '../../../loader/cache/cache.ts';
import type { HttpCache } from '../../../loader/cache/http-cache.ts';
import { createMemoryStore } from '../../../loader/cache/memory-cache-store.ts';
import type { CacheStore } from '../../../loader/cache/store.ts';
import { type LoaderOptions, loadPage, type PageLoad } from '../../../loader/index.ts';
import { type ImagePage, imagePage } from '../../support/image-page.ts';
import {
  answering,
  type RawConnection,
  type RawServer,
  response,
  type SeenRequest,
} from '../../support/raw-server.ts';

export interface Site {
  server: RawServer;
  page: ImagePage;
  /** Body of a path; what is not here is a 404. */
  bodies: Map<string, Buffer>;
  /** Fields of every 200 and 304. */
  headers: Record<string, string>;
  etagOf(path: string): string;
  kept: Kept;
  /** Loads with the kept cache that were begun so far. */
  visits: number;
  /** A load with the kept cache. */
  load(options?: LoadGiven, path?: string): Promise<PageLoad>;
  /** Requests since this was called before. */
  news(): SeenRequest[];
}

type LoadGiven = NonNullable<Parameters<typeof loadPage>[1]>;

export interface SiteOptions {
  images?: number;
  headers?: Record<string, string>;
  /** Of each load, besides the cache; pipelined, unless they say otherwise. */
  options?: LoaderOptions;
  /** Instead of the usual answer; undefined: the usual one. */
  answer?: (
    request: SeenRequest,
    site: Site,
    connection: RawConnection,
  ) => Buffer | null | undefined;
}

/** Validators by content: what changes in `bodies` has another. */
export async function startSite(options: SiteOptions = {}): Promise<Site & AsyncDisposable> {
  const page = imagePage(options.images ?? 6);
  const bodies = new Map(page.images.map(({ path, body }) => [path, body]));
  bodies.set('/', Buffer.from(page.html));
  const etagOf = (path: string) => {
    const body = bodies.get(path) ?? Buffer.alloc(0);
    return `"${body.length}-${body.reduce((sum, byte) => (sum * 31 + byte) % 1_000_003, 7)}"`;
  };
  const [kept, headers] = [keptCache(), options.headers ?? {}];
  let told = 0;
  const server = await answering((request, connection) => {
    const own = options.answer?.(request, site, connection);
    if (own !== null) connection.write(own ?? usual(site, request));
  });
  const site = {
    ...{ server, page, bodies, etagOf, headers, kept, visits: 0 },
    load(given: LoadGiven = {}, path = '') {
      site.visits++;
      return loadPage(server.origin + path, {
        ...{ protocol: 'pipelined', cache: kept.cache },
        ...{ ...options.options, ...given },
      });
    },
    news() {
      const news = server.requests.slice(told);
      told = server.requests.length;
      return news;
    },
    async [Symbol.asyncDispose]() {
      kept.cache.close();
      await server[Symbol.asyncDispose]();
    },
  };
  return site;
}

/** 200, 304, 206 or 404, as RFC 9110 13 and 14 have it. */
export function usual({ bodies, headers, etagOf }: Site, request: SeenRequest): Buffer {
  const { path } = request;
  const body = bodies.get(path);
  if (body === undefined) return response('none', {}, '404 Not Found');
  const etag = etagOf(path);
  const type = path === '/' ? 'text/html' : 'image/gif';
  const about = { 'Content-Type': type, ETag: etag, 'X-For': path, ...headers };
  if (request.headers['if-none-match'] === etag) return notModified({ ETag: etag, ...headers });
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const condition = request.headers['if-range'];
  if (from === undefined || (condition !== undefined && condition !== etag)) {
    return response(body, about);
  }
  const last = Math.min(to === '' ? Number.POSITIVE_INFINITY : Number(to), body.length - 1);
  const range = { ...about, 'Content-Range': `bytes ${from}-${last}/${body.length}` };
  return response(body.subarray(Number(from), last + 1), range, '206 Partial Content');
}

export function notModified(headers: Record<string, string>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 304 Not Modified\r\n${lines.join('')}\r\n`);
}

interface Kept {
  store: CacheStore;
  cache: HttpCache;
  /** Now, for the cache: move it on to make things stale. */
  clock: { now: number };
}

export function keptCache(): Kept {
  const clock = { now: Date.now() };
  const store = createMemoryStore();
  return { store, cache: createHttpCache(store, { now: () => clock.now }), clock };
}

/** Paths of which the kept store holds other bytes than the site's. */
export function wrongBodies({ server, bodies, kept: { store } }: Site): string[] {
  return [...bodies].flatMap(([path, body]) =>
    store.find(`${server.origin}${path}`).flatMap(({ id, range }) => {
      const stored = store.body(id);
      const right = range === null ? body : body.subarray(range.first, range.last + 1);
      return stored !== null && !stored.equals(right) ? [path] : [];
    }),
  );
}

/** Paths of which the kept store holds something. */
export function storedPaths({ server, bodies, kept: { store } }: Site): string[] {
  return [...bodies.keys()].filter((path) => store.find(`${server.origin}${path}`).length > 0);
}
