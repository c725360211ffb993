// A loader that offers stored responses as dictionaries (RFC 9842): which one and when, what it takes for an answer,
// and that it asks again without where the answer is of no use.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { constants, zstdCompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hashOf, writeDczHead } from '../../../http/compression-dictionary.ts';
import {
  createHttpCache,
  createLoader,
  createMemoryStore,
  type LoaderOptions,
  type MemoryStoreOptions,
} from '../../../loader/index.ts';
import { withConstants } from '../../../options/options.ts';
import { createOrigin, dictionaries } from '../../../server/index.ts';
import { pageOf } from '../../server/dictionaries/pages.ts';
import { listening } from '../../server/listening.ts';
import { makeSite } from '../../server/site.ts';
import { memoryCache } from '../../support/memory-cache.ts';

const one = Buffer.from(pageOf('/a/1'));
const two = Buffer.from(pageOf('/a/2'));

interface Answer {
  headers?: Record<string, string>;
  body: Buffer | string;
}

/** Says what it was asked, and answers by path; pages are dictionaries of their folder. */
async function siteOf(answers: Record<string, (asked: IncomingHttpHeaders) => Answer>) {
  const asked: [path: string, headers: IncomingHttpHeaders][] = [];
  const answer = (path: string, headers: IncomingHttpHeaders, res: ServerResponse) => {
    asked.push([path, headers]);
    const { headers: own = {}, body } = answers[path]?.(headers) ?? { body: 'none' };
    res.writeHead(200, {
      'Content-Type': 'text/html',
      'Cache-Control': 'max-age=60',
      Vary: 'Accept-Encoding, Available-Dictionary',
      'Use-As-Dictionary': 'match="/a/*"',
      ...own,
    });
    if (own['Content-Length'] === undefined) res.end(body);
    else res.write(body);
  };
  const server = createServer((req, res) => answer(req.url ?? '', req.headers, res));
  const port = await listening(server);
  const offers = () => asked.map(([path, { 'available-dictionary': hash }]) => [path, hash]);
  return { url: `http://127.0.0.1:${port}`, asked, offers };
}

function loaderOf(options: LoaderOptions = {}, store: MemoryStoreOptions = {}) {
  const cache = createHttpCache(createMemoryStore(store));
  const loader = createLoader({ cache, ...options });
  onTestFinished(() => loader.destroy());
  const load = async (url: string) => {
    const { resources, totals } = await loader.load(url);
    return { row: resources[0], totals };
  };
  return { loader, cache, load };
}

function dczOf(body: Buffer, dictionary: Buffer, windowLog = 17): Buffer {
  const params = { [constants.ZSTD_c_windowLog]: windowLog };
  return Buffer.concat([
    writeDczHead(hashOf(dictionary)),
    zstdCompressSync(body, { dictionary, params }),
  ]);
}

const coded = (body: Buffer): Answer => ({ headers: { 'Content-Encoding': 'dcz' }, body });
const offer = `:${hashOf(one)}:`;
const page = (body: Buffer) => () => ({ body });

describe('a stored page', () => {
  it.each(['auto', 'h2', 'http1.0', 'persistent', 'pipelined'] as const)(
    'is the dictionary of the next, over %s; the decoded page is stored',
    async (protocol) => {
      await using files = await makeSite({ 'a/1.html': one, 'a/2.html': two });
      const shelf = dictionaries();
      await using origin = createOrigin(files.folder, { handlers: [shelf], maxAgeSeconds: 60 });
      const { url } = await origin.listen();
      const { load } = loaderOf({ protocol });
      await load(`${url}/a/1.html`);
      const { row, totals } = await load(`${url}/a/2.html`);
      expect(row).toMatchObject({ status: 200, error: null, bodyBytes: two.length });
      expect(row?.encodedBytes).toBeLessThan(200);
      expect(row?.transferBytes).toBeLessThan(1000);
      expect(
        row?.responseHeaders.map(([name, value]) => `${name}: ${value}`.toLowerCase()),
      ).toContain('content-encoding: dcz');
      expect(row?.requestHeaders).toContainEqual(['available-dictionary', offer]);
      expect(totals.errors).toBe(0);
      const again = await load(`${url}/a/2.html`);
      expect(again.row).toMatchObject({ fromCache: true, attempts: 0, bodyBytes: two.length });
      expect(shelf.stats().coded).toBe(1);
    },
  );

  it('is offered once it is stored, in the same words for every answer', async () => {
    const site = await siteOf({
      '/a/1': page(one),
      '/a/2': () => coded(dczOf(two, one)),
      '/b': page(two),
    });
    const { load } = loaderOf();
    await load(`${site.url}/a/1`);
    expect((await load(`${site.url}/a/2`)).row).toMatchObject({
      error: null,
      bodyBytes: two.length,
    });
    await load(`${site.url}/b`);
    expect(site.offers()).toEqual([
      ['/a/1', undefined],
      ['/a/2', offer],
      ['/b', undefined],
    ]);
    expect(site.asked[1]?.[1]['accept-encoding']).toMatch(/zstd.*, dcz$/);
    expect(site.asked[2]?.[1]['accept-encoding']).not.toContain('dcz');
  });

  it.each<[string, Record<string, string>]>([
    ['that may not be stored', { 'Cache-Control': 'no-store' }],
    ['that is stale', { 'Cache-Control': 'max-age=0' }],
    ['for another origin', { 'Use-As-Dictionary': 'match="https://other.test/a/*"' }],
    ['with a regular expression', { 'Use-As-Dictionary': 'match="/a/([0-9])"' }],
    ['for scripts', { 'Use-As-Dictionary': 'match="/a/*", match-dest=("script")' }],
    ['of another type', { 'Use-As-Dictionary': 'match="/a/*", type=other' }],
    ['that is not well-formed', { 'Use-As-Dictionary': 'match="/a/' }],
    ['that varies by everything', { Vary: '*' }],
  ])('%s is not offered', async (_, headers) => {
    const site = await siteOf({ '/a/1': () => ({ headers, body: one }), '/a/2': page(two) });
    const { load } = loaderOf();
    await load(`${site.url}/a/1`);
    await load(`${site.url}/a/2`);
    expect(site.offers().at(-1)).toEqual(['/a/2', undefined]);
  });

  it('is offered by the next process, too, but not what is for one visitor', async () => {
    const personal = { 'Cache-Control': 'private, max-age=60', Vary: 'Accept-Encoding' };
    const site = await siteOf({
      '/a/1': page(one),
      '/a/2': () => coded(dczOf(two, one)),
      '/b/1': () => ({
        headers: { ...personal, 'Use-As-Dictionary': 'match="/b/*"' },
        body: one,
      }),
      '/b/2': page(two),
    });
    const store = createMemoryStore();
    for (const paths of [
      ['/a/1', '/b/1'],
      ['/a/2', '/b/2'],
    ]) {
      // As of a file: a cache that knows nothing but what is stored.
      const loader = createLoader({ cache: createHttpCache(store) });
      for (const path of paths) {
        const { resources } = await loader.load(site.url + path);
        expect(resources[0]).toMatchObject({ error: null });
      }
      await loader.close();
    }
    expect(site.offers()).toEqual([
      ['/a/1', undefined],
      ['/b/1', undefined],
      ['/a/2', offer],
      ['/b/2', undefined],
    ]);
  });

  it('of a user, or for a cookie, is recalled for them alone', async () => {
    const site = await siteOf({
      '/a/1': () => ({ headers: { Vary: 'Authorization, Cookie' }, body: one }),
      '/a/2': () => ({ headers: { 'Cache-Control': 'no-store' }, body: two }),
    });
    const store = createMemoryStore();
    const load = async (path: string, extraHeaders: Record<string, string>) => {
      await using loader = createLoader({ cache: createHttpCache(store), extraHeaders });
      await loader.load(site.url + path);
    };
    const jane = { authorization: 'Basic amFuZTo=' };
    await load('/a/1', jane);
    await load('/a/2', {});
    await load('/a/2', { ...jane, cookie: 'a=b' });
    await load('/a/2', jane);
    expect(site.offers().map(([, hash]) => hash)).toEqual([
      ...[undefined, undefined, undefined, offer],
    ]);
  });

  it('that was evicted, or that is huge, is not offered', async () => {
    const huge = Buffer.concat([one, Buffer.alloc(5 * 1024 * 1024, 'a')]);
    const site = await siteOf({
      '/a/1': page(one),
      '/a/2': page(two),
      '/a/huge': page(huge),
      '/b': () => ({ headers: { 'Use-As-Dictionary': '' }, body: two }),
    });
    const small = loaderOf({}, withConstants({ maxEntries: 1 }));
    await small.load(`${site.url}/a/1`);
    await small.load(`${site.url}/b`);
    await small.load(`${site.url}/a/2`);
    const large = loaderOf();
    await large.load(`${site.url}/a/huge`);
    await large.load(`${site.url}/a/2`);
    expect(site.offers().filter(([path]) => path === '/a/2')).toEqual([
      ['/a/2', undefined],
      ['/a/2', undefined],
    ]);
  });

  it('is not offered by request, without a cache, or to someone with other credentials', async () => {
    const site = await siteOf({ '/a/1': page(one), '/a/2': page(two) });
    const off = loaderOf({ dictionaries: false });
    for (const path of ['/a/1', '/a/2']) await off.load(site.url + path);
    const none = loaderOf({ cache: null });
    for (const path of ['/a/1', '/a/2']) await none.load(site.url + path);
    const cache = memoryCache();
    await loaderOf({ cache, extraHeaders: { authorization: 'Bearer 1' } }).load(`${site.url}/a/1`);
    await loaderOf({ cache, extraHeaders: { authorization: 'Bearer 2' } }).load(`${site.url}/a/2`);
    expect(site.offers().every(([, hash]) => hash === undefined)).toBe(true);
  });

  it('is not offered over plain http to another machine', async () => {
    const { dictionariesOf } = await import('../../../loader/dictionaries/known-dictionaries.ts');
    const known = dictionariesOf(memoryCache());
    const request = { method: 'GET', url: 'http://a.test/1', headers: [] };
    known.learn([{ request, status: 200, headers: [['use-as-dictionary', 'match="/*"']] }]);
    expect(
      known.offer({ ...request, headers: [['accept-encoding', 'gzip']] }, 'document'),
    ).toBeNull();
  });

  it('gives way to one with the longer pattern, then to the newer one; its id comes back', async () => {
    const use = (value: string, body: Buffer) => () => ({
      headers: { 'Use-As-Dictionary': value },
      body,
    });
    const site = await siteOf({
      '/1': use('match="/*", id="far"', one),
      '/2': use('match="/a/*", id="old"', Buffer.from(pageOf('old'))),
      '/3': use('match="/a/*", id="a \\"new\\" one"', two),
    });
    const { load } = loaderOf();
    for (const path of ['/2', '/3', '/1', '/a/4']) await load(site.url + path);
    const [, last] = site.asked.at(-1) ?? [];
    expect(last?.['available-dictionary']).toBe(`:${hashOf(two)}:`);
    expect(last?.['dictionary-id']).toBe('"a \\"new\\" one"');
  });

  it('that was prefetched is the dictionary of the next, and comes as a difference itself', async () => {
    const three = Buffer.from(pageOf('/a/3'));
    const by = (body: Buffer, dictionary: Buffer) => (asked: IncomingHttpHeaders) =>
      asked['available-dictionary'] === `:${hashOf(dictionary)}:`
        ? coded(dczOf(body, dictionary))
        : { body };
    const site = await siteOf({
      '/a/1': () => ({ headers: { Link: '</a/2>; rel=prefetch; as=document' }, body: one }),
      '/a/2': by(two, one),
      '/a/3': by(three, two),
    });
    const { loader, load } = loaderOf({ prefetch: {}, ...withConstants({ prefetchMaxLoad: 1 }) });
    await load(`${site.url}/a/1`);
    await loader.idle();
    expect(loader.stats().prefetch).toMatchObject({ kept: 1 });
    expect(loader.stats().prefetch.bytes).toBeLessThan(300);
    const second = await load(`${site.url}/a/2`);
    expect(second.row).toMatchObject({ fromCache: true, prefetched: true, bodyBytes: two.length });
    const third = await load(`${site.url}/a/3`);
    expect(third.row).toMatchObject({ error: null, bodyBytes: three.length });
    expect(site.offers().at(-1)).toEqual(['/a/3', `:${hashOf(two)}:`]);
  });
});

describe('an answer that is of no use is asked for again without an offer', () => {
  it.each<[string, (good: Buffer) => Buffer]>([
    ['names another dictionary', () => dczOf(two, Buffer.from(pageOf('other')))],
    ['has no head', (good) => good.subarray(40)],
    ['ends in its head', (good) => good.subarray(0, 39)],
    ['is empty', () => Buffer.alloc(0)],
    ['is cut off', (good) => good.subarray(0, good.length - 8)],
    [
      'was made with other bytes',
      () => {
        const other = Buffer.from(pageOf('other words of the same length'));
        return Buffer.concat([writeDczHead(hashOf(one)), dczOf(two, other).subarray(40)]);
      },
    ],
    ['is noise', (good) => Buffer.concat([good.subarray(0, 40), Buffer.alloc(500, 7)])],
    ['has a window above 8 MB', () => dczOf(Buffer.alloc(32 * 1024 * 1024, 'ab'), one, 25)],
  ])('if it %s', async (_, change) => {
    const answer = change(dczOf(two, one));
    const site = await siteOf({
      '/a/1': page(one),
      '/a/2': (asked) => (asked['available-dictionary'] ? coded(answer) : { body: two }),
      '/a/3': page(two),
    });
    const { load } = loaderOf();
    await load(`${site.url}/a/1`);
    const { row, totals } = await load(`${site.url}/a/2`);
    expect(row).toMatchObject({ status: 200, error: null, bodyBytes: two.length, attempts: 2 });
    expect(row?.lostAttempts).toHaveLength(1);
    expect(totals).toMatchObject({ errors: 0, bodyBytes: two.length });
    // Neither is it offered again.
    expect(site.offers().slice(1)).toEqual([
      ['/a/2', offer],
      ['/a/2', undefined],
    ]);
    expect((await load(`${site.url}/a/2`)).row).toMatchObject({ fromCache: true, error: null });
  });

  it('beside the resources of the page, which are not disturbed', async () => {
    const images = Array.from({ length: 10 }, (_, i) => `<img src="/i/${i}.png">`).join('');
    const html = Buffer.from(pageOf('/a/2') + images);
    const site = await siteOf({
      '/a/1': page(one),
      '/a/2': (asked) =>
        asked['available-dictionary'] ? coded(dczOf(html, one).subarray(0, 300)) : { body: html },
    });
    const { loader } = loaderOf({ protocol: 'pipelined' });
    await loader.load(`${site.url}/a/1`);
    const { resources, totals } = await loader.load(`${site.url}/a/2`);
    expect(totals.errors).toBe(0);
    expect(resources).toHaveLength(11);
  });
});

it('a bomb is stopped at the limit of a body', async () => {
  const bomb = dczOf(Buffer.alloc(64 * 1024 * 1024, 'a'), one);
  const site = await siteOf({ '/a/1': page(one), '/a/2': () => coded(bomb) });
  const { load } = loaderOf({ limits: { maxResourceBytes: 1024 * 1024 } });
  await load(`${site.url}/a/1`);
  expect((await load(`${site.url}/a/2`)).row?.error?.code).toBe('body-too-large');
});

it('dcz that nobody offered a dictionary for is an error', async () => {
  const site = await siteOf({ '/b': () => coded(dczOf(two, one)) });
  const { load } = loaderOf();
  expect((await load(`${site.url}/b`)).row?.error?.code).toBe('coding-unsupported');
});

it('a load that is aborted while a difference arrives ends', async () => {
  const half = coded(dczOf(two, one).subarray(0, 60));
  const { promise: coming, resolve } = Promise.withResolvers<void>();
  const site = await siteOf({
    '/a/1': page(one),
    '/a/2': () => {
      resolve();
      return { headers: { ...half.headers, 'Content-Length': '900' }, body: half.body };
    },
  });
  const { loader } = loaderOf();
  await loader.load(`${site.url}/a/1`);
  const controller = new AbortController();
  const loading = loader.load(`${site.url}/a/2`, { signal: controller.signal });
  await coming;
  controller.abort(new Error('enough'));
  await expect(loading).rejects.toThrow('enough');
});
