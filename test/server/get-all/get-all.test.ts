// Get-All between our client and our server: one request for a page, in each kind of app and protocol.

import type { RequestListener } from 'node:http';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createHttpCache,
  createMemoryStore,
  type LoaderOptions,
  loadPage,
} from '../../../loader/index.ts';
import { createOrigin, createProxy, getAll } from '../../../server/index.ts';
import { makeSite } from '../site.ts';
import { listen as listenAt } from './set-up.ts';

const page = [
  '<!doctype html><link rel=stylesheet href=/s.css><script src=/a.js></script>',
  '<p><img src=/1.gif width=1 height=1><img src="/2.gif?x=1"><img src=/1.gif>',
].join('');
const gif = (byte: number) =>
  Buffer.concat([Buffer.from('GIF89a\x01\0\x01\0'), Buffer.alloc(200, byte)]);

/** An app that nobody made for Get-All. */
function app(): express.Express {
  const site = express().disable('x-powered-by');
  site.get('/', (_, res) => void res.set('Set-Cookie', 'page=1').type('html').send(page));
  site.get('/s.css', (_, res) => void res.type('css').send('p{background:url(/3.gif)}'));
  site.get('/a.js', (_, res) => void res.type('js').send('1'));
  for (const name of ['1', '2', '3']) {
    site.get(`/${name}.gif`, (_, res) => void res.type('gif').send(gif(Number(name))));
  }
  return site;
}

const listen = async (handler: RequestListener) => `http://127.0.0.1:${await listenAt(handler)}/`;

const load = (url: string, options: LoaderOptions = {}) =>
  loadPage(url, { getAll: true, ...options });

const paths = (resources: readonly { url: string; status: number | null }[]) =>
  resources.map(({ url, status }) => `${status} ${new URL(url).pathname}`).sort();

const all = ['200 /', '200 /1.gif', '200 /2.gif', '200 /3.gif', '200 /a.js', '200 /s.css'];

describe('a page in one request', () => {
  const kinds: Record<string, () => Promise<string>> = {
    Express: () => listen(express().use(getAll()).use(app())),
    'an app inside another': () => listen(express().use(express().use(getAll()), app())),
    'node:http': () => {
      const handler = app();
      const middleware = getAll();
      return listen((req, res) => middleware(req, res, () => handler(req, res)));
    },
  };
  it.each(Object.entries(kinds))('%s', async (_, start) => {
    const loaded = await load(await start());
    expect(loaded.totals).toMatchObject({ requests: 1, connections: 1, errors: 0 });
    expect(paths(loaded.resources)).toEqual(all);
    const alone = await loadPage(loaded.url, { getAll: false });
    const bytes = (of: typeof loaded) =>
      of.resources.map(({ url, bodyBytes }) => `${url} ${bodyBytes}`).sort();
    expect(bytes(loaded)).toEqual(bytes(alone));
    expect(alone.totals.requests).toBe(6);
  });

  it.each(['pipelined', 'h2'] as const)('createOrigin, %s', async (protocol) => {
    await using site = await makeSite({
      ...{ 'index.html': page, 's.css': 'p{background:url(/3.gif)}', 'a.js': '1' },
      ...{ '1.gif': gif(1), '2.gif': gif(2), '3.gif': gif(3) },
    });
    const origin = createOrigin(site.folder, { handlers: [getAll()], maxAgeSeconds: 0 });
    onTestFinished(() => origin.close());
    const { url } = await origin.listen();
    const cache = createHttpCache(createMemoryStore());
    const first = await load(url, { protocol, cache });
    expect(first.totals).toMatchObject({ requests: 1, errors: 0 });
    expect(paths(first.resources)).toEqual(all);
    const again = await load(url, { protocol, cache });
    expect(again.resources.filter(({ error }) => error !== null)).toEqual([]);
    expect(again.totals).toMatchObject({ requests: 1, notModified: 5 });
    expect(origin.stats().requests).toBe(2);
  });
});

it('ends at a proxy, which learns from single requests', async () => {
  const site = express().use(getAll()).use(app());
  await using proxy = createProxy({ upstream: await listen(site) });
  const { url } = await proxy.listen();
  const loaded = await load(url);
  expect(loaded.totals).toMatchObject({ requests: 6, errors: 0 });
  expect(paths(loaded.resources)).toEqual(all);
  expect((await fetch(url)).headers.get('get-all')).toBeNull();
});

it.each(['pipelined', 'h2'] as const)('an origin says that it can, over %s', async (protocol) => {
  await using site = await makeSite({ 'index.html': '<p>page' });
  await using origin = createOrigin(site.folder, { handlers: [getAll()] });
  const { url } = await origin.listen();
  const { resources } = await load(url, { protocol, getAll: false });
  const fields = resources[0]?.responseHeaders.map(([name, value]) => [name.toLowerCase(), value]);
  expect(fields).toContainEqual(['get-all', '?1']);
});
