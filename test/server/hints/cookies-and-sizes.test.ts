// Of a response that varies by Cookie nothing is learned from who sends one; sizes are those that travel.

import { gzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';
import { expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { calm, judged, site, type Visit } from './set-up.ts';

async function shop(answer: RequestHandler, options = {}) {
  const prefetchd = calm();
  const served = await site({ prefetchd, ...options }, (app) => void app.use(answer));
  const ask = served.visit;
  const visit = async (path: string, visitor: number, headers: Visit['headers'] = {}) => {
    const before = judged(prefetchd);
    await ask(path, { visitor, headers });
    await eventually(() => judged(prefetchd) > before, 'the visit is judged');
  };
  return Object.assign(served, { prefetchd, visit });
}

it.each(['Cookie', 'Accept-Encoding, Cookie', 'cookie,Origin'])('Vary: %s', async (vary) => {
  await using site = await shop((_, res, next) => {
    res.set('Vary', vary);
    next();
  });
  await site.visit('/a', 1, { cookie: 'session=1' });
  expect(site.prefetchd.stats()).toMatchObject({
    learned: { document: 0 },
    notLearned: { vary: 1 },
  });
  await site.visit('/a', 2);
  expect(site.prefetchd.stats().learned.document).toBe(1);
});

const large: RequestHandler = (_, res) => {
  res.type('html').send(`<!doctype html><html>${'text '.repeat(24_000)}`);
};

async function walk(site: Awaited<ReturnType<typeof shop>>, headers: Visit['headers'] = {}) {
  for (const visitor of [1, 2, 3, 4]) {
    const from = { ...headers, 'x-forwarded-for': `192.0.2.${visitor}` };
    for (const path of ['/a', '/b']) await site.visit(path, visitor, from);
  }
  return site.prefetchd.hints({ url: '/a' }).map(({ url }) => url);
}

const gzips = { 'accept-encoding': 'gzip, deflate, br' };

it('a large page that a trusted proxy in front may compress is hinted', async () => {
  await using site = await shop(large, { trustProxy: 'loopback' });
  expect(await walk(site, gzips)).toEqual(['/b']);
});

it('but not one that travels as it is', async () => {
  await using bare = await shop(large);
  expect(await walk(bare, gzips)).toEqual([]);
  await using behind = await shop(large, { trustProxy: 'loopback' });
  expect(await walk(behind)).toEqual([]);
  expect(behind.prefetchd.leftOut()[0]).toMatchObject({ reason: 'too large' });
});

it('of one that the site compresses the size is known', async () => {
  const body = gzipSync(`<!doctype html><html>${'text '.repeat(24_000)}`);
  await using site = await shop(
    (_, res) => void res.type('html').set('Content-Encoding', 'gzip').send(body),
    { trustProxy: 'loopback' },
  );
  expect(await walk(site, gzips)).toEqual(['/b']);
});
