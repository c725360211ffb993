// A proxy in front that takes a part of the path away, puts a Host of its own, or is not said to be there.

import express from 'express';
import { describe, expect, it, test } from 'vitest';
import { silentLog } from '../../../options/logger.ts';
import { readBeacon } from '../../../prefetchd/wire/beacon.ts';
import { type HintsOptions, hints } from '../../../server/index.ts';
import { startNginx, whyNoNginx } from '../../support/nginx.ts';
import { tellingLog } from '../../support/telling-log.ts';
import { calm, type Site, serve, site, visitPort } from './set-up.ts';

const from = (address: string, more: Record<string, string> = {}) => ({
  headers: { 'x-forwarded-for': address, ...more },
});

/** Settings that keep what is told. */
function telling(options: HintsOptions = {}) {
  const told: string[] = [];
  const log = tellingLog((message, { fault }) => told.push(`${fault}: ${message}`));
  return { told, options: { ...options, log } };
}

async function teach(shop: Site, paths: readonly string[], more: Record<string, string> = {}) {
  for (const visitor of [1, 2, 3]) {
    for (const path of paths) await shop.visit(path, from(`203.0.113.${visitor}`, more));
  }
}

describe('a proxy that takes /shop away', () => {
  const below = { 'x-forwarded-prefix': '/shop' };

  it.each([
    ['X-Forwarded-Prefix of a trusted proxy', { trustProxy: 'loopback' }, below],
    ['the option', { trustProxy: 'loopback', prefix: '/shop' }, {}],
  ] as [string, HintsOptions, Record<string, string>][])('by %s', async (_name, options, more) => {
    await using shop = await site(options);
    await teach(shop, ['/', '/news'], more);
    const page = await shop.visit('/', from('203.0.113.9', more));
    expect(page.link).toMatch(/^<\/shop\/news>; rel=prefetch/);
    expect(page.headers['speculation-rules']).toBe('"/shop/speculation-rules.json?url=%2Fshop%2F"');
    const rulesOf = (path: string) =>
      shop.visit(`/speculation-rules.json?url=${path}`, from('203.0.113.9', more));
    const rules = await rulesOf('%2Fshop%2F');
    expect(JSON.parse(rules.body).prefetch[0].urls).toEqual(['/shop/news']);
    expect((await rulesOf('%2Fblog')).status).toBe(400);
  });

  it('is a path that a stranger invents for himself alone', async () => {
    await using shop = await site({ trustProxy: 'loopback' });
    await teach(shop, ['/', '/news'], { 'x-forwarded-prefix': '/other' });
    const page = await shop.visit('/', from('203.0.113.9', below));
    expect(page.link).toMatch(/^<\/shop\/news>/);
    expect(page.headers.vary).toContain('X-Forwarded-Prefix');
    const direct = await shop.visit('/', from('203.0.113.9'));
    expect(direct.link).toMatch(/^<\/news>/);
    expect(direct.headers.vary).toBeUndefined();
  });

  it('of a stranger is not believed', async () => {
    await using shop = await site();
    await shop.teach('/', '/news');
    expect((await shop.visit('/', { visitor: 9, headers: below })).link).toMatch(/^<\/news>/);
  });

  it('rules for all links stay below it, with what they leave out', async () => {
    const prefetchd = calm({ otherLinks: 'moderate' });
    await using shop = await site({ prefetchd, prefix: '/shop', deny: { extra: ['/mine'] } });
    const { body } = await shop.visit('/speculation-rules.json?url=%2Fshop%2F');
    const [{ where }] = JSON.parse(body).prefetch;
    expect(where.and[0]).toEqual({ href_matches: '/shop/*' });
    expect(where.and[1].not.href_matches).toContain('/shop/mine{/*}?');
  });

  it('a beacon names pages as visitors see them; one of another application is none', async () => {
    const pages = { page: '/shop/news?a=1', from: '/blog' };
    const said = { moment: 'dismissed', navigation: 'navigate', ...pages };
    const unused = ['/shop/a', '/blog/b', '/shopping'];
    const read = (more: object) => readBeacon(JSON.stringify({ ...said, ...more }), '/shop');
    const kept = { page: '/news?a=1', unused: ['/a'], lcpUrl: '/' };
    expect(read({ unused, lcpUrl: '/shop' })).toMatchObject(kept);
    expect(read({})).not.toHaveProperty('from');
    expect(read({ from: '/shop/' })).toMatchObject({ from: '/' });
    expect(read({ page: '/blog' })).toBeNull();

    await using shop = await site({ trustProxy: 'loopback' });
    const say = async (page: string) => {
      const headers = { ...below, 'x-forwarded-for': '203.0.113.1' };
      const body = JSON.stringify({ ...said, page });
      const url = `http://127.0.0.1:${shop.port}/prefetch-beacon`;
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };
    expect([await say('/shop/'), await say('/blog')]).toEqual([204, 400]);
  });

  test.skipIf(whyNoNginx !== '')('nginx: location /shop/ { proxy_pass http://app/; }', async () => {
    const prefetchd = calm();
    await using shop = await site({ prefetchd, trustProxy: 'loopback' });
    await using nginx = await startNginx(
      ({ port }) => `server { listen 127.0.0.1:${port}; location /shop/ {
        proxy_pass http://127.0.0.1:${shop.port}/; proxy_set_header X-Forwarded-Prefix /shop;
        proxy_set_header X-Forwarded-Host $host:$server_port;
        proxy_set_header X-Forwarded-For $remote_addr:$remote_port; } }`,
    );
    const referer = { referer: `${nginx.url}/shop/` };
    for (const visitor of [1, 2, 3]) {
      await visitPort(nginx.port, '/shop/', { visitor });
      await visitPort(nginx.port, '/shop/news', { visitor, headers: referer });
    }
    const page = await visitPort(nginx.port, '/shop/', { visitor: 9 });
    expect(page.link).toMatch(/^<\/shop\/news>/);
    expect(prefetchd.stats().learned.document).toBe(7);
  });
});

describe('a proxy that puts a Host of its own, over plain HTTP', () => {
  it.each(['X-Forwarded-Host', 'Forwarded'])('pages follow each other by %s', async (name) => {
    const told = (visitor: number, more = {}) =>
      name === 'Forwarded'
        ? { headers: { forwarded: `host=shop.example;for=203.0.113.${visitor}`, ...more } }
        : from(`203.0.113.${visitor}`, { 'x-forwarded-host': 'shop.example', ...more });
    await using shop = await site({ trustProxy: 'loopback' });
    for (const visitor of [1, 2, 3]) {
      await shop.visit('/', told(visitor));
      await shop.visit('/news', told(visitor, { referer: 'http://shop.example/' }));
    }
    expect((await shop.visit('/', told(9))).link).toMatch(/^<\/news>/);
  });

  it('is told once where nearly all pages come from one other host', async () => {
    const { told, options } = telling({ trustProxy: 'loopback' });
    await using shop = await site(options);
    for (let visit = 0; visit < 250; visit++) {
      const referer = visit % 20 === 0 ? 'http://search.example/' : 'http://shop.example/';
      await shop.visit('/', from('203.0.113.1', { referer }));
    }
    const host = /^front: Host is 127\.0\.0\.1:\d+, but nearly all pages .* shop\.example/;
    expect(told).toEqual([expect.stringMatching(host)]);
  });
});

describe('visitors that a proxy makes one', () => {
  it("Express's trust proxy is taken over; trustProxy stands above it", async () => {
    for (const isHinted of [true, false]) {
      const prefetchd = calm();
      const trust = isHinted ? {} : { trustProxy: false as const };
      const prefetch = hints({ prefetchd, ...trust, log: silentLog });
      const app = express().set('trust proxy', 1).use(prefetch);
      app.get('/{*path}', (_, res) => void res.type('html').send('<p>'));
      await using shop = await serve(app, prefetch, prefetchd);
      await teach(shop, ['/', '/news']);
      expect((await shop.visit('/', from('203.0.113.9'))).link !== undefined).toBe(isHinted);
    }
  });

  it('a proxy that is not believed is told of at once; a visitor from far who says so is not', async () => {
    const { told, options } = telling();
    await using shop = await site(options);
    for (let visit = 0; visit < 3; visit++) await shop.visit('/', from('203.0.113.1:4711'));
    expect(told).toEqual([expect.stringMatching(/^front: a proxy at 127\.0\.0\.2 .*trustProxy/)]);
  });

  it('so is one that says nothing, when all pages are asked for from this machine', async () => {
    const { told, options } = telling();
    await using shop = await site(options);
    for (let visit = 0; visit < 210; visit++) await shop.visit('/', { visitor: 0 });
    const local = 'all of 100 pages were asked for from this machine';
    expect(told).toEqual([expect.stringContaining(local)]);
  });

  it('and one that names no address', async () => {
    const { told, options } = telling({ trustProxy: 'loopback' });
    await using shop = await site(options);
    for (let visit = 0; visit < 3; visit++) await shop.visit('/', from('unknown'));
    expect(told).toEqual([expect.stringContaining('without the address of their client')]);
  });
});
