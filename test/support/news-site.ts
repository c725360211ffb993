// A small site: a start page from which visitors go to the news or elsewhere, each in a known share, and a style sheet
// that stays in browsers' caches.

import type { IncomingMessage, ServerResponse } from 'node:http';

export interface NewsSiteOptions {
  cacheControl?: string;
  /** Pages were changed some days ago. */
  hasDates?: boolean;
  /** In the head of each page. */
  head?: string;
}

export const newsPages = ['/', '/news', '/other', '/a', '/b', '/c', '/d', '/story'] as const;

const links = newsPages.map((page) => `<a href="${page}">${page}</a>`).join(' ');

export const newsSite =
  ({ cacheControl = '', hasDates = false, head = '' }: NewsSiteOptions = {}) =>
  ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
    if (url === '/site.css') {
      response.setHeader('Cache-Control', 'max-age=3600');
      response.setHeader('Content-Type', 'text/css');
      response.end('a { color: navy }');
    } else if (newsPages.some((page) => page === url)) {
      if (cacheControl !== '') response.setHeader('Cache-Control', cacheControl);
      if (hasDates)
        response.setHeader('Last-Modified', new Date(Date.now() - 10 * 86_400_000).toUTCString());
      response.setHeader('Content-Type', 'text/html');
      const style = '<link rel="stylesheet" href="/site.css">';
      response.end(`<!doctype html>${style}${head}<title>${url}</title>${links}`);
    } else response.writeHead(404).end();
  };

/** Where each visitor goes from the start page: of any first n, the share that each page has. */
export function* nextPages(shares: Readonly<Record<string, number>>): Generator<string, never> {
  const counts = new Map<string, number>();
  for (let n = 1; ; n++) {
    const lack = (page: string) => (shares[page] ?? 0) * n - (counts.get(page) ?? 0);
    const next = Object.keys(shares).reduce((one, other) =>
      lack(other) > lack(one) ? other : one,
    );
    counts.set(next, (counts.get(next) ?? 0) + 1);
    yield next;
  }
}
