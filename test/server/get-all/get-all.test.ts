// Get-All between our client and our server: one request for a page, in each kind of app and protocol.

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createHttpCache,
  createMemoryStore,
  type LoaderOptions,
  loadPage,
} from '../../../loader/index.ts';
import { withConstants } from '../../../options/options.ts';
import { createPrefetchd } from '../../../prefetchd/index.ts';
import { createOrigin, createProxy, getAll, hints } from '../../../server/index.ts';
import { makeSite } from '../site.ts';

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

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

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
      const middleware = getAll({ handler });
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

  it('what the client holds is not sent again', async () => {
    const url = await listen(express().use(getAll()).use(app()));
    const cache = createHttpCache(createMemoryStore());
    const first = await load(url, { cache });
    const again = await load(url, { cache });
    expect(paths(again.resources.map((each) => ({ ...each, status: 200 })))).toEqual(all);
    expect(again.totals.requests).toBe(1);
    expect(again.totals.notModified).toBe(5);
    expect(again.totals.transferBytes).toBeLessThan(first.totals.transferBytes);
  });

  it('render-blocking parts come first; what a style sheet names, too', async () => {
    const url = await listen(express().use(getAll()).use(app()));
    const response = await fetch(url, { headers: { 'Get-All': '?1' } });
    const text = await response.text();
    expect(response.headers.get('content-type')).toMatch(/^multipart\/mixed; boundary="\w{20}"$/);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(response.headers.get('vary')).toBe('Get-All');
    expect(response.headers.get('set-cookie')).toContain('page=1');
    const named = [...text.matchAll(/^Content-Location: (.*)\r$/gm)].map(([, path]) => path);
    expect(named).toEqual(['/', '/s.css', '/a.js', '/1.gif', '/2.gif?x=1', '/3.gif']);
  });

  it('is read once while its ETag stays', async () => {
    const middleware = getAll();
    const url = await listen(express().use(middleware).use(app()));
    for (let i = 0; i < 3; i++) expect((await load(url)).totals.requests).toBe(1);
    expect(middleware.stats()).toMatchObject({ pages: 3, parts: 15, read: 1, cutOff: 0 });
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

describe('who does not ask', () => {
  it.each<[string, RequestInit]>([
    ['no field', {}],
    ['?0', { headers: { 'Get-All': '?0' } }],
    ['garbage', { headers: { 'Get-All': '\u00ff"' } }],
    ['too long a field', { headers: { 'Get-All': `?1;held=:${'A'.repeat(8000)}:` } }],
    ['HEAD', { method: 'HEAD', headers: { 'Get-All': '?1' } }],
    ['POST', { method: 'POST', body: 'x', headers: { 'Get-All': '?1' } }],
    ['a range', { headers: { 'Get-All': '?1', Range: 'bytes=0-1' } }],
  ])('%s: gets the page as ever', async (_, request) => {
    const site = app().post('/', (_req, res) => void res.type('html').send('posted'));
    const url = await listen(express().use(getAll()).use(site));
    const response = await fetch(url, request);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    if (request.method !== 'POST') expect(response.headers.get('get-all')).toBe('?1');
  });

  it.each(['pipelined', 'h2'] as const)('an origin says that it can, over %s', async (protocol) => {
    await using site = await makeSite({ 'index.html': '<p>page' });
    const warned = once(process, 'warning');
    await using origin = createOrigin(site.folder, { handlers: [getAll()] });
    const { url } = await origin.listen();
    const { resources } = await load(url, { protocol, getAll: false });
    const fields = resources[0]?.responseHeaders.map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]);
    expect(fields).toContainEqual(['get-all', '?1']);
    const none = new Promise((resolve) => setImmediate(resolve, 'none'));
    expect(await Promise.race([warned, none])).toBe('none');
  });

  it.each([
    ['a redirect', 302, 'text/html'],
    ['an error', 404, 'text/html'],
    ['another type', 200, 'text/plain'],
  ])('%s is passed on', async (_, status, type) => {
    const site = express().get('/', (_req, res) => {
      res.status(status).set('Location', '/x').type(type).send(page);
    });
    const url = await listen(express().use(getAll()).use(site));
    const response = await fetch(url, { headers: { 'Get-All': '?1' }, redirect: 'manual' });
    expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([
      status,
      type,
    ]);
    expect(await response.text()).toBe(page);
  });
});

describe('parts', () => {
  const images = (count: number) =>
    Array.from({ length: count }, (_, at) => `<img src=/i/${at}>`).join('');

  async function get(site: express.Express, options = {}, init: RequestInit = {}) {
    const middleware = getAll(options);
    const url = await listen(express().use(middleware).use(site));
    const headers = { 'Get-All': '?1', ...init.headers };
    const response = await fetch(url, { ...init, headers });
    const text = await response.text();
    const named = [...text.matchAll(/^Content-Location: (.*)\r$/gm)].map(([, path]) => path);
    return { named, text, stats: middleware.stats() };
  }

  it('are what the client would get alone: a login, with and without its cookie', async () => {
    const site = express()
      .get('/', (_, res) => void res.type('html').send('<img src=/open><img src=/mine>'))
      .get('/open', (_, res) => void res.type('gif').send(gif(1)))
      .get('/mine', ({ headers }, res) => {
        if (headers.cookie !== 'who=me') res.status(401).send('who are you?');
        else res.type('gif').send(gif(2));
      });
    expect((await get(site)).named).toEqual(['/', '/open']);
    const { named } = await get(site, {}, { headers: { Cookie: 'who=me' } });
    expect(named).toEqual(['/', '/open', '/mine']);
  });

  it('are never of elsewhere, the page itself, a cookie or what is not there', async () => {
    const html =
      '<img src=/><img src=//other.test/x><img src=/../../etc/passwd><img src=/cookie><img src=/ok><iframe src=/></iframe>';
    const site = express()
      .get('/', (_, res) => void res.type('html').send(html))
      .get('/cookie', (_, res) => void res.cookie('a', 'b').type('gif').send(gif(1)))
      .get('/ok', (_, res) => void res.type('gif').send(gif(1)));
    expect((await get(site)).named).toEqual(['/', '/ok']);
  });

  it('are at most so many, and so large together', async () => {
    const site = express()
      .get('/', (_, res) => void res.type('html').send(images(10_000)))
      .get('/i/:n', (_, res) => void res.type('gif').send(gif(1)));
    expect((await get(site)).named.length).toBe(101);
    expect((await get(site, withConstants({ maxParts: 7 }))).named.length).toBe(8);
    expect((await get(site, withConstants({ maxBytes: gif(1).length * 3 }))).named.length).toBe(4);
  });

  it('that never come are left out', async () => {
    const site = express()
      .get('/', (_, res) => void res.type('html').send('<img src=/never><img src=/ok>'))
      .get('/never', () => {})
      .get('/ok', (_, res) => void res.type('gif').send(gif(1)));
    const { named } = await get(site, {
      ...withConstants({ timeoutMs: 50 }),
      resources: () => ['/ok', '/never'],
    });
    expect(named).toEqual(['/', '/ok']);
  });

  it.each([
    ['shorter', 5000],
    ['longer', 20],
  ])('%s than they say are left out', async (_, length) => {
    const site = express()
      .get('/', (_req, res) => void res.type('html').send('<img src=/lies><img src=/ok>'))
      .get('/lies', (_req, res) => {
        res.socket?.on('error', () => {});
        res.writeHead(200, { 'Content-Type': 'image/gif', 'Content-Length': length });
        res.write(gif(1));
        res.end();
      })
      .get('/ok', (_req, res) => void res.type('gif').send(gif(1)));
    expect((await get(site)).named).toEqual(['/', '/ok']);
  });

  it('that die in the middle end the response, and the loader asks for the rest', async () => {
    let asked = 0;
    const big = Buffer.alloc(300_000, 1);
    const site = express()
      .get('/', (_, res) => void res.type('html').send('<img src=/big><img src=/ok>'))
      .get('/big', (_, res) => {
        res.writeHead(200, { 'Content-Type': 'image/gif', 'Content-Length': big.length });
        if (asked++ > 0) res.end(big);
        else res.write(big.subarray(0, 200_000), () => res.destroy());
      })
      .get('/ok', (_, res) => void res.type('gif').send(gif(1)));
    const middleware = getAll();
    const loaded = await load(await listen(express().use(middleware).use(site)));
    expect(paths(loaded.resources)).toEqual(['200 /', '200 /big', '200 /ok']);
    expect(loaded.resources.map(({ bodyBytes }) => bodyBytes)).toContain(big.length);
    expect(middleware.stats().cutOff).toBe(1);
  });

  it('are no accesses of the client, and carry no hints', async () => {
    const prefetchd = createPrefetchd({ load: () => 0 });
    onTestFinished(() => prefetchd.close());
    const middleware = hints({ prefetchd });
    const site = express()
      .get('/', (_, res) => void res.type('html').send(page))
      .use(app());
    const url = await listen(express().use(getAll()).use(middleware).use(site));
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0';
    const { totals } = await load(url, { userAgent });
    expect(totals.requests).toBe(1);
    expect(prefetchd.stats().learned).toMatchObject({ document: 1, object: 0 });
  });

  it('stop when the client is gone', async () => {
    let isClosed: (value: unknown) => void = () => {};
    const closed = new Promise((resolve) => {
      isClosed = resolve;
    });
    const site = express()
      .get('/', (_, res) => void res.type('html').send('<img src=/endless>'))
      .get('/endless', (_, res) => {
        res.on('close', isClosed);
        res.writeHead(200, { 'Content-Type': 'image/gif', 'Content-Length': 5_000_000 });
        const more = () => {
          while (!res.destroyed && res.write(Buffer.alloc(65_536)));
        };
        res.on('drain', more);
        more();
      });
    const url = await listen(express().use(getAll()).use(site));
    const stop = new AbortController();
    const response = await fetch(url, { headers: { 'Get-All': '?1' }, signal: stop.signal });
    await response.body?.getReader().read();
    stop.abort();
    await closed;
  });
});

it('without Express and without handler there is nothing to ask: a warning, and pages alone', async () => {
  const warned = once(process, 'warning');
  const middleware = getAll();
  const url = await listen((req, res) => {
    middleware(req, res, () => res.setHeader('Content-Type', 'text/html').end('<p>page'));
  });
  for (const headers of [{}, { 'Get-All': '?1' }] as Record<string, string>[]) {
    const response = await fetch(url, { headers });
    expect([response.headers.get('get-all'), await response.text()]).toEqual([null, '<p>page']);
  }
  const [{ message, code }] = await warned;
  expect([message, code]).toEqual([
    expect.stringContaining('getAll({ handler })'),
    'LOADAHEAD_GET_ALL',
  ]);
});
