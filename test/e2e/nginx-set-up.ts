// What tests of nginx with prefetchd share: a site behind nginx that records what it was asked, and a prefetchd
// that is part of the test.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../support/eventually.ts';
import { type Visited, visit } from '../support/visit.ts';

export interface App extends AsyncDisposable {
  address: string;
  /** `GET /a`, with the body behind it when there was one. */
  asked: string[];
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const statuses: Record<string, number> = { '/gone': 404 };

export const pages: Answer = ({ url }, response) => {
  if (url === '/own-link') response.setHeader('Link', '</own.css>; rel=preload; as=style');
  if (url === '/cookie') response.setHeader('Set-Cookie', 'a=b');
  if (url === '/private') response.setHeader('Cache-Control', 'max-age=9, Private');
  response.statusCode = statuses[url ?? ''] ?? 200;
  response.setHeader('Content-Type', 'text/html');
  response.setHeader('ETag', '"1"');
  response.end(`page ${url}`);
};

export async function startApp(answer: Answer = pages): Promise<App> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    asked.push(`${request.method} ${request.url}${body && ` ${body}`}`);
    answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** As in a URL, without its scheme. */
export const hostOf = (url: string): string => url.replace(/^http:\/\//, '');

/**
 * Visitors of whom three are surely taken for distinct: under a salt that nobody knows, two of three share a
 * fingerprint once in 340 times (prefetchd/model/graph/client-sets.ts), and then no hint comes of them.
 */
export const enough = 5;

/**
 * Visitors from 127.0.0.2 on walk the pages, each page when the one before was learned.
 * @param learned how many accesses were learned so far
 * @param headers what a browser sends for a page beside the usual
 */
export async function walk(
  url: string,
  visitors: number,
  pages: readonly string[],
  learned: () => number | Promise<number>,
  headers: (page: string) => Record<string, string> = () => ({}),
): Promise<void> {
  let count = await learned();
  for (let visitor = 2; visitor < visitors + 2; visitor++) {
    for (const page of pages) {
      const sent = { 'sec-fetch-user': '?1', ...headers(page) };
      await visit(`${url}${page}`, { from: `127.0.0.${visitor}`, headers: sent });
      count++;
      await eventually(async () => (await learned()) >= count, `${page} learned`);
    }
  }
}

/** A visitor that was not here gets a Link that matches, in time: a busy prefetchd hints less. */
export async function expectLink(url: string, pattern: RegExp): Promise<Visited> {
  let page: Visited | undefined;
  let visitor = 1;
  await eventually(async () => {
    page = await visit(url, { from: `127.0.${9 + (visitor >> 8)}.${visitor++ % 256}` });
    return pattern.test(String(page.headers.link));
  }, `a Link like ${pattern}`);
  return page as Visited;
}

/** The URLs in the rules that a page names, for somebody who asks as Chromium does; null: it names none. */
export async function rulesFor(site: string, page: string, from = '127.0.9.9') {
  const { headers } = await visit(site + page, { from });
  const named = /^"([^"]*)"$/.exec(String(headers['speculation-rules']))?.[1];
  if (named === undefined) return null;
  const url = new URL(named, site + page).href;
  const { body } = await visit(url, { from, headers: { 'Sec-Fetch-Dest': 'speculationrules' } });
  const { prefetch = [] } = JSON.parse(body) as { prefetch?: Array<{ urls: string[] }> };
  return prefetch.flatMap(({ urls }) => urls).join(' ');
}
