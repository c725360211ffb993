// One stranger changes nothing for others: by what a request says of itself (User-Agent, Accept-Encoding) no hint appears
// and none goes, whatever one address sends. And no other site teaches by sending its visitors here: an arc needs a
// navigation from a page of this site (Fetch Metadata 2.3, RFC 9110 10.1.3).

import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { learnFromLogs } from '../../../prefetchd/service/followed-logs.ts';
import { running } from '../../prefetchd/service/ask.ts';
import { eventually } from '../../support/eventually.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';
import { delivered, remoteSite } from './remote-set-up.ts';
import { browser, calm, site } from './set-up.ts';

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

it.each(['Googlebot/2.1', 'Mozilla/5.0 (compatible; bingbot/2.0)'])(
  'a page that needs five visitors is not hinted to four and a forged %s',
  async (forged) => {
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
  },
);

type Fields = Record<string, string>;

/** What a browser sends with a navigation to a page of `host`, over HTTPS and over plain HTTP. */
const elsewhere: [string, Fields][] = [
  ['a link on another site', { 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/' }],
  ['one that sends no Referer', { 'sec-fetch-site': 'cross-site' }],
  ['a bookmark', { 'sec-fetch-site': 'none' }],
  ['rules of another site', { 'sec-fetch-site': 'none', referer: 'https://evil.example/' }],
  ['a link on another site, over plain HTTP', { referer: 'http://evil.example/a' }],
];
const fromHere = (host: string): [string, Fields][] => [
  ['a link here', { 'sec-fetch-site': 'same-origin' }],
  ['a link on a sister site', { 'sec-fetch-site': 'same-site', referer: 'https://blog.example/' }],
  ['a link here, over plain HTTP', { referer: `http://${host}/a` }],
  ['nobody knows where', {}],
];

/** Whether a navigation that says this teaches that the page follows the one before. */
type Teaches = (how: Fields, visitors?: number) => Promise<boolean>;

const middleware =
  (where: 'here' | 'remote'): Teaches =>
  async (headers) => {
    await using shop = where === 'here' ? await site() : await remoteSite();
    for (const visitor of [101, 102, 103]) {
      await shop.visit('/a', { visitor });
      await shop.visit('/planted', { visitor, headers });
    }
    if (where === 'remote') await delivered(shop, 6);
    return (await linkOf(shop)).includes('/planted');
  };

const front: Teaches = async (headers) => {
  await using asked = await running();
  for (const last of [1, 2, 3]) {
    const fields = (url: string) => ({
      ...{ 'X-Original-URI': url, 'X-Original-Host': 'site.example', Accept: 'text/html' },
      ...{ 'X-Real-IP': `198.51.100.${last}`, 'User-Agent': browser },
    });
    await asked.get('/v1/mirror', fields('/a'));
    await asked.get('/v1/mirror', { ...fields('/planted'), ...headers });
  }
  return (await asked.get('/v1/hints?url=/a')).text.includes('/planted');
};

/** By a Referer, with Host in each line, or the origin of the site. */
const logged =
  (origin: string | null, hostField: string): Teaches =>
  async ({ referer = '-' }) => {
    await using engine = (await running({ prefetchd: { origin } })).prefetchd;
    const path = join(folderOfTest(), 'access.log');
    await writeFile(path, '');
    const logs = await learnFromLogs(engine, [path], { origin, from: 'end', pollIntervalMs: 10 });
    const line = (last: number, url: string, from: string) =>
      `198.51.100.${last} - - [10/Oct/2026:13:55:3${last} +0000] "GET ${url} HTTP/1.1" 200 2326 ` +
      `"${from}" "${browser}"${hostField}\n`;
    for (const last of [1, 2, 3]) {
      await appendFile(path, line(last, '/a', '-') + line(last, '/planted', referer));
    }
    await eventually(() => engine.stats().learned.document === 6, 'the log is read');
    await Promise.all(logs.map((log) => log.close()));
    return engine.hints({ url: '/a' }).some(({ url }) => url === '/planted');
  };

describe.each<[string, Teaches, string | null]>([
  ['the middleware', middleware('here'), null],
  ['the middleware with a remote prefetchd', middleware('remote'), null],
  ['a web server in front', front, 'site.example'],
])('by %s', (_, teaches, host) => {
  it.each(elsewhere)('%s begins a new window', async (_, headers) => {
    expect(await teaches(headers)).toBe(false);
  });

  it.each(fromHere(host ?? '127.0.0.1'))(
    '%s: the page follows the one before',
    async (_, headers) => {
      if (host === null && headers.referer?.startsWith('http:')) return;
      expect(await teaches(headers)).toBe(true);
    },
  );
});

it.each<[string, Teaches]>([
  ['with Host in each line', logged(null, ' host="site.example"')],
  ['with the origin of the site', logged('http://site.example', '')],
])('a followed log %s: by the Referer', async (_, teaches) => {
  expect(await teaches({ referer: 'http://evil.example/a' })).toBe(false);
  expect(await teaches({ referer: 'http://site.example/a' })).toBe(true);
  expect(await teaches({})).toBe(true);
});

it('a page without a Referer, of a browser that sends them, begins a new window', async () => {
  for (const isSent of [true, false]) {
    await using shop = await site();
    const referer = `http://127.0.0.1:${shop.port}/a`;
    for (const visitor of [101, 102, 103]) {
      await shop.visit('/a', { visitor });
      const image = { 'sec-fetch-dest': 'image', ...(isSent && { referer }) };
      await shop.visit('/i.png', { visitor, headers: image });
      await shop.visit('/planted', { visitor });
    }
    expect((await linkOf(shop)).includes('/planted')).toBe(!isSent);
  }
});

it('what another site prefetches adds to no arc, and when it is shown, it follows nothing', async () => {
  const prefetchd = calm({ threshold: 0.4 });
  await using shop = await site({ prefetchd });
  await shop.teach('/a', '/b');
  for (const visitor of [101, 102, 103]) await shop.visit('/b', { visitor: visitor + 50 });
  const crossing = { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'cross-site' };
  const ahead = { 'sec-purpose': 'prefetch', ...crossing };
  const rules = { 'sec-fetch-dest': 'speculationrules', 'sec-fetch-site': 'same-origin' };
  const before = prefetchd.stats();
  for (const visitor of [1, 2, 3, 4, 5, 6]) {
    await shop.visit('/a', { visitor });
    await shop.visit('/c', { visitor, headers: ahead });
    await shop.visit('/speculation-rules.json?url=%2Fc', { visitor, headers: rules });
  }
  const learned = () => prefetchd.stats().learned.document - before.learned.document;
  await eventually(() => learned() === 12, 'shown pages are learned');
  expect(await linkOf(shop)).not.toContain('/c');
});
