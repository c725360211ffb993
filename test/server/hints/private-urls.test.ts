// Private URLs, planted on a site of hints() at its defaults: six visitors, more than any rule asks for, go from the
// front page to each, and on to a public page. None is ever hinted, to anybody, on any page.

import type { Express } from 'express';
import { expect, it } from 'vitest';
import { calm, site } from './set-up.ts';

interface Planted {
  url: string;
  /** Of its response. */
  fields?: Record<string, string>;
  status?: number;
  /** Of its requests. */
  headers?: Record<string, string>;
  /** Others than six. */
  visitors?: number;
}

const byName = [
  ...['/logout', '/account/orders', '/cart', '/checkout/payment', '/admin/users', '/wp-admin/'],
  ...['/user/reset-password', '/confirm-email/jane', '/unsubscribe/me', '/newsletter/optout'],
  ...['/oauth/authorize', '/invite/friends', '/posts/5/delete', '/billing', '/my-basket'],
  '/wp-login.php?action=logout&_wpnonce=8a1b2c3d4e',
  '/?p=12&preview=true',
  '/shop/?add-to-cart=81',
  '/index.php?option=com_users&task=user.logout',
  '/index.php?option=com_content&view=form&layout=edit&a_id=12',
  '/?q=user/logout',
  '/viewtopic.php?t=5&sid=8c7d6e5f4a3b2c1d8c7d6e5f4a3b2c1d',
  '/ucp.php?i=pm&folder=inbox',
  '/index.php?title=Special:UserLogout',
  '/index.php?title=Main_Page&action=edit',
  '/reset?token=0f8fad5b-d9cb-469f-a165-70867728950e',
  '/magic?t=eyJhbGciOiJIUzI1NiJ9.e30.abc',
  '/search?q=my+diagnosis',
  ...['/find?query=jane+doe', '/page?email=jane@example.org', '/go?redirect=/account'],
  ...['/file?Signature=abc&Key-Pair-Id=K1&x=1', '/poll?vote=3', '/item?do=remove&id=5'],
  '/orders?order_id=8127',
  '/magic-link/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N',
  ...['/share/a8Kd', '/u/jane@example.org', '/order/8127', '/inbox', '/profile/edit'],
  '/files/0f8fad5b-d9cb-469f-a165-70867728950e',
  ...['/mon-compte', '/warenkorb', '/wyloguj-sie', '/%D0%BA%D0%BE%D1%80%D0%B7%D0%B8%D0%BD%D0%B0'],
  ...['/%E9%80%80%E5%87%BA%E7%99%BB%E5%BD%95', '/bestellung', '/page;jsessionid=1A2B3C4D'],
  ...['/vyhod', '/a;sid=17/b'],
  ...['/(S(abc123))/page', '/a;sig=abc', '/download/4f1b2c3d4e', '/call/030-1234567'],
];

const planted: Planted[] = [
  ...byName.map((url) => ({ url })),
  { url: '/inbox-view', fields: { 'cache-control': 'private' } },
  { url: '/letter?id=4', fields: { 'cache-control': 'private, max-age=60' } },
  { url: '/balance', fields: { 'cache-control': 'no-store' } },
  { url: '/statement?month=5', fields: { 'cache-control': 'no-store' } },
  { url: '/welcome-back', fields: { 'set-cookie': 'session=1' } },
  { url: '/greeting?lang=de', fields: { 'set-cookie': 'seen=1' } },
  { url: '/for-you', fields: { vary: '*' } },
  { url: '/intranet', headers: { authorization: 'Basic amFuZTpzZWNyZXQ=' } },
  { url: '/report?id=9', headers: { authorization: 'Bearer abc' } },
  { url: '/forbidden', status: 403 },
  { url: '/gone?id=7', status: 410 },
  { url: '/data?id=3', fields: { 'content-type': 'application/json' } },
  { url: '/diary', visitors: 1 },
  { url: '/shared-by-two', visitors: 2 },
  { url: '/page?id=31', visitors: 4 },
  { url: '/watch/dQw4w9WgXcQ', visitors: 4 },
];

it('planted private URLs are never hinted', async () => {
  expect(planted.length).toBeGreaterThanOrEqual(50);
  const prefetchd = calm();
  await using shop = await site({ prefetchd }, (app: Express) => {
    app.use((req, res, next) => {
      const found = planted.find(({ url }) => url === req.originalUrl);
      if (found === undefined) return next();
      res.status(found.status ?? 200).type('html');
      res.set(found.fields ?? {}).send('<p>private');
    });
  });
  for (const { url, headers, visitors = 6 } of planted) {
    for (let visit = 0; visit < 6; visit++) {
      const visitor = 1 + (visit % visitors);
      await shop.visit('/', { visitor });
      await shop.visit(url, { visitor, headers });
      await shop.visit('/public', { visitor });
    }
  }
  const urls = new Set(planted.map(({ url }) => url));
  const seen = [];
  for (const url of ['/', '/public', ...urls]) {
    const { link = '' } = await shop.visit(url, { visitor: 99 });
    const rules = await shop.visit(`/speculation-rules.json?url=${encodeURIComponent(url)}`);
    seen.push(link, rules.body);
    seen.push(...prefetchd.hints({ url, threshold: 0, limit: null }).map((hint) => hint.url));
  }
  // That hints are given at all.
  expect(seen).toContain('/public');
  const told = seen.join('\n');
  expect([...urls].filter((url) => told.includes(url))).toEqual([]);
});
