// The site in a process of its own, as fast as a slow one: node site-worker.ts SETTINGS (JSON of SiteSettings). Prints
// its port; for each line it reads, its counts so far.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPrefetchd, type Prefetchd } from '../../../prefetchd/index.ts';
import { type HintsOptions, hints } from '../../../server/index.ts';
import { htmlOf, sheet, sheetPath } from './page-html.ts';
import { siteOf } from './site.ts';
import type { SiteCounts, SiteSettings } from './variants.ts';

const pageMs = 200;
const sheetSeconds = 3600;

const settings = JSON.parse(process.argv[2] ?? '') as SiteSettings;
const { pages } = siteOf(settings.seed);
const prefetchd = prefetchdWith(settings.hints?.prefetchd);
const middleware =
  settings.hints === null
    ? null
    : hints({ ...settings.hints, ...(prefetchd !== null && { prefetchd }) });
const counts: SiteCounts = { pages: 0, prefetches: 0, refused: 0 };
/** Who opened pages, by address. */
const clients = new Map<string, string>();

const server = createServer({ keepAliveTimeout: 120_000 }, (req, res) => {
  const path = req.url ?? '/';
  const page = pages.get(path);
  const isPrefetch = req.headers['sec-purpose'] !== undefined;
  if (page !== undefined) {
    counts.pages++;
    if (isPrefetch) counts.prefetches++;
    const address = req.socket.remoteAddress ?? '';
    clients.set(address, `${address} ${req.headers['user-agent']}`);
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
  .on('line', () => {
    const report = prefetchd?.report();
    const holdback = report && { report, heldBack: [...clients.keys()].filter(isHeldBack) };
    process.stdout.write(`${JSON.stringify({ ...counts, ...(holdback && { holdback }) })}\n`);
  })
  // The bench has ended, however.
  .on('close', () => process.exit());

/** Whether the visitor gets no hints of pages where others get some; asked once the report is there, which counts it. */
function isHeldBack(address: string): boolean {
  const client = clients.get(address) as string;
  const hintsOf = (question: { url: string; client?: string }) =>
    prefetchd?.hints({ ...question, kind: 'document' }) ?? [];
  return [...pages.keys()].some(
    (url) => hintsOf({ url }).length > 0 && hintsOf({ url, client }).length === 0,
  );
}

/** Made here if it has settings, so that its report can be asked for. */
function prefetchdWith(options: HintsOptions['prefetchd']): Prefetchd | null {
  return typeof options === 'object' && !('observe' in options) ? createPrefetchd(options) : null;
}
