// `headers: 'browser'` beside Chromium: the same fields with the same values in the same order, for the page and for
// each thing it names. Apart from that Chromium takes brotli, and what it says of cookies of other sites' parts.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { createLoader } from '../../loader/index.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';
import { sharedBrowser } from './set-up.ts';

const browser = sharedBrowser(launchChromium);
let page = '';
let fields: Record<string, string> = {};
/** Fields of each request, by host and path, in the order they came in. */
let seen = new Map<string, string[]>();

const server = createServer((request, answer) => {
  const { url = '', headers, rawHeaders } = request;
  if (url !== '/favicon.ico') seen.set(`${headers.host} ${url}`, asLines(rawHeaders));
  const type = { js: 'text/javascript', css: 'text/css', gif: 'image/gif' }[
    url.split('.')[1] ?? ''
  ];
  const isPage = type === undefined;
  answer.writeHead(200, {
    'Content-Type': type ?? 'text/html',
    'Access-Control-Allow-Origin': headers.origin ?? '*',
    'Access-Control-Allow-Credentials': 'true',
    ...(isPage && { 'Set-Cookie': 'page=1', ...fields }),
  });
  answer.end(isPage ? page : '');
});

await once(server.listen(0, '127.0.0.1'), 'listening');
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function asLines(raw: string[]): string[] {
  const lines: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? '';
    const differs = name === 'accept-encoding' || name === 'sec-fetch-storage-access';
    lines.push(differs ? name : `${name}: ${raw[index + 1]}`);
  }
  return lines;
}

/** Visits the page twice, so that cookies are there. @param html with OTHER for another site's origin. */
async function compare(
  html: string,
  headers: Record<string, string> = {},
): Promise<Map<string, string[]>> {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/page?q=1`;
  page = html.replaceAll('OTHER', `http://localhost:${port}`);
  fields = headers;
  const context = await browser().newContext();
  const tab = await context.newPage();
  await tab.goto(`http://127.0.0.1:${port}/first`);
  await tab.goto(url);
  const userAgent = await tab.evaluate(() => navigator.userAgent);
  await context.close();
  const chromium = seen;
  seen = new Map();
  await using loader = createLoader({
    headers: 'browser',
    extraHeaders: { 'User-Agent': userAgent },
    protocol: 'persistent',
  });
  await loader.load(`http://127.0.0.1:${port}/first`);
  await loader.load(url);
  const ours = seen;
  seen = new Map();
  expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(chromium));
  return ours;
}

describe.skipIf(!hasChromium)('the request fields of a browser', () => {
  it('of pages, images, scripts, modules and style sheets, here and elsewhere, with crossorigin and without', async () => {
    const elements = [
      '',
      'crossorigin',
      'crossorigin=use-credentials',
      'crossorigin=nonsense',
      'CrossOrigin=USE-credentials',
    ].flatMap((cors, index) =>
      ['', 'OTHER/'].flatMap((origin) => [
        `<img src="${origin}i${index}.gif" ${cors}>`,
        `<script src="${origin}s${index}.js" ${cors}></script>`,
        `<script type=module src="${origin}m${index}.js" ${cors}></script>`,
        `<link rel=stylesheet href="${origin}c${index}.css" ${cors}>`,
      ]),
    );
    const came = await compare(`<!doctype html>${elements.join('')}`);
    expect(came.size).toBe(2 + elements.length);
  });

  it('Referer by referrerpolicy', async () => {
    const policies = [
      ...['no-referrer', 'no-referrer-when-downgrade', 'same-origin', 'origin', 'strict-origin'],
      ...['origin-when-cross-origin', 'strict-origin-when-cross-origin', 'unsafe-url', 'x', ''],
      'Origin',
    ];
    const images = policies.flatMap((policy, index) => [
      `<img src="i${index}.gif" referrerpolicy="${policy}">`,
      `<img src="OTHER/o${index}.gif" referrerpolicy="${policy}">`,
    ]);
    await compare(`<!doctype html>${images.join('')}
      <script src="OTHER/s.js" referrerpolicy=no-referrer></script>
      <link rel=stylesheet href="OTHER/c.css" referrerpolicy=unsafe-url>`);
  });

  it.each([
    ['origin', {}],
    ['never', {}],
    ['always', {}],
    ['default', { 'Referrer-Policy': 'no-referrer' }],
    ['nonsense', { 'Referrer-Policy': 'origin' }],
    ['unsafe-url', { 'Referrer-Policy': 'no-referrer' }],
  ])('Referer by <meta name=referrer content=%s> and %o', async (content, headers) => {
    await compare(
      `<!doctype html><img src=OTHER/d.gif><meta name=Referrer content=${content}><img src=a.gif><img src=OTHER/b.gif>
      <img src=OTHER/c.gif referrerpolicy=origin>`,
      headers,
    );
  });
});
