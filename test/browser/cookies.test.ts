// Which cookies go with which request: as Chromium sends them, redirects across sites included.

import { describe, expect, it } from 'vitest';
import { createLoader } from '../../loader/index.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';
import { answering, type RawServer, response } from '../support/raw-server.ts';

const html = { 'Content-Type': 'text/html' };
const cookies = ['strict=1; SameSite=Strict', 'lax=1; SameSite=Lax', 'bare=1'];
const setting = cookies.map((cookie) => `Set-Cookie: ${cookie}; Path=/\r\n`).join('');

interface Sites {
  server: RawServer;
  /** Two sites of one server. */
  one: string;
  other: string;
  /** What came, as `host path: cookies`, since it was asked for last. */
  seen(): string[];
}

async function sites(): Promise<Sites> {
  const lines: string[] = [];
  const server = await answering(({ path, headers }, connection) => {
    const site = headers.host?.startsWith('localhost') ? 'other' : 'one';
    if (path !== '/favicon.ico') lines.push(`${site} ${path}: ${headers.cookie ?? 'none'}`);
    const to = (url: string) => connection.write(response('', { Location: url }, '302 Found'));
    if (path === '/set') connection.write(`HTTP/1.1 200 OK\r\n${setting}Content-Length: 0\r\n\r\n`);
    else if (path === '/page') {
      const images = ['/own', '/there-and-back', `${other}/third`, `${other}/back`];
      connection.write(response(images.map((src) => `<img src="${src}">`).join(''), html));
    } else if (path === '/there-and-back') to(`${other}/back`);
    else if (path === '/back') to(`${one}/home`);
    else if (path === '/away') to(`${other}/arrived`);
    else connection.write(response('x', html));
  });
  const one = server.origin;
  const other = one.replace('127.0.0.1', 'localhost');
  return { server, one, other, seen: () => lines.splice(0).sort() };
}

describe.skipIf(!hasChromium)('cookies, beside Chromium', () => {
  it('SameSite decides alike for parts of the page, of other sites, and behind redirects', async () => {
    const { server, one, other, seen } = await sites();
    await using _server = server;
    const visited = [`${one}/set`, `${other}/set`, `${one}/page`, `${one}/away`];
    const browser = await launchChromium();
    const page = await (await browser.newContext()).newPage();
    for (const url of visited) await page.goto(url);
    await browser.close();
    const chromium = new Set(seen());
    await using loader = createLoader();
    for (const url of visited) await loader.load(url);
    expect(new Set(seen())).toEqual(chromium);
    expect(chromium).toContain('other /third: none');
    expect(chromium).toContain('one /own: strict=1; lax=1; bare=1');
  });
});
