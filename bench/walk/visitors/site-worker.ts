// The site in a process of its own, as fast as a slow one: node site-worker.ts SETTINGS (JSON of SiteSettings). Prints
// its port; for each line it reads, its counts so far.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { hints } from '../../../server/index.ts';
import { htmlOf, sheet, sheetPath } from './page-html.ts';
import { siteOf } from './site.ts';
import type { SiteCounts, SiteSettings } from './variants.ts';

const pageMs = 200;
const sheetSeconds = 3600;

const settings = JSON.parse(process.argv[2] ?? '') as SiteSettings;
const { pages } = siteOf(settings.seed);
const middleware = settings.hints === null ? null : hints(settings.hints);
const counts: SiteCounts = { pages: 0, prefetches: 0, refused: 0 };

const server = createServer({ keepAliveTimeout: 120_000 }, (req, res) => {
  const path = req.url ?? '/';
  const page = pages.get(path);
  const isPrefetch = req.headers['sec-purpose'] !== undefined;
  if (page !== undefined) {
    counts.pages++;
    if (isPrefetch) counts.prefetches++;
    res.on('finish', () => res.statusCode === 503 && counts.refused++);
  }
  const answer = async () => {
    if (path === sheetPath) {
      res.setHeader('Cache-Control', `max-age=${sheetSeconds}`);
      res.setHeader('Content-Type', 'text/css');
      return void res.end(sheet);
    }
    if (page === undefined) return void res.writeHead(path === '/favicon.ico' ? 204 : 404).end();
    await sleep(pageMs);
    if (settings.cacheControl !== null) res.setHeader('Cache-Control', settings.cacheControl);
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.end(htmlOf(page, settings.head));
  };
  if (middleware === null) void answer();
  else middleware(req, res, () => void answer());
});

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
createInterface({ input: process.stdin })
  .on('line', () => process.stdout.write(`${JSON.stringify(counts)}\n`))
  // The bench has ended, however.
  .on('close', () => process.exit());
