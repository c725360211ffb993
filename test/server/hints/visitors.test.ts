// Who asks: what counts as one visitor, whose word is believed, and which responses a shared cache may keep.

import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hints } from '../../../server/index.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { tellingLog } from '../../support/telling-log.ts';
import { browser, calm, type Site, site } from './set-up.ts';

const folder = folderOfTests();

const forwarded = (address: string) => ({ headers: { 'x-forwarded-for': address } });

async function teachAs(shop: Site, addresses: string[]): Promise<void> {
  for (const address of addresses) {
    for (const path of ['/a', '/b']) await shop.visit(path, forwarded(address));
  }
}

describe('X-Forwarded-For', () => {
  const strangers = ['203.0.113.1', '203.0.113.2', '203.0.113.3'];

  it('of strangers is not believed', async () => {
    await using shop = await site();
    await teachAs(shop, strangers);
    expect((await shop.visit('/a', { visitor: 9 })).link).toBeUndefined();
  });

  it('of a trusted hop is', async () => {
    await using shop = await site({ trustProxy: 'loopback' });
    await teachAs(shop, strangers);
    expect((await shop.visit('/a', forwarded('203.0.113.4'))).link).toBeDefined();
  });

  it('what stands before the nearest untrusted hop is that hop’s invention', async () => {
    await using shop = await site({ trustProxy: ['loopback', '192.0.2.1'] });
    await teachAs(
      shop,
      strangers.map((address) => `${address}, 198.51.100.7, 192.0.2.1`),
    );
    expect((await shop.visit('/a', forwarded('203.0.113.4'))).link).toBeUndefined();
  });

  it('IPv6 addresses of one /48 are one visitor, those of three are three', async () => {
    await using shop = await site({ trustProxy: 'loopback' });
    await teachAs(shop, ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::3', '2001:db8:0:ff00::4']);
    expect((await shop.visit('/a', forwarded('2001:db8:9::1'))).link).toBeUndefined();
    await teachAs(shop, ['2001:db8:1::1', '2001:db8:2::1']);
    expect((await shop.visit('/a', forwarded('2001:db8:9::2'))).link).toBeDefined();
  });

  it('what is no address is nobody: learned from nobody', async () => {
    const prefetchd = calm();
    await using shop = await site({ prefetchd, trustProxy: 'loopback' });
    await shop.visit('/a', forwarded('unknown'));
    expect(prefetchd.stats().notLearned).toEqual({ malformed: 1 });
  });
});

describe('clientOf', () => {
  it('says who asks', async () => {
    await using shop = await site({ clientOf: (req) => String(req.headers['x-user']) });
    for (const user of ['ann', 'bob', 'eve']) {
      for (const path of ['/a', '/b']) await shop.visit(path, { headers: { 'x-user': user } });
    }
    expect((await shop.visit('/a', { headers: { 'x-user': 'joe' } })).link).toBeDefined();
  });

  it('that throws is told once, and the page is served', async () => {
    const told: string[] = [];
    await using shop = await site({
      log: tellingLog((_, { fault }) => told.push(String(fault))),
      clientOf: () => {
        throw new Error('of the site');
      },
    });
    for (let n = 0; n < 3; n++) expect((await shop.visit('/a')).status).toBe(200);
    expect(told).toEqual(['client']);
  });
});

it('over a unix socket the hop is of this machine', async () => {
  const prefetchd = calm();
  const prefetch = hints({ prefetchd, trustProxy: 'loopback' });
  const server = createServer((req, res) =>
    prefetch(req, res, () => res.setHeader('Content-Type', 'text/html').end('<p>')),
  );
  const socketPath = join(folder, 's');
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const headers = { 'user-agent': browser, accept: 'text/html', 'x-forwarded-for': '203.0.113.1' };
  await new Promise<void>((resolve) =>
    request({ socketPath, path: '/a', headers }, (res) => res.resume().on('end', resolve)).end(),
  );
  expect(prefetchd.stats().learned.document).toBe(1);
  server.closeAllConnections();
  server.close();
  await prefetchd.close();
});
