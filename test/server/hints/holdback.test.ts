// A holdback on real sockets: who is held back gets no page, whatever caches stand in between, and beacons tell the rest.

import { expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { delivered, siteWith } from './remote-set-up.ts';
import { calm, postBeacon, type Site, sets, site } from './set-up.ts';

const options = { holdback: 50, otherLinks: 'moderate' } as const;

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

it.each(['max-age=60', 'no-cache'])(
  'a page with %s is one for both groups, as a shared cache may give it to others: only its rules differ (RFC 9111 3)',
  async (cacheControl) => {
    const prefetchd = calm({ holdback: 50 });
    await using shop = await site({ prefetchd }, (app) =>
      app.use(sets({ 'Cache-Control': cacheControl })),
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

it.each(['in process', 'remote'] as const)(
  '%s: a visitor held back gets no page, and beacons count for the group of their visitor',
  async (where) => {
    await using shop = await siteWith(where, options);
    await shop.teach('/a', '/b');
    if (where === 'remote') await delivered(shop, 6);
    const { prefetchd } = shop;
    const { heldBack, hinted } = await arms(shop);
    // The second rule is the one for all links.
    expect((await rulesOf(shop, hinted)).prefetch).toHaveLength(2);
    expect((await rulesOf(shop, heldBack)).prefetch).toEqual([]);
    const post = async (visitor: number, beacon: object) =>
      (await postBeacon(shop.port, JSON.stringify(beacon), visitor)).status;
    for (const visitor of [heldBack, hinted]) {
      await shop.visit('/a', { visitor });
      await post(visitor, { moment: 'shown', page: '/a', navigation: 'navigate' });
      const page = { page: '/b', from: '/a', navigation: 'navigate' };
      const took = { ttfbMs: 80, lcpMs: 200, inpMs: 40 };
      await post(visitor, { moment: 'shown', ...page });
      expect(await post(visitor, { moment: 'left', ...page, ...took })).toBe(204);
      // These say nothing of a navigation.
      await post(visitor, { moment: 'left', ...page, navigation: 'reload', ttfbMs: 1 });
      await post(visitor, { moment: 'left', ...page, navigation: 'back_forward', ttfbMs: 1 });
      await post(visitor, { moment: 'left', page: '/b', navigation: 'navigate', ttfbMs: 1 });
    }
    await eventually(() => {
      const { hinted = 0, heldBack = 0 } = prefetchd.report()?.all[0]?.navigations ?? {};
      return hinted + heldBack === 2;
    }, 'both have told');
    const report = prefetchd.report();
    expect(report?.visitors).toEqual({ hinted: 1, heldBack: 1 });
    expect(report?.hinted[0]?.navigations).toEqual({ hinted: 1, heldBack: 1 });
    expect(report?.all[0]?.navigations).toEqual({ hinted: 1, heldBack: 1 });
    const inp = report?.hinted[0]?.measures.find(({ of }) => of === 'inp');
    expect([inp?.hinted, inp?.heldBack]).toEqual([40, 40]);
  },
);
