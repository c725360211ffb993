// What servers, pages and callers do to prefetching at the wrong moment.

import { spawn } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { loadPage } from '../../../loader/index.ts';
import { withConstants } from '../../../options/options.ts';
import { runToEnd } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { imagePage } from '../../support/image-page.ts';
import { memoryCache } from '../../support/memory-cache.ts';
import { response } from '../../support/raw-server.ts';
import { keptCache } from '../page-cache/site.ts';
import {
  type Answer,
  fresh,
  held,
  hinting,
  isPrefetch,
  link,
  prefetches,
  startSite,
  untilAsked,
  untilAskedOf,
  visited,
} from './site.ts';

describe('who gets what', () => {
  test('the caller’s own fields go to the origin that was asked for, not to where it redirects', async () => {
    await using other = await startSite(link('/next'));
    const site = await visited(
      {},
      () => response('', { Location: `${other.origin}/` }, '302 Found'),
      { extraHeaders: { Authorization: 'Basic secret' } },
    );
    expect(prefetches(other)).toEqual(['/next']);
    expect(other.requests.filter(({ headers }) => headers.authorization)).toEqual([]);
    expect(site.stats().kept).toBe(1);
  });

  test('what a redirect hints at is not the document’s', async () => {
    const site = await visited({}, ({ path }, connection) => {
      if (path !== '/') return undefined;
      connection.write('HTTP/1.1 103 Early Hints\r\nLink: </early>; rel=prefetch\r\n\r\n');
      return response('', { Location: '/there', ...link('/late') }, '302 Found');
    });
    expect(site.asked()).toEqual(['/', '/there']);
  });

  test('cookies go along, and none is set by a prefetch', async () => {
    const sets = response('x', { ...fresh, 'Set-Cookie': 'a=2' });
    const home = { ...link('/sets', '/next'), 'Set-Cookie': 'a=1' };
    const site = await visited(home, { '/sets': sets });
    expect(site.stats()).toMatchObject({ kept: 1, dropped: 1 });
    await site.load('/sets');
    await site.load('/after');
    const cookies = site.server.requests.map(({ path, headers }) => [path, headers.cookie]);
    expect(cookies.slice(1)).toEqual([
      ['/sets', 'a=1'],
      ['/next', 'a=1'],
      ['/sets', 'a=1'],
      ['/after', 'a=2'],
    ]);
  });

  test('a prefetch without the fields that the page sends is not the page’s', async () => {
    await using other = await startSite(link('/next'), (request) =>
      request.path === '/next' && isPrefetch(request) ? null : undefined,
    );
    const site = await hinting(
      {},
      () => response('', { Location: `${other.origin}/` }, '302 Found'),
      { extraHeaders: { Authorization: 'Basic secret' } },
    );
    await site.load('/');
    await untilAskedOf(other, '/next');
    const load = await site.loader.load(`${other.origin}/next`);
    expect(load.resources[0]).toMatchObject({ prefetched: false, status: 200 });
    expect(other.requests.at(-1)?.headers.authorization).toBe('Basic secret');
  });

  test.each([
    ['is not kept', false],
    ['is not what a page takes over', true],
  ])('an answer that depends on Sec-Purpose %s', async (_, takesOver) => {
    const said = (text: string) => response(text, { ...fresh, Vary: 'Accept, Sec-Purpose' });
    const ahead = held('', (connection) => connection.write(said('for prefetches')));
    const site = await untilAsked('/next', link('/next'), (request, connection) => {
      if (request.path !== '/next') return undefined;
      if (!isPrefetch(request)) return said('for pages');
      return takesOver ? ahead.answer(request, connection) : said('for prefetches');
    });
    if (!takesOver) await site.loader.idle();
    const loading = site.load('/next');
    setImmediate(ahead.finish);
    const { resources } = await loading;
    expect(resources[0]).toMatchObject({ prefetched: false, fromCache: false });
    expect(resources[0]?.bodyBytes).toBe('for pages'.length);
    await site.loader.idle();
    expect(site.stats()).toMatchObject({ kept: 0, dropped: 1 });
  });

  test.each([
    ['404 Not Found', {}],
    ['503 Service Unavailable', {}],
    ['301 Moved Permanently', { Location: '/logout' }],
  ])('%s for a prefetch that a page took over is not stored', async (status, fields) => {
    const refused = response('no', { ...fresh, ...fields }, status);
    const ahead = held('', (connection) => connection.write(refused));
    const site = await untilAsked('/next', link('/next'), (request, connection) =>
      request.path === '/next' && isPrefetch(request)
        ? ahead.answer(request, connection)
        : undefined,
    );
    const loading = site.load('/next', { cacheMode: 'force-cache' });
    setImmediate(ahead.finish);
    const { resources } = await loading;
    expect(resources).toMatchObject([{ status: 200, prefetched: false, error: null }]);
    await site.loader.idle();
    const again = await site.load('/next');
    expect(again.resources[0]).toMatchObject({ status: 200, fromCache: true });
    expect(site.asked()).not.toContain('/logout');
    expect(site.stats()).toMatchObject({ kept: 0, used: 0, dropped: 1 });
  });
});

describe('taken over by a page', () => {
  /** /next is the second request of its connection; its first attempt is held, and one more may be answered. */
  async function takeOver(
    first: ReturnType<typeof held>,
    options: { again?: Answer; cacheMode?: 'reload' } = {},
  ) {
    const { again, ...ofPage } = options;
    const attempts = [first.answer, ...(again ? [again] : [])];
    const site = await untilAsked('/next', link('/first', '/next'), (request, connection) =>
      request.path === '/next' ? attempts.shift()?.(request, connection) : undefined,
    );
    const loading = site.load('/next', ofPage);
    setImmediate(first.finish);
    return { ...site, loading };
  }
  const silent = held('', () => {});
  const half = response('<p>ha', { ...fresh, 'Content-Length': '100' });

  test('its connection breaks in the middle: it comes again, and every byte counts once', async () => {
    const site = await takeOver(held(half, (connection) => connection.end('lf')));
    const bytes = '<p>/next'.length;
    const own = { error: null, bodyBytes: bytes, encodedBytes: bytes };
    expect((await site.loading).resources).toMatchObject([own]);
    await site.loader.idle();
    const again = await site.load('/next');
    expect(again.resources[0]).toMatchObject({ fromCache: true, bodyBytes: bytes });
  });

  test('its connection breaks for good: what came late is not counted with what the page asked for', async () => {
    const again: Answer = (_, connection) => {
      connection.end(half);
      return null;
    };
    const site = await takeOver(
      held(half, (connection) => connection.end('lf')),
      { again },
    );
    const bytes = '<p>/next'.length;
    const own = { error: null, bodyBytes: bytes, encodedBytes: bytes, prefetched: false };
    expect((await site.loading).resources).toMatchObject([own]);
  });

  test('whole, while its connection is being watched for more', async () => {
    const site = await hinting(link('/first', '/next'));
    await site.load('/');
    const bytes = '<p>/first<p>/next'.length;
    while (site.stats().bytes < bytes) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const load = await site.load('/next');
    expect(load.resources[0]).toMatchObject({ prefetched: true, error: null });
    expect(site.asked()).toEqual(['/', '/first', '/next']);
  });

  test('what it took is all counted: bytes are no fewer than those used', async () => {
    const site = await takeOver(held(half, (connection) => connection.write('x'.repeat(95))));
    await site.loading;
    await site.loader.idle();
    const { used, usedBytes, bytes } = site.stats();
    expect({ used, usedBytes, bytes }).toEqual({ used: 1, usedBytes: 100, bytes: 109 });
  });

  test('not for a page that wants nothing stored: it asks for itself, once', async () => {
    const site = await takeOver(silent, { cacheMode: 'reload' });
    expect((await site.loading).resources[0]).toMatchObject({ prefetched: false, status: 200 });
    await site.loader.idle();
    expect(site.asked()).toEqual(['/', '/first', '/next', '/next']);
    expect(site.stats()).toMatchObject({ kept: 1, dropped: 1 });
  });

  test('a coded body is decoded once', async () => {
    const html = '<p>a page that says the same again, says the same again';
    const said = response(gzipSync(html), { ...fresh, 'Content-Encoding': 'gzip' });
    const site = await takeOver(
      held(said.subarray(0, -20), (connection) => connection.write(said.subarray(-20))),
    );
    const { resources } = await site.loading;
    expect(resources[0]).toMatchObject({ prefetched: true, bodyBytes: html.length });
  });

  test('a conditional prefetch is not: the page asks with its own condition, and the other ends', async () => {
    const { cache, clock } = keptCache();
    let cut: Promise<void> | undefined;
    const site = await hinting(
      link('/next'),
      (request, connection) => {
        if (request.path !== '/next') return undefined;
        if (request.headers['if-none-match'] === undefined) {
          return response('<p>/next', { ...fresh, ETag: '"1"' });
        }
        if (isPrefetch(request)) cut = connection.closed;
        if (isPrefetch(request)) return null;
        return 'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\nCache-Control: max-age=60\r\n\r\n';
      },
      { cache },
    );
    await site.load('/next');
    clock.now += 3_600_000;
    await site.load('/');
    await eventually(() => site.prefetched().length === 1);
    const load = await site.load('/next');
    expect(load.resources[0]).toMatchObject({ status: 304, fromCache: true, prefetched: false });
    await cut;
    await site.loader.idle();
    expect(site.stats()).toMatchObject({ kept: 0, dropped: 1 });
  });

  test('an image that is asked for in parts comes whole', async () => {
    const gif = imagePage(1).images[0]?.body ?? Buffer.alloc(0);
    const whole = response(gif, { ...fresh, 'Content-Type': 'image/gif' });
    const ahead = held('', (connection) => connection.write(whole));
    const site = await untilAsked(
      '/a.gif',
      link('/page'),
      (request, connection) => {
        if (request.path === '/page') return response('<img src=/a.gif>', fresh);
        return request.path === '/a.gif' ? ahead.answer(request, connection) : undefined;
      },
      {
        prefetch: { subresources: true },
        images: 'sizes-first',
        ...withConstants({ imageFirstBytes: 10 }),
      },
    );
    const loading = site.load('/page');
    setImmediate(ahead.finish);
    const { resources } = await loading;
    expect(resources.map(({ url, prefetched }) => [new URL(url).pathname, prefetched])).toEqual([
      ['/page', true],
      ['/a.gif', true],
    ]);
    expect(resources[1]).toMatchObject({ error: null, encodedBytes: gif.length });
    expect(resources[1]?.width).toBeGreaterThan(0);
    expect(site.asked()).toEqual(['/', '/page', '/a.gif']);
  });

  test('its loader is closed: the page ends, and says why', async () => {
    const site = await takeOver(silent);
    setImmediate(() => site.loader.destroy());
    expect((await site.loading).resources[0]).toMatchObject({ error: { code: 'loader-closed' } });
    await site.loader.idle();
  });
});

describe('answers out of step', () => {
  test('what came in place of it is not stored', async () => {
    const cache = memoryCache();
    const wrong = response('<p>somebody else’s', fresh);
    const site = await visited(
      link('/first', '/next'),
      ({ path, ...request }) => {
        if (path !== '/next' || request.index !== 1) return undefined;
        return Buffer.concat([wrong, response('<p>/next', fresh)]);
      },
      { cache },
    );
    expect(site.stats()).toMatchObject({ requests: 2, kept: 1, dropped: 1 });
    const next = await site.load('/next');
    expect(next.resources[0]).toMatchObject({ prefetched: false, bodyBytes: '<p>/next'.length });
  });

  test('what a server adds a moment later is seen before it is stored', async () => {
    const site = await visited(link('/first', '/next'), ({ path, index }, connection) => {
      if (path !== '/next' || index !== 1) return undefined;
      connection.write(response('<p>somebody else’s', fresh));
      setImmediate(() => connection.write(response('<p>/next', fresh)));
      return null;
    });
    expect(site.stats()).toMatchObject({ kept: 1, dropped: 1 });
  });
});

describe('pages and prefetches at once', () => {
  test.each([
    ['when the last is there', [], ['/after-two', '/after-one']],
    ['though what waits is in the cache already', ['/after-one', '/after-two'], []],
  ])('pages that load at the same time are both prefetched behind, %s', async (_, had, asked) => {
    const page = (url: string) => response('<p>', { ...fresh, ...link(url) });
    const second = held('', (connection) => connection.write(page('/after-two')));
    const site = await hinting({}, (request, connection) => {
      if (request.path === '/one') return page('/after-one');
      return request.path === '/two' ? second.answer(request, connection) : undefined;
    });
    for (const path of had) await site.load(path);
    const two = site.load('/two');
    await site.untilAsked('/two');
    await site.load('/one');
    const idle = site.loader.idle();
    expect(site.prefetched()).toEqual([]);
    second.finish();
    await two;
    await idle;
    expect(site.prefetched()).toEqual(asked);
  });

  test('idle, though a page begins and takes away what waits', async () => {
    const silent = { '/1': null, '/2': null, '/3': null };
    const site = await untilAsked('/1', link('/1', '/2', '/3'), silent);
    const idle = site.loader.idle();
    await site.load('/other');
    await idle;
    expect(site.prefetched()).toEqual(['/1']);
  });

  test('what a page took the line from is asked for again', async () => {
    let held = true;
    const site = await untilAsked('/next', link('/next'), ({ path }) =>
      path === '/next' && held ? null : undefined,
    );
    held = false;
    await site.load('/other');
    await site.load('/');
    await site.loader.idle();
    expect(site.prefetched()).toEqual(['/next', '/next']);
    expect(site.stats()).toMatchObject({ kept: 1, dropped: 1 });
  });

  test('a page that was aborted leaves nothing to prefetch', async () => {
    const site = await hinting({}, (_, connection) => {
      connection.write(response('<p>', { ...fresh, ...link('/next'), 'Content-Length': '100' }));
      return null;
    });
    const abort = new AbortController();
    const loading = site.load('/', {
      signal: abort.signal,
      onProgress: ({ bodyBytes }) => bodyBytes > 0 && abort.abort(new Error('enough')),
    });
    await expect(loading).rejects.toThrow('enough');
    await site.loader.idle();
    expect(site.asked()).toEqual(['/']);
  });

  test('loadPage refuses it: of one page nothing is prefetched for the next', async () => {
    const cache = memoryCache();
    const options = { cache, prefetch: {} } as object;
    await expect(loadPage('http://127.0.0.1:1/', options)).rejects.toThrow(
      /^prefetch must be given to createLoader/,
    );
  });
});

describe('what hints may name', () => {
  test('not the page itself', async () => {
    const self = { ...link('/', '/next'), 'Cache-Control': 'no-store' };
    const site = await visited(self);
    expect(site.asked()).toEqual(['/', '/next']);
  });

  test('a page out of the cache hints as it did when it came', async () => {
    const cache = memoryCache();
    const site = await hinting(link('/next'), undefined, { cache });
    await loadPage(`${site.server.origin}/`, { cache });
    await site.load('/');
    await site.loader.idle();
    expect(site.asked()).toEqual(['/', '/next']);
  });

  test('what a prefetched page needs is judged by its name, too', async () => {
    const html =
      '<img src=/logout><img src=/a.gif?buy=1><script src=/ok.js></script><img src=/ok.gif>';
    const withNeeds = { prefetch: { subresources: true } };
    const site = await visited(link('/next'), { '/next': response(html, fresh) }, withNeeds);
    expect(site.prefetched()).toEqual(['/next', '/ok.js', '/ok.gif']);
  });

  test.each<[string, string]>([
    ['speculation rules', '/rules'],
    ['a document', '/next'],
  ])('%s that would unfold to 200 MB is not read', async (_, bomb) => {
    const packed = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' '));
    const coded = { ...fresh, 'Content-Encoding': 'gzip' };
    const before = process.memoryUsage().arrayBuffers;
    const site = await visited(
      { ...link('/next'), 'Speculation-Rules': '"/rules"' },
      { [bomb]: response(packed, coded) },
      { prefetch: { subresources: true } },
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * 1024 * 1024);
    expect(site.prefetched()).toEqual(['/next']);
  });
});

describe('the end', () => {
  test.each(['at once', 'while a page loads', 'while a prefetch is under way', 'twice'])(
    'a loader may be closed %s',
    async (when) => {
      const timeouts = { responseMs: 500 };
      const site = await hinting(link('/next'), { '/next': null }, { timeouts });
      if (when === 'at once') await site.loader.close();
      const url = `${site.server.origin}/${when === 'while a page loads' ? 'next' : ''}`;
      const loading = when === 'at once' ? null : site.loader.load(url);
      if (when === 'while a page loads') await site.untilAsked('/next');
      else await loading;
      if (when === 'while a prefetch is under way') await site.untilAsked('/next');
      await site.loader.close();
      await site.loader.close();
      await loading;
      await site.loader.idle();
      for (const { closed } of site.server.connections) await closed;
      expect(site.stats().kept).toBe(0);
    },
  );

  test('a cache that is closed first ends prefetching, and breaks nothing', async () => {
    const cache = memoryCache();
    const ahead = held('', (connection) => connection.write(response('<p>/next', fresh)));
    const site = await untilAsked(
      '/next',
      link('/next', '/other'),
      (...given) => (given[0].path === '/next' ? ahead.answer(...given) : undefined),
      { cache },
    );
    cache.close();
    ahead.finish();
    await site.loader.idle();
    expect(site.stats()).toMatchObject({ kept: 0 });
    expect(site.asked()).toEqual(['/', '/next']);
  });

  test('a process that waits until a busy moment is over is kept alive', async () => {
    await using server = await startSite(link('/next'));
    const script = `
      import { createHttpCache, createLoader, createMemoryStore } from './loader/index.ts';
      const cache = createHttpCache(createMemoryStore());
      const loader = createLoader({ cache, prefetch: {} });
      for (const end = performance.now() + 400; performance.now() < end; );
      await loader.load('${server.origin}/');
      await loader.idle();
      console.log(loader.stats().prefetch.kept);
      await loader.close();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(await runToEnd(child)).toMatchObject({ code: 0, stdout: '1\n' });
  });
});
