// Speculation rules (HTML 7.6): a field that names a document of the site, and the document.

import express from 'express';
import { expect, it } from 'vitest';
import { prefetchScriptOf } from '../../../prefetchd/wire/prefetch-script.ts';
import { parseSpeculationRules } from '../../../prefetchd/wire/speculation-rules.ts';
import { hints } from '../../../server/index.ts';
import { eventually } from '../../support/eventually.ts';
import { salted } from '../../support/known-salt.ts';
import { calm, serve, site } from './set-up.ts';

const rulesOf = (body: string) =>
  parseSpeculationRules(body, 'https://a.example/').hints.map(({ url }) => url);

it('a page names its rules, which name what comes next', async () => {
  await using shop = await site({ speculationRules: true });
  await shop.teach('/a', '/b');
  const field = (await shop.visit('/a')).headers['speculation-rules'];
  expect(field).toBe('"/speculation-rules.json?url=%2Fa"');
  const rules = await shop.visit('/speculation-rules.json?url=%2Fa');
  expect(rules.status).toBe(200);
  expect(rules.headers).toMatchObject({
    'content-type': 'application/speculationrules+json',
    'cache-control': 'no-store',
  });
  expect(JSON.parse(rules.body)).toEqual({
    tag: 'prefetchd',
    prefetch: [
      { source: 'list', urls: ['/b'], eagerness: 'immediate', tag: 'prefetchd-immediate' },
    ],
  });
  expect((await shop.visit('/speculation-rules.json?url=%2Fa', { method: 'HEAD' })).body).toBe('');
});

it('who gets no hints gets no rules; a page that is none gets 400', async () => {
  await using shop = await site({ speculationRules: true });
  await shop.teach('/a', '/b');
  const path = '/speculation-rules.json';
  for (const headers of [{ 'user-agent': 'Googlebot/2.1' }, { 'save-data': 'on' }]) {
    const seen = await shop.visit(`${path}?url=%2Fa`, { visitor: 2, headers });
    expect([seen.status, rulesOf(seen.body)]).toEqual([200, []]);
  }
  for (const query of ['?url=', '?url=%2F%2Fevil', '?url=https://a.example/a']) {
    expect((await shop.visit(path + query)).status).toBe(400);
  }
  // The path is the site's.
  for (const query of ['', '?page=/a']) {
    expect((await shop.visit(path + query)).body).toBe('<p>page');
  }
  expect((await shop.visit(`${path}x?url=%2Fa`)).body).toBe('<p>page');
  expect((await shop.visit(`${path}?url=%2Fa`, { method: 'POST' })).status).toBe(404);
});

it('below a path the rules stand there too', async () => {
  const prefetch = hints({ prefetchd: { load: () => 0, ...salted }, speculationRules: true });
  const app = express();
  app.use('/shop', prefetch);
  app.get('/{*path}', (_, res) => void res.send('<p>'));
  await using shop = await serve(app, prefetch);
  await shop.teach('/shop/a', '/shop/b');
  const { link, headers } = await shop.visit('/shop/a');
  const field = headers['speculation-rules'];
  expect(link).toBe('</shop/b>; rel=prefetch; probability=1');
  expect(field).toBe('"/shop/speculation-rules.json?url=%2Fshop%2Fa"');
  const { body } = await shop.visit(JSON.parse(String(field)));
  expect(rulesOf(body)).toEqual(['https://a.example/shop/b']);
});

it('off, the path is the site’s', async () => {
  await using shop = await site({ speculationRules: false });
  await shop.teach('/a', '/b');
  expect((await shop.visit('/a')).headers['speculation-rules']).toBeUndefined();
  expect((await shop.visit('/speculation-rules.json?url=%2Fa')).body).toBe('<p>page');
});

it('the script is answered where it was asked to be, and names the rules', async () => {
  const prefetch = hints({ prefetchd: { load: () => 0, ...salted }, speculationRules: '/next.js' });
  const app = express();
  app.use('/shop', prefetch);
  app.get('/{*path}', (_, res) => void res.send('<p>'));
  await using shop = await serve(app, prefetch);
  for (const query of ['', '?v=1']) {
    const script = await shop.visit(`/shop/next.js${query}`);
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'max-age=3600',
    });
    expect(script.body).toBe(prefetchScriptOf('./speculation-rules.json'));
  }
  expect((await shop.visit('/shop/next.js', { method: 'HEAD' })).body).toBe('');
  for (const path of ['/next.js', '/shop/next.json', '/shop/next.js/x']) {
    expect((await shop.visit(path)).body).toBe('<p>');
  }
  expect((await shop.visit('/shop/next.js', { method: 'POST' })).status).toBe(404);
});

it('without being asked for, no script is answered', async () => {
  await using shop = await site({ speculationRules: true });
  expect((await shop.visit('/prefetch.js')).body).toBe('<p>page');
});

it('a page with nothing above p has rules for the pointer, and no other hints', async () => {
  await using shop = await site({ threshold: 0.9 });
  await shop.teach('/a', '/b');
  // Others leave at once, so that p of /b falls.
  for (let visitor = 1; visitor < 4; visitor++) await shop.visit('/a', { visitor });
  const { headers, link } = await shop.visit('/a', { visitor: 9 });
  expect(link).toBeUndefined();
  expect(headers['speculation-rules']).toBe('"/speculation-rules.json?url=%2Fa"');
  const { body } = await shop.visit('/speculation-rules.json?url=%2Fa', { visitor: 9 });
  expect(JSON.parse(body).prefetch).toMatchObject([{ urls: ['/b'], eagerness: 'moderate' }]);
});

it('a page names objects by Link, and pages for rules alone by rules', async () => {
  const prefetchd = calm();
  await using shop = await site({ prefetchd });
  const learned = () => {
    const { document, object } = prefetchd.stats().learned;
    return document + object;
  };
  const open = async (visitor: number, path: string, headers = {}) => {
    const before = learned();
    await shop.visit(path, { visitor, headers });
    await eventually(() => learned() > before);
  };
  const referer = `http://127.0.0.1:${shop.port}/a`;
  const style = { 'sec-fetch-dest': 'style', referer };
  // So many that the view of visitor 7 is none of each eighth that go without preloads (engine/own-objects.ts).
  for (let visitor = 101; visitor < 118; visitor++) {
    await open(visitor, '/a');
    await open(visitor, '/a.css', style);
    // Below p, above what rules name.
    if (visitor < 104) await open(visitor, '/b', { referer });
  }
  const page = await shop.visit('/a', { visitor: 7 });
  expect(page.headers['speculation-rules']).toBe('"/speculation-rules.json?url=%2Fa"');
  expect(page.link).toMatch(/^<\/a\.css>; rel=preload; as=style[^<]*$/);
});
