// A site with hints on real sockets, and visitors with addresses of their own: 127.0.0.2 and on.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import express, { type Express, type RequestHandler } from 'express';
import {
  createPrefetchd,
  type Prefetchd,
  type PrefetchdOptions,
} from '../../../prefetchd/index.ts';
import { type Hints, type HintsOptions, hints } from '../../../server/index.ts';
import { salted } from '../../support/known-salt.ts';

/** The platform's own, which tests in the same process need again. */
export const platform = { Request, Response };

export const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

export interface Visit {
  /** Visitor 1 comes from 127.0.0.2. */
  visitor?: number;
  method?: string;
  headers?: Record<string, string | undefined> | undefined;
}

export interface Seen {
  status: number;
  headers: IncomingHttpHeaders;
  link: string | undefined;
  body: string;
  /** Link fields of 103s. */
  early: (string | undefined)[];
}

export interface Site extends AsyncDisposable {
  port: number;
  prefetch: Hints;
  /** One request on a connection of its own; a document unless a header says otherwise. */
  visit(path: string, how?: Visit): Promise<Seen>;
  /** Three visitors, 101 to 103, go this way. */
  teach(...paths: string[]): Promise<void>;
}

/** An engine that is never busy, unless `load` says so. */
export function calm(options: PrefetchdOptions = {}) {
  return createPrefetchd({ load: () => 0, ...salted, ...options });
}

/**
 * `prefetchd`, if it is of this process, is waited for in `teach`: a response can be there before the
 * server knows that it is sent.
 */
export async function serve(
  listener: RequestListener,
  prefetch: Hints,
  prefetchd?: Prefetchd,
): Promise<Site> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const visit = (path: string, how: Visit = {}) => visitPort(port, path, how);
  return {
    port,
    prefetch,
    visit,
    teach: (...paths) => teachBy(visit, paths, prefetchd),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await prefetch.close();
    },
  };
}

/** Accesses that were learned or dropped; of none: 0. */
export function judged(prefetchd?: Prefetchd): number {
  const { learned, notLearned } = prefetchd?.stats() ?? { learned: {}, notLearned: {} };
  return [...Object.values(learned), ...Object.values(notLearned)].reduce((a, b) => a + b, 0);
}

export async function teachBy(
  visit: (path: string, how?: Visit) => Promise<Seen>,
  paths: readonly string[],
  prefetchd?: Prefetchd,
): Promise<void> {
  for (const visitor of [101, 102, 103]) {
    for (const path of paths) {
      const before = judged(prefetchd);
      await visit(path, { visitor });
      while (prefetchd !== undefined && judged(prefetchd) === before) await setImmediate();
    }
  }
}

/** A middleware that sets fields. */
export const sets =
  (fields: Record<string, string>): RequestHandler =>
  (_, res, next) => {
    res.set(fields);
    next();
  };

/** Browsers keep a page for a while. */
const kept = sets({ 'Cache-Control': 'max-age=600' });

/** Pages ahead are hinted. */
export const keepsAll = (app: Express): void => void app.use(kept);

/** An Express app whose every path is a page, unless `routes` adds others before. */
export async function site(
  options: HintsOptions = {},
  routes: (app: Express) => void = () => {},
): Promise<Site> {
  const { prefetchd = calm() } = options;
  const prefetch = hints({ ...options, prefetchd });
  const app = express();
  app.use(prefetch);
  routes(app);
  app.get('/{*path}', (_, res) => void res.type('html').send('<p>page'));
  return serve(app, prefetch, typeof prefetchd === 'string' ? undefined : (prefetchd as Prefetchd));
}

/** Browsers keep /b and /c for a while. */
export const keepsB = (app: Express): void => void app.get(['/b', '/c'], kept);

export function visitPort(port: number, path: string, how: Visit = {}): Promise<Seen> {
  const { visitor = 1, method = 'GET', headers = {} } = how;
  // As browsers say it of a page that somebody opens.
  const opens = headers['sec-fetch-dest'] === undefined && { 'sec-fetch-user': '?1' };
  const all = { 'user-agent': browser, accept: 'text/html', ...opens, ...headers };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return new Promise((resolve, reject) => {
    const sent = request({
      ...{ host: '127.0.0.1', port, path, method, agent: false },
      localAddress: `127.0.0.${visitor + 1}`,
      headers: Object.fromEntries(given),
    });
    const early: (string | undefined)[] = [];
    sent.on('information', ({ headers }) => early.push(headers.link as string | undefined));
    sent.on('error', reject);
    sent.on('response', async (res) => {
      const { statusCode: status = 0, headers } = res;
      const link = headers.link as string | undefined;
      await text(res).then((body) => resolve({ status, headers, link, body, early }), reject);
    });
    sent.end();
  });
}

/** Posts a beacon. @returns the status and the body */
export function postBeacon(
  port: number,
  body: string,
  visitor = 1,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port, path: '/prefetch-beacon', method: 'POST', agent: false },
        localAddress: `127.0.0.${visitor + 1}`,
        headers: { 'User-Agent': browser, 'Sec-Fetch-Site': 'same-origin', ...headers },
      },
      async (response) => {
        resolve({ status: response.statusCode ?? 0, body: await text(response) });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
