// A site with hints() of a remote prefetchd, and how its visitors find it: as without us, whatever that one does.

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { type Hints, hints } from '../../../server/hints/hints.ts';
import { until } from './served.ts';

/** Pages wait for hints at most so long, and a busy machine adds so much, ms. */
export const deadlineMs = 20;
/** For a busy machine; whoever waited for a prefetchd that hangs would wait for ever. */
export const boundMs = 3000;
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

interface Page {
  status: number;
  body: string;
  link: string | undefined;
  took: number;
}

interface Site extends AsyncDisposable {
  middleware: Hints;
  /** As a visitor; only `n` says which. */
  get(path: string, n?: number): Promise<Page>;
}

export async function siteWith(prefetchd: string): Promise<Site> {
  const middleware = hints({
    prefetchd,
    threshold: 0,
    ...withConstants({ deadlineMs }),
    // who only looks whether there are hints makes them less probable
    clientOf: (req) => String(req.headers['x-visitor']),
  });
  const server = createServer((req, res) => {
    middleware(req, res, () => {
      res.setHeader('Content-Type', 'text/html').setHeader('ETag', '"1"');
      res.end(`page ${req.url}`);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await middleware.ready;
  let visitor = 0;
  return {
    middleware,
    async get(path, n = ++visitor) {
      const startMs = performance.now();
      const sent = request({
        ...{ host: '127.0.0.1', port, path, agent: false },
        headers: { 'User-Agent': browser, Accept: 'text/html', 'X-Visitor': `visitor-${n} x` },
      }).end();
      const [response] = await once(sent, 'response');
      let body = '';
      for await (const text of response.setEncoding('utf8')) body += text;
      const { statusCode: status, headers } = response;
      return { status, body, link: headers.link, took: performance.now() - startMs };
    },
    async [Symbol.asyncDispose]() {
      await middleware.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A hundred visitors, ten at a time: as without us. */
export async function expectAsWithout(site: Site): Promise<void> {
  for (let round = 0; round < 10; round++) {
    const pages = await Promise.all(Array.from({ length: 10 }, () => site.get('/other')));
    for (const { took, ...page } of pages) {
      expect(page).toEqual({ status: 200, body: 'page /other', link: undefined });
      expect(took).toBeLessThan(deadlineMs + boundMs);
    }
  }
}

/** Visitors go from /a to /b, until that is hinted. */
export async function learnt(site: Site): Promise<void> {
  let n = 1_000_000;
  await until(async () => {
    n++;
    for (const path of ['/a', '/b']) await site.get(path, n);
    return hasHint(await site.get('/a'));
  });
}

export const hasHint = ({ link }: Page) => link?.includes('</b>') === true;
