// A holdback on real sockets: who is held back gets no page, whatever caches stand in between, and beacons tell the rest.

import { request } from 'node:http';
import { expect, it } from 'vitest';
import type { PrefetchdOptions } from '../../../prefetchd/index.ts';
import type { HintsOptions } from '../../../server/index.ts';
import { eventually } from '../../support/eventually.ts';
import { browser, calm, type Site, site } from './set-up.ts';

async function shopOf(more: HintsOptions = {}, settings: PrefetchdOptions = {}) {
  const prefetchd = calm({ holdback: 50, ...settings });
  const shop = await site({ prefetchd, ...more });
  await shop.teach('/a', '/b');
  return { shop, prefetchd };
}

const rulesOf = async (shop: Site, visitor: number) =>
  JSON.parse((await shop.visit('/speculation-rules.json?url=%2Fa', { visitor })).body);

/** By what their rules say. */
async function arms(shop: Site): Promise<{ heldBack: number; hinted: number }> {
  const found = { heldBack: 0, hinted: 0 };
  for (let visitor = 1; visitor < 60 && (!found.heldBack || !found.hinted); visitor++) {
    const { prefetch } = await rulesOf(shop, visitor);
    found[prefetch.length === 0 ? 'heldBack' : 'hinted'] ||= visitor;
  }
  return found;
}

it('a visitor held back gets no page by rules, not even by one for all links', async () => {
  const { shop } = await shopOf({ speculationRules: { otherLinks: 'moderate' } });
  await using _ = shop;
  const { heldBack, hinted } = await arms(shop);
  expect((await rulesOf(shop, hinted)).prefetch).toHaveLength(2);
  expect((await rulesOf(shop, heldBack)).prefetch).toEqual([]);
});

it.each(['max-age=60', 'no-cache'])(
  'a page with %s is one for both groups, as a shared cache may give it to others: only its rules differ (RFC 9111 3)',
  async (cacheControl) => {
    const prefetchd = calm({ holdback: 50 });
    await using shop = await site({ prefetchd }, (app) =>
      app.use((_, res, next) => {
        res.set('Cache-Control', cacheControl);
        next();
      }),
    );
    await shop.teach('/a', '/b');
    const { heldBack, hinted } = await arms(shop);
    for (const visitor of [heldBack, hinted]) {
      const { link, headers } = await shop.visit('/a', { visitor });
      expect(link).toBeUndefined();
      expect(headers['speculation-rules']).toBe('"/speculation-rules.json?url=%2Fa"');
    }
  },
);

it('beacons count for the group of their visitor', async () => {
  const { shop, prefetchd } = await shopOf();
  await using _ = shop;
  const { heldBack, hinted } = await arms(shop);
  const post = (visitor: number, beacon: object) =>
    new Promise<number>((resolve, reject) => {
      const sent = request({
        ...{ host: '127.0.0.1', port: shop.port, path: '/prefetch-beacon', method: 'POST' },
        ...{ agent: false, localAddress: `127.0.0.${visitor + 1}` },
        headers: { 'User-Agent': browser, 'Sec-Fetch-Site': 'same-origin' },
      });
      sent.on('response', (response) => resolve(response.resume().statusCode ?? 0));
      sent.on('error', reject);
      sent.end(JSON.stringify(beacon));
    });
  for (const visitor of [heldBack, hinted]) {
    await shop.visit('/a', { visitor });
    await post(visitor, { moment: 'shown', page: '/a', navigation: 'navigate' });
    const page = { page: '/b', from: '/a', navigation: 'navigate' };
    await post(visitor, { moment: 'shown', ...page });
    expect(await post(visitor, { moment: 'left', ...page, ttfbMs: 80, lcpMs: 200 })).toBe(204);
    // These say nothing of a navigation.
    await post(visitor, { moment: 'left', ...page, navigation: 'reload', ttfbMs: 1 });
    await post(visitor, { moment: 'left', ...page, navigation: 'back_forward', ttfbMs: 1 });
    await post(visitor, { moment: 'left', page: '/b', navigation: 'navigate', ttfbMs: 1 });
  }
  await eventually(() => prefetchd.report()?.visitors.heldBack === 1, 'counted');
  const report = prefetchd.report();
  expect(report?.visitors).toEqual({ hinted: 1, heldBack: 1 });
  expect(report?.hinted[0]?.navigations).toEqual({ hinted: 1, heldBack: 1 });
  expect(report?.all[0]?.navigations).toEqual({ hinted: 1, heldBack: 1 });
});
