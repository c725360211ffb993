// A holdback of a remote prefetchd: it says who is held back, and counts what the beacons of the site tell.

import { request } from 'node:http';
import { expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { delivered, patient, service } from './remote-set-up.ts';
import { browser, type Site, site } from './set-up.ts';

const rulesOf = async (shop: Site, visitor: number) =>
  JSON.parse((await shop.visit('/speculation-rules.json?url=%2Fa', { visitor })).body).prefetch;

function post({ port }: Site, visitor: number, beacon: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({
      ...{ host: '127.0.0.1', port, path: '/prefetch-beacon', method: 'POST', agent: false },
      localAddress: `127.0.0.${visitor + 1}`,
      headers: { 'User-Agent': browser, 'Sec-Fetch-Site': 'same-origin' },
    });
    sent.on('response', (response) => resolve(response.resume().statusCode ?? 0));
    sent.on('error', reject);
    sent.end(JSON.stringify(beacon));
  });
}

it('who is held back gets no pages, and beacons count for the group of their visitor', async () => {
  await using remote = await service(undefined, null, { holdback: 50 });
  const speculationRules = { otherLinks: 'moderate' } as const;
  await using shop = await site({ prefetchd: remote.url, speculationRules, ...patient });
  await shop.prefetch.ready;
  await shop.teach('/a', '/b');
  await delivered(shop, 6);
  const arms = { heldBack: 0, hinted: 0 };
  for (let visitor = 1; visitor < 60 && !(arms.heldBack && arms.hinted); visitor++) {
    const rules = await rulesOf(shop, visitor);
    arms[rules.length === 0 ? 'heldBack' : 'hinted'] ||= visitor;
  }
  expect(await rulesOf(shop, arms.hinted)).toHaveLength(2);
  for (const visitor of Object.values(arms)) {
    expect((await shop.visit('/a', { visitor })).link).toBeUndefined();
  }
  for (const visitor of Object.values(arms)) {
    await shop.visit('/a', { visitor });
    const page = { page: '/b', from: '/a', navigation: 'navigate' };
    await post(shop, visitor, { moment: 'shown', page: '/a', navigation: 'navigate' });
    await post(shop, visitor, { moment: 'shown', ...page });
    const took = { ttfbMs: 80, lcpMs: 200, inpMs: 40 };
    expect(await post(shop, visitor, { moment: 'left', ...page, ...took })).toBe(204);
  }
  const report = () => remote.prefetchd.report();
  await eventually(() => {
    const { hinted = 0, heldBack = 0 } = report()?.all[0]?.navigations ?? {};
    return hinted + heldBack === 2;
  }, 'both have told');
  expect(report()?.visitors).toEqual({ hinted: 1, heldBack: 1 });
  expect(report()?.hinted[0]?.navigations).toEqual({ hinted: 1, heldBack: 1 });
  const inp = report()?.hinted[0]?.measures.find(({ of }) => of === 'inp');
  expect([inp?.hinted, inp?.heldBack]).toEqual([40, 40]);
});
