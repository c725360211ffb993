// Several sites in one Express app, as virtual hosts: hints, rules and beacons of one are for its visitors alone.

import { expect, it } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { eventually } from '../../support/eventually.ts';
import { service } from './remote-set-up.ts';
import { calm, type Site, site } from './set-up.ts';

const acme = { headers: { host: 'acme.example' } };
const globex = { headers: { host: 'globex.example' } };

async function walk(shop: Site, { headers }: typeof acme, visitors: number[], ...paths: string[]) {
  for (const visitor of visitors) {
    for (const path of paths) await shop.visit(path, { visitor, headers });
  }
}

it('a page of one is prefetched and shown there, whatever the other has under its path', async () => {
  const prefetchd = calm();
  await using shop = await site({ prefetchd });
  await walk(shop, acme, [1, 2, 3, 4], '/', '/news');
  await walk(shop, globex, [5, 6, 7, 8], '/', '/news', '/jobs');
  const { used } = prefetchd.stats().hints;
  await shop.visit('/', { ...acme, visitor: 20 });
  await shop.visit('/news', { ...globex, visitor: 20 });
  expect(prefetchd.stats().hints.used).toBe(used);
  await shop.visit('/news', { ...acme, visitor: 20 });
  await eventually(() => prefetchd.stats().hints.used === used + 1, 'the hint is used');
});

it('by a service, too, which several apps share', async () => {
  await using served = await service();
  const { prefetchd } = served;
  const remote = { prefetchd: served.url, ...withConstants({ deadlineMs: 1000 }) };
  await using one = await site(remote);
  await using other = await site(remote);
  await Promise.all([one.prefetch.ready, other.prefetch.ready]);
  await walk(one, acme, [1, 2, 3, 4], '/', '/layoffs');
  await eventually(() => prefetchd.stats().learned.document === 8, 'acme is learned');
  await walk(other, globex, [5, 6, 7, 8], '/', '/jobs');
  await eventually(() => prefetchd.stats().learned.document === 16, 'globex is learned');
  expect((await one.visit('/', { ...acme, visitor: 20 })).link).toMatch(/^<\/layoffs>/);
  expect((await other.visit('/', { ...globex, visitor: 21 })).link).toMatch(/^<\/jobs>/);
});
