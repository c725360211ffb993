// One stranger changes nothing for others: by what a request says of itself (User-Agent, Accept-Encoding, Sec-Fetch-Site,
// Referer) no hint appears and none goes, whatever one address sends.

import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { calm, site } from './set-up.ts';

const linkOf = async (shop: Awaited<ReturnType<typeof site>>, visitor = 90) =>
  (await shop.visit('/a', { visitor })).link ?? '';

it('a page that one visitor took without compression is hinted as before', async () => {
  const page = `<p>${'what others read '.repeat(20_000)}`;
  await using shop = await site({ prefetchd: calm({ threshold: 0.05 }) }, (app) => {
    app.get('/b', (req, res) => {
      const isGzip = req.headers['accept-encoding']?.includes('gzip') === true;
      if (isGzip) res.set('Content-Encoding', 'gzip');
      res.type('html').send(isGzip ? gzipSync(page) : page);
    });
  });
  const gzip = { headers: { 'accept-encoding': 'gzip' } };
  for (const visitor of [101, 102, 103]) {
    await shop.visit('/a', { visitor, ...gzip });
    await shop.visit('/b', { visitor, ...gzip });
  }
  expect(await linkOf(shop)).toContain('</b>');
  for (let n = 0; n < 3; n++) {
    await shop.visit('/b', { visitor: 7, headers: { 'accept-encoding': 'identity' } });
    expect(await linkOf(shop)).toContain('</b>');
  }
});

it.each([
  'Googlebot/2.1 (+http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0)',
])('a page that needs five visitors is not hinted to four and a forged %s', async (forged) => {
  await using shop = await site();
  const page = '/index.php?view=article&id=7';
  for (const visitor of [101, 102, 103, 104]) {
    await shop.visit('/a', { visitor });
    await shop.visit(page, { visitor });
  }
  await shop.visit(page, { visitor: 7, headers: { 'user-agent': forged } });
  expect(await linkOf(shop)).not.toContain('index.php');
  await shop.visit('/a', { visitor: 105 });
  await shop.visit(page, { visitor: 105 });
  expect(await linkOf(shop)).toContain('index.php');
});
