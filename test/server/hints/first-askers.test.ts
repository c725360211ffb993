// What a shared cache may store carries the same hints, whoever asked for it first.

import { expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { startNginx, whyNoNginx } from '../../support/nginx.ts';
import { visit as visitUrl } from '../../support/visit.ts';
import { browser, calm, type Site, sets, site, type Visit } from './set-up.ts';

const chromium = {
  'user-agent': browser,
  'sec-ch-ua': '"Chromium";v="140"',
  'sec-fetch-dest': 'document',
};
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const askers: Record<string, Record<string, string>> = {
  Chromium: chromium,
  Firefox: { 'user-agent': firefox },
  Googlebot: {
    'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  },
  GPTBot: { 'user-agent': 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)' },
  curl: { 'user-agent': 'curl/8.9.1', accept: '*/*' },
  'a monitor': { 'user-agent': 'UptimeRobot/2.0' },
  'Save-Data': { ...chromium, 'save-data': 'on' },
  'a frame': { ...chromium, 'sec-fetch-dest': 'iframe' },
  'a prefetch': { ...chromium, 'sec-purpose': 'prefetch' },
};

const fieldsOf = ({ headers }: { headers: Record<string, unknown> }) => ({
  link: headers.link,
  rules: headers['speculation-rules'],
});

async function taught(cacheControl: string, prefetchd = calm()): Promise<Site> {
  const fields = sets({ 'Cache-Control': cacheControl });
  const shop = await site({ prefetchd }, (app) => app.use(fields));
  await shop.teach('/a', '/b');
  return shop;
}

const expected = {
  link: expect.stringMatching(/^<\/b>; rel=prefetch; probability=[\d.]+$/),
  rules: '"/speculation-rules.json?url=%2Fa"',
};

it.each(['public, max-age=300', 's-maxage=60, max-age=0', 'max-age=60, s-maxage=600'])(
  'with Cache-Control: %s',
  async (cacheControl) => {
    await using shop = await taught(cacheControl);
    for (const [name, headers] of Object.entries(askers)) {
      const seen = await shop.visit('/a', { visitor: 20, headers: headers as Visit['headers'] });
      expect([name, fieldsOf(seen)]).toEqual([name, expected]);
    }
    expect(shop.prefetch.stats().forOthers).toBe(6);
    expect(shop.prefetch.stats().faults).toEqual({});
  },
);

it('with a lifetime alone all are hinted, but browsers that know rules get pages by these', async () => {
  await using shop = await taught('max-age=300');
  for (const [name, headers] of Object.entries(askers)) {
    const seen = await shop.visit('/a', { visitor: 20, headers: headers as Visit['headers'] });
    const link = headers['sec-ch-ua'] === undefined ? expected.link : undefined;
    expect([name, fieldsOf(seen)]).toEqual([name, { ...expected, link }]);
  }
});

it.each(['private, max-age=300', 'no-store', 'max-age=0', 'public, max-age=0', 'no-cache'])(
  'with %s robots and Save-Data get none',
  async (cacheControl) => {
    await using shop = await taught(cacheControl);
    for (const name of ['Googlebot', 'curl', 'Save-Data', 'a frame']) {
      const seen = await shop.visit('/a', { visitor: 20, headers: askers[name] });
      const given = [seen.link, seen.headers['speculation-rules']];
      expect([name, ...given]).toEqual([name, undefined, undefined]);
    }
  },
);

it('no robot that gets hints for others is learned from', async () => {
  const prefetchd = calm();
  await using shop = await taught('max-age=300', prefetchd);
  const { learned, hints } = prefetchd.stats();
  for (const name of ['Googlebot', 'curl', 'a monitor']) {
    await shop.visit('/a', { visitor: 30, headers: askers[name] });
  }
  await eventually(() => prefetchd.stats().notLearned.monitor === 1, 'all are judged');
  expect(prefetchd.stats()).toMatchObject({ learned, hints, notLearned: { bot: 2, monitor: 1 } });
});

it.skipIf(whyNoNginx !== '').each(Object.entries(askers))(
  `through proxy_cache of nginx, %s first ${whyNoNginx}`,
  async (_, headers) => {
    await using shop = await taught('public, max-age=300');
    await using nginx = await startNginx(
      ({ port, folder }) => `
        proxy_cache_path ${folder}/cache keys_zone=pages:1m;
        server { listen 127.0.0.1:${port}; location / {
          proxy_pass http://127.0.0.1:${shop.port}; proxy_cache pages;
          add_header X-Cache $upstream_cache_status;
        } }`,
    );
    const url = `http://127.0.0.1:${nginx.port}/a`;
    await visitUrl(url, { from: '127.0.0.40', headers });
    for (const later of [chromium, { 'user-agent': firefox }]) {
      const seen = await visitUrl(url, { from: '127.0.0.41', headers: later });
      expect(seen.headers['x-cache']).toBe('HIT');
      expect(fieldsOf(seen)).toEqual(expected);
    }
  },
);
