// The EPA's site behind hints(), which has learned the first part of its log: node epa-origin-worker.ts, prints its
// port. Bodies have the lengths in the log, pages contain what the log shows embedded in them, and responses take the
// times of 1995, scaled down.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPrefetchd } from '../../prefetchd/index.ts';
import { hints } from '../../server/index.ts';
import { choice, delayMs, tuning, userAgent } from './epa-settings.ts';
import { addressOf, epaSite } from './epa-site.ts';

const { bytes, embedded, before, after } = await epaSite(choice);
// How busy the machine is must not decide what a bench sees.
const prefetchd = createPrefetchd({ ...tuning, load: () => 0 });
// As if it were now, so that nothing learned is old.
const laterMs = Date.now() - (before.at(-1)?.timeMs ?? 0);
const addresses = new Map<string, string>();
const clientOf = (client: string) => `${addressOf(client, addresses)} ${userAgent}`;
for (const access of before) {
  prefetchd.observe({
    ...access,
    client: clientOf(access.client),
    timeMs: access.timeMs + laterMs,
  });
}
const documents = new Set(
  [...before, ...after].filter(({ kind }) => kind === 'document').map(({ url }) => url),
);
const middleware = hints({ prefetchd, trustProxy: 'loopback' });

function answer(path: string, response: ServerResponse): void {
  const size = bytes.get(path);
  if (size === undefined) {
    response.writeHead(404).end();
    return;
  }
  const isPage = documents.has(path);
  const body = isPage ? page(path, size) : Buffer.alloc(size, 0x20);
  response.setHeader('Content-Type', isPage ? 'text/html' : 'image/gif');
  response.setHeader('Content-Length', body.length);
  response.setHeader('Cache-Control', 'max-age=86400');
  setTimeout(() => response.end(body), delayMs(body.length));
}

function page(path: string, size: number): Buffer {
  const images = (embedded.get(path) ?? []).map((url) => `<img src="${encodeURI(url)}">`);
  const html = Buffer.from(`<!doctype html><title>page</title>${images.join('')}`);
  return Buffer.concat([html, Buffer.alloc(Math.max(0, size - html.length), 0x20)]);
}

const server = createServer((request, response) =>
  middleware(request, response, () => answer(request.url ?? '/', response)),
);
await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
