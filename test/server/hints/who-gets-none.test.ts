// Every rule of "who gets no hints, and what is never learned" (prefetchd/rules/eligibility.ts), end to end
// through Express. The way /a -> /b is known, and its hint goes out; then each rule in its turn.

import { describe, expect, it, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { calm, site } from './set-up.ts';

const toB = '</b>; rel=prefetch; probability=1';

test('two visitors teach nothing, three do (k clients)', async () => {
  await using shop = await site();
  for (const visitor of [1, 2]) {
    await shop.visit('/a', { visitor });
    await shop.visit('/b', { visitor });
  }
  expect((await shop.visit('/a', { visitor: 3 })).link).toBeUndefined();
  await shop.visit('/b', { visitor: 3 });
  expect((await shop.visit('/a', { visitor: 4 })).link).toBe(toB);
  expect(shop.prefetch.stats().hinted).toBe(1);
});

test('who sends Sec-GPC gets hints and is not learned, where that is respected', async () => {
  const prefetchd = calm();
  await using shop = await site({ prefetchd, respectGpc: true });
  await shop.teach('/a', '/b');
  const { learned } = prefetchd.stats();
  for (const more of [{}, { 'sec-purpose': 'prefetch' }]) {
    const headers = { 'sec-gpc': '1', ...more };
    expect((await shop.visit('/a', { visitor: 7, headers })).link).toBe(toB);
  }
  const headers = { 'sec-gpc': '1', referer: `http://127.0.0.1:${shop.port}/a` };
  const rules = await shop.visit('/speculation-rules.json?url=%2Fa', { visitor: 7, headers });
  expect(JSON.parse(rules.body).prefetch[0].urls).toEqual(['/b']);
  await shop.teach('/c');
  expect(prefetchd.stats().learned.document).toBe(learned.document + 3);
  expect(prefetchd.stats().notLearned).toEqual({ gpc: 2 });
});

it.each(['prefetch', 'prefetch;prerender'])(
  'a %s gets hints: its page will be shown with the fields that it came with',
  async (purpose) => {
    const headers = { 'sec-purpose': purpose };
    await using shop = await site({ earlyHints: true });
    await shop.teach('/a', '/b');
    const seen = await shop.visit('/a', { visitor: 2, headers });
    expect([seen.link, seen.early]).toEqual([toB, []]);
    const link = { ...headers, 'sec-fetch-dest': 'empty' };
    expect((await shop.visit('/a', { visitor: 3, headers: link })).link).toBe(toB);
  },
);

it('nothing is learned from another host than the site’s, where the site says its origin', async () => {
  const prefetchd = calm();
  await using shop = await site({ prefetchd, origin: 'https://shop.example' });
  const headers = { host: 'shop.example' };
  await shop.visit('/a', { headers });
  await shop.visit('/a', { headers: { host: 'else.example' } });
  await shop.visit('http://else.example/a', { headers });
  expect(prefetchd.stats().learned.document).toBe(1);
  expect(prefetchd.stats().notLearned).toEqual({ 'cross-origin': 2 });
});

it('a hint is taken by a prefetch, if there was something to prefetch', async () => {
  let isBroken = false;
  const prefetchd = calm();
  await using shop = await site({ prefetchd }, (app) => {
    app.get('/b', (_, res, next) => void (isBroken ? res.status(500).end() : next()));
  });
  const headers = { 'sec-purpose': 'prefetch' };
  await shop.teach('/a', '/b');
  await shop.visit('/a');
  const { taken } = prefetchd.stats().hints;
  isBroken = true;
  expect((await shop.visit('/b', { headers })).status).toBe(500);
  isBroken = false;
  await shop.visit('/b', { headers });
  await eventually(() => prefetchd.stats().hints.taken === taken + 1, 'it is taken');
});

it('a page shown from a prefetch is known by the Referer of what is embedded in it', async () => {
  const prefetchd = calm();
  await using shop = await site({ prefetchd });
  await shop.teach('/a', '/b');
  await shop.visit('/a');
  await shop.visit('/b', { headers: { 'sec-purpose': 'prefetch' } });
  expect(prefetchd.stats().hints).toMatchObject({ given: 1, taken: 1, used: 0 });
  let nth = 0;
  const seen = () => {
    const { learned, notLearned } = prefetchd.stats();
    return learned.object + (notLearned['cross-origin'] ?? 0);
  };
  const object = async (referer: string) => {
    const before = seen();
    await shop.visit(`/i-${nth++}.png`, { headers: { 'sec-fetch-dest': 'image', referer } });
    while (seen() === before) await new Promise(setImmediate);
  };
  await object('http://else.example/b');
  await object(`http://127.0.0.1:${shop.port}.else.example/b`);
  await object(`http://127.0.0.1:${shop.port}/${'b'.repeat(3000)}`);
  expect(prefetchd.stats().hints.used).toBe(0);
  expect(prefetchd.stats().notLearned['cross-origin']).toBe(2);
  await object(`http://127.0.0.1:${shop.port}/b`);
  expect(prefetchd.stats().hints.used).toBe(1);
});

it.each([{ 'cache-control': 'private' }, { 'set-cookie': 'id=1' }])(
  'a page that is one person’s is not learned by being prefetched and shown (%o)',
  async (fields) => {
    const prefetchd = calm();
    await using shop = await site({ prefetchd }, (app) => {
      app.get('/mine', (_, res) => void res.set(fields).type('html').send('<p>'));
    });
    await shop.visit('/mine', { headers: { 'sec-purpose': 'prefetch' } });
    const referer = `http://127.0.0.1:${shop.port}/mine`;
    await shop.visit('/i.png', { headers: { 'sec-fetch-dest': 'image', referer } });
    while (prefetchd.stats().learned.object === 0) await new Promise(setImmediate);
    expect(prefetchd.stats().learned.document).toBe(0);
  },
);

it('a busy server refuses prefetches first, so that no cache keeps the refusal', async () => {
  let load = 0;
  const handled: string[] = [];
  await using shop = await site({ prefetchd: calm({ load: () => load }) }, (app) =>
    app.use((req, _res, next) => next(void handled.push(req.url))),
  );
  await shop.teach('/a', '/b');
  load = 0.95;
  const headers = { 'sec-purpose': 'prefetch' };
  const before = handled.length;
  const refused = await shop.visit('/a', { headers });
  expect([refused.status, handled.length]).toEqual([503, before]);
  expect(refused.headers).toMatchObject({ vary: 'Sec-Purpose', 'cache-control': 'no-store' });
  expect(shop.prefetch.stats()).toMatchObject({ refused: 1, leftAlone: 0 });
  load = 0;
  expect((await shop.visit('/a', { headers })).status).toBe(200);
  expect((await shop.visit('/a', { visitor: 2 })).link).toBe(toB);
});

it('a server that stays busy leaves ever more visitors alone, and takes them back', async () => {
  let load = 1;
  const prefetchd = calm({ load: () => load });
  await using shop = await site({ prefetchd });
  const { stats } = shop.prefetch;
  const giveUpMs = performance.now() + 20_000;
  const until = async (isDone: () => boolean) => {
    while (!isDone()) {
      expect((await shop.visit('/a')).status).toBe(200);
      if (performance.now() > giveUpMs) throw new Error('it never did');
    }
  };
  await until(() => stats().leftAlone > 0);
  expect(stats().share).toBeLessThan(1);
  await until(() => stats().share === 0);
  const { learned } = prefetchd.stats();
  await shop.visit('/new');
  expect(prefetchd.stats().learned).toEqual(learned);
  load = 0.1;
  await until(() => stats().share === 1);
  await shop.visit('/new');
  while (prefetchd.stats().learned.document === learned.document) await new Promise(setImmediate);
});

it('counts say why a page carried no hints', async () => {
  await using shop = await site({ prefetchd: calm() }, (app) => {
    app.get('/own', (_, res) => void res.set('Cache-Control', 'private').type('html').send('<p>'));
    app.get('/note', (_, res) => void res.type('text').send('note'));
  });
  await shop.teach('/a', '/b');
  const before = shop.prefetch.stats();
  await shop.visit('/a', { headers: { 'save-data': 'on' } });
  await shop.visit('/a', { headers: { 'user-agent': 'curl/8.5.0' } });
  await shop.visit('/own');
  await shop.visit('/note');
  await shop.visit('/nowhere-known');
  await shop.visit('/a');
  const { hinted, unhinted } = shop.prefetch.stats();
  expect(hinted).toBe(before.hinted + 1);
  const { 'nothing known': unknown = 0, ...reasons } = unhinted;
  expect(reasons).toEqual({ 'save-data': 1, bot: 1, private: 1, 'not a page': 1 });
  expect(unknown).toBe((before.unhinted['nothing known'] ?? 0) + 1);
});

it('a page that browsers would fetch twice is named by rules alone (browser.md)', async () => {
  for (const speculationRules of [true, false]) {
    const options = { prefetchd: calm(), speculationRules };
    await using shop = await site(options, (app) => {
      app.disable('etag');
      app.get('/kept', (_, res) => void res.set('Cache-Control', 'max-age=60').send('<p>'));
    });
    await shop.teach('/a', '/b');
    const { headers, link } = await shop.visit('/a');
    const rules = speculationRules ? '"/speculation-rules.json?url=%2Fa"' : undefined;
    expect([headers['speculation-rules'], link]).toEqual([rules, undefined]);
    const { 'no lifetime': unnamed } = shop.prefetch.stats().unhinted;
    expect(unnamed ?? 0).toBe(speculationRules ? 0 : 1);
    await shop.teach('/c', '/kept');
    expect((await shop.visit('/c')).link).toContain('</kept>; rel=prefetch');
    await options.prefetchd.close();
  }
});

describe('what is requested as a page and is none', () => {
  const [disposition, type] = ['content-disposition', 'content-type'];
  it.each<[string, Record<string, string>]>([
    ['an attachment', { [disposition]: 'Attachment; filename=r.pdf' }],
    ['an attachment of HTML', { [type]: 'text/html', [disposition]: 'attachment' }],
    ['a part', { [type]: 'application/pdf', 'content-range': 'bytes 0-2/9' }],
    ['an archive', { [type]: 'application/zip' }],
    ['a feed', { [type]: 'application/rss+xml; charset=utf-8' }],
    ['data', { [type]: 'application/json' }],
  ])('%s is not learned, and pages before and after it are', async (name, headers) => {
    const prefetchd = calm();
    await using shop = await site({ prefetchd }, (app) =>
      app.get('/x', (_, res) => {
        res
          .status(name === 'a part' ? 206 : 200)
          .set(headers)
          .end('...');
      }),
    );
    await shop.teach('/a', '/x', '/b');
    expect(prefetchd.stats().learned).toEqual({ document: 6, object: 0 });
    expect(prefetchd.stats().notLearned).toEqual({ 'not-page': 3 });
    expect((await shop.visit('/a', { visitor: 9 })).link).toBe(toB);
    await shop.visit('/x', { visitor: 8 });
    expect(shop.prefetch.stats().unhinted['not a page']).toBe(4);
  });

  it('a picture or a text that is opened is a page; data that a script asked for is an object', async () => {
    const prefetchd = calm();
    await using shop = await site({ prefetchd }, (app) => {
      app.get('/photo', (_, res) => void res.type('png').end('...'));
      app.get('/notes', (_, res) => void res.type('text').end('...'));
      app.get('/api/items', (_, res) => void res.json([]));
    });
    await shop.visit('/photo');
    await shop.visit('/notes');
    await shop.visit('/api/items', { headers: { accept: '*/*' } });
    await shop.visit('/api/items', { visitor: 2, headers: { 'sec-fetch-dest': 'empty' } });
    while (Object.values(prefetchd.stats().learned).reduce((a, b) => a + b) < 4) {
      await new Promise(setImmediate);
    }
    expect(prefetchd.stats().learned).toEqual({ document: 2, object: 2 });
  });
});

it('a response that broke off teaches nothing', async () => {
  const prefetchd = calm();
  await using shop = await site({ prefetchd }, (app) => {
    app.get('/broken', (_, res) => {
      res.type('html').write('<p>');
      setImmediate(() => res.destroy());
    });
  });
  await expect(shop.visit('/broken')).rejects.toThrow();
  await shop.visit('/a');
  expect(prefetchd.stats().learned.document).toBe(1);
});
