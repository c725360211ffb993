// The beacon on real sockets: what it serves, what it refuses, and that a forged one can do no more than a page view.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { calm, postBeacon, type Site, sets, site } from './set-up.ts';

const path = '/prefetch-beacon';
const shown = { moment: 'shown', navigation: 'navigate' };

const post = ({ port }: Site, body: string, headers = {}, visitor = 1) =>
  postBeacon(port, body, visitor, headers);

const says = (shop: Site, page: string, more = {}, visitor = 1) =>
  post(shop, JSON.stringify({ ...shown, page, ...more }), {}, visitor);

it('the script is at most 5 KB as it is sent, and says what it contains', async () => {
  await using shop = await site();
  const { status, headers, body } = await shop.visit(`${path}.js`);
  expect([status, headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
  expect(gzipSync(body).length).toBeLessThan(5000);
  expect(body).toContain('web-vitals, Apache-2.0');
  expect(body).not.toMatch(/localStorage|sessionStorage|indexedDB|document\.cookie|eval\(/);
});

it('what is no beacon is refused, and what is another site’s', async () => {
  await using shop = await site();
  const good = JSON.stringify({ ...shown, page: '/a' });
  const cases: Array<[string, Record<string, string>, number]> = [
    [good, {}, 204],
    [good, { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['', {}, 400],
    ['[]', {}, 400],
    ['{"moment":"shown"}', {}, 400],
    [JSON.stringify({ ...shown, page: 'https://evil.example/' }), {}, 400],
    [JSON.stringify({ ...shown, page: '//evil.example/' }), {}, 400],
    [JSON.stringify({ ...shown, page: '/a', lcpMs: -1 }), {}, 400],
    [JSON.stringify({ ...shown, page: '/a', lcpMs: 1e12 }), {}, 400],
    [JSON.stringify({ ...shown, page: '/a', unused: ['/b', '//evil.example/'] }), {}, 400],
    [JSON.stringify({ ...shown, page: '/a', unused: Array(17).fill('/b') }), {}, 400],
    [JSON.stringify({ ...shown, page: `/${'a'.repeat(5000)}` }), {}, 413],
  ];
  for (const [body, headers, status] of cases) {
    expect([body.slice(0, 80), (await post(shop, body, headers)).status]).toEqual([
      ...[body.slice(0, 80), status],
    ]);
  }
});

it('off, the paths are the site’s', async () => {
  await using shop = await site({ beacon: false });
  expect((await shop.visit(`${path}.js`)).body).toBe('<p>page');
  expect((await says(shop, '/a')).status).toBe(404);
});

describe('what it teaches', () => {
  const learned = (prefetchd: ReturnType<typeof calm>) => prefetchd.stats().learned.document;

  it('a page shown from a cache is a visit, once in half an hour', async () => {
    const prefetchd = calm();
    await using shop = await site({ prefetchd });
    await shop.teach('/a', '/b');
    const before = learned(prefetchd);
    await says(shop, '/a');
    await says(shop, '/b', { from: '/a' });
    await says(shop, '/b', { from: '/a' });
    await eventually(() => learned(prefetchd) === before + 2, 'both are learned');
    const { probability } = prefetchd.hints({ url: '/a' }).find(({ url }) => url === '/b') ?? {};
    expect(probability).toBeCloseTo(1, 3);
  });

  it.each([
    ['no lifetime', {}],
    ['a lifetime', { 'Cache-Control': 'max-age=60' }],
  ])('a page of %s that was asked for just now is no second visit', async (_, fields) => {
    const prefetchd = calm();
    await using shop = await site({ prefetchd }, (app) => app.use(sets(fields)));
    await shop.teach('/a', '/b');
    const before = learned(prefetchd);
    await shop.visit('/a');
    await shop.visit('/b', { headers: { 'Sec-Purpose': 'prefetch' } });
    await eventually(() => prefetchd.stats().hints.taken === 1, 'the hint is followed');
    await says(shop, '/a');
    expect(learned(prefetchd)).toBe(before + 1);
    expect(prefetchd.stats().hints.wasted).toBe(0);
    await says(shop, '/b', { from: '/a' });
    await eventually(() => prefetchd.stats().hints.used === 1, 'the hint is used');
    expect(learned(prefetchd)).toBe(before + 2);
  });

  it('a page that is left, restored or gone back to is none', async () => {
    const prefetchd = calm();
    await using shop = await site({ prefetchd });
    await shop.teach('/a', '/b');
    const before = prefetchd.stats();
    await says(shop, '/a', { moment: 'left' });
    await says(shop, '/a', { navigation: 'restore' });
    await says(shop, '/a', { navigation: 'back_forward' });
    await says(shop, '/a', { moment: 'left', lcpMs: 900 });
    expect(prefetchd.stats().learned).toEqual(before.learned);
  });

  it('nobody learns a page that responses never allowed to learn', async () => {
    const prefetchd = calm();
    await using shop = await site({ prefetchd }, (app) =>
      app.get('/mine', sets({ 'Cache-Control': 'private' })),
    );
    await shop.teach('/a', '/b');
    await shop.visit('/mine', { visitor: 9 });
    for (let visitor = 1; visitor < 9; visitor++) {
      await says(shop, '/a', {}, visitor);
      for (const page of ['/mine', '/invented', '/logout', '/a?token=8a7f3c1d']) {
        await says(shop, page, { from: '/a' }, visitor);
      }
    }
    await eventually(() => learned(prefetchd) >= 6 + 8, 'the visits of /a');
    const urls = prefetchd.hints({ url: '/a', threshold: 0, limit: null }).map(({ url }) => url);
    expect(urls).toEqual(['/b']);
  });

  it('a page whose last response may not be learned stays as it is, until one may', async () => {
    for (const [name, value, isHinted] of [
      ['X-Robots-Tag', 'noindex', false],
      ['Cache-Control', 'private', true],
      ['Set-Cookie', 'a=b', true],
    ] as const) {
      const prefetchd = calm();
      let isOpen = true;
      await using shop = await site({ prefetchd }, (app) =>
        app.get('/b', (_, res, next) => next(void (isOpen || res.set(name, value)))),
      );
      await shop.teach('/a', '/b');
      isOpen = false;
      await shop.visit('/b', { visitor: 9 });
      const before = learned(prefetchd);
      for (let visitor = 9; visitor < 13; visitor++) await says(shop, '/b', {}, visitor);
      await says(shop, '/a', {}, 9);
      await eventually(() => learned(prefetchd) > before, 'what came last is learned');
      expect([name, learned(prefetchd) - before]).toEqual([name, 1]);
      const urls = () => prefetchd.hints({ url: '/a' }).map(({ url }) => url);
      expect([name, urls()]).toEqual([name, isHinted ? ['/b'] : []]);
      isOpen = true;
      await shop.visit('/b', { visitor: 14 });
      await eventually(() => learned(prefetchd) === before + 2, 'it is learned again');
      await says(shop, '/b', {}, 15);
      await eventually(() => learned(prefetchd) === before + 3, 'beacons teach again');
      expect(urls()).toEqual(['/b']);
    }
  });

  it('a prefetch that says noindex withdraws the page, and showing one of before teaches nothing', async () => {
    const prefetchd = calm();
    let isOpen = true;
    await using shop = await site({ prefetchd }, (app) =>
      app.get('/b', (_, res, next) => next(void (isOpen || res.set('X-Robots-Tag', 'noindex')))),
    );
    await shop.teach('/a', '/b');
    const ahead = { visitor: 9, headers: { 'Sec-Purpose': 'prefetch' } };
    await shop.visit('/b', ahead);
    isOpen = false;
    await shop.visit('/b', { ...ahead, visitor: 10 });
    await eventually(() => prefetchd.hints({ url: '/a' }).length === 0, 'it is withdrawn');
    const before = learned(prefetchd);
    await says(shop, '/b', {}, 9);
    await says(shop, '/a', {}, 9);
    await eventually(() => learned(prefetchd) > before, 'what came last is learned');
    expect(learned(prefetchd)).toBe(before + 1);
    expect(prefetchd.hints({ url: '/a' })).toEqual([]);
  });

  it('two addresses name the largest image of a page, and the next visitor preloads it first', async () => {
    const prefetchd = calm();
    await using shop = await site({ prefetchd });
    await shop.teach('/a', '/b');
    const left = { moment: 'left', lcpUrl: '/hero.jpg' };
    const preload = '</hero.jpg>; rel=preload; as=image; fetchpriority=high; probability=1';
    const linksFor = async (visitor: number) =>
      (await shop.visit('/a', { visitor })).link?.split(', ').slice(1);
    const image = { 'sec-fetch-dest': 'image', accept: 'image/*' };
    for (const visitor of [1, 2]) await shop.visit('/hero.jpg', { visitor, headers: image });
    await eventually(() => prefetchd.stats().learned.object === 2, 'both have fetched it');
    await says(shop, '/a', left, 1);
    expect(await linksFor(50)).toEqual([]);
    await says(shop, '/a', left, 2);
    const known = () => prefetchd.hints({ url: '/a', kind: 'object' }).length === 1;
    await eventually(known, 'it is known');
    expect(await linksFor(51)).toEqual([preload]);
    for (const lcpUrl of ['//evil.example/a.png', 'https://evil.example/a.png', 'a.png']) {
      expect((await says(shop, '/a', { ...left, lcpUrl })).status).toBe(400);
    }
  });
});
