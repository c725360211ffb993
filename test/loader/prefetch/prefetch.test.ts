// Hints used: what a page hints at is fetched into the cache while no page is loading, within bounds, and
// the next page finds it there, or takes it over while it comes.

import { describe, expect, test } from 'vitest';
import type { Layer } from '../../../loader/index.ts';
import { response } from '../../support/raw-server.ts';
import { type Answer, fresh, held, hinting, link, untilAsked, visited } from './site.ts';

describe('where hints stand', () => {
  test.each<[string, Record<string, string>]>([
    ['Link', link('/next')],
    ['speculation rules', { 'Speculation-Rules': '"/rules.json"' }],
  ])(
    '%s: the page is fetched once this one is there, the next visit asks nobody',
    async (name, home) => {
      const rules = JSON.stringify({ prefetch: [{ urls: ['/next'] }] });
      const rulesType = { 'Content-Type': 'application/speculationrules+json' };
      const site = await visited(home, { '/rules.json': response(rules, rulesType) });
      expect([name, site.prefetched()]).toEqual([name, ['/next']]);
      const before = site.server.requests.length;
      const next = await site.load('/next');
      expect(site.server.requests.length).toBe(before);
      expect(next.resources[0]).toMatchObject({ fromCache: true, prefetched: true, attempts: 0 });
      expect(site.stats()).toMatchObject({ used: 1, dropped: 0 });
      expect(site.stats().usedBytes).toBe('<p>/next'.length);
    },
  );

  test('103: prefetches wait for the page, preloads do not', async () => {
    let answerPage = (): void => {};
    const site = await hinting({}, ({ path }, connection) => {
      if (path === '/a.gif') setImmediate(() => answerPage());
      if (path !== '/') return undefined;
      connection.write(
        'HTTP/1.1 103 Early Hints\r\nLink: </a.gif>; rel=preload; as=image, </next>; rel=prefetch\r\n\r\n',
      );
      // The page comes when the image was asked for: only the hint can have named it.
      answerPage = () => connection.write(response('<img src=/a.gif>', fresh));
      return null;
    });
    const load = await site.load('/');
    await site.loader.idle();
    expect(load.resources.map(({ url }) => new URL(url).pathname)).toEqual(['/', '/a.gif']);
    expect(site.server.requests.map(({ path }) => path)).toEqual(['/', '/a.gif', '/next']);
  });
});

describe('what is never fetched', () => {
  test.each([
    ['another origin', 'http://127.0.0.1:1/next'],
    ['another scheme', 'javascript:alert(1)'],
    ['data', 'data:text/html,x'],
    ['logout', '/logout'],
    ['a cart', '/cart/add'],
    ['a query', '/next?buy=1'],
    ['credentials', 'http://me:secret@127.0.0.1/next'],
  ])('%s', async (_, url) => {
    const site = await visited(link(url));
    expect(site.server.requests.length).toBe(1);
    expect(site.stats().requests).toBe(0);
  });

  test.each<[string, Record<string, string>, Record<string, string>, string[]]>([
    [
      'what is less probable than asked for',
      { Link: '</rare>; rel=prefetch; probability=0.2, </often>; rel=prefetch; probability=0.5' },
      {},
      ['/often'],
    ],
    ['anything, for who saves data', link('/next'), { 'Save-Data': 'on' }, []],
  ])('%s', async (_, home, extraHeaders, expected) => {
    const site = await visited(home, undefined, { extraHeaders });
    expect(site.prefetched()).toEqual(expected);
  });

  test('anything twice', async () => {
    const short = response('x', { 'Cache-Control': 'max-age=0' });
    const site = await visited(link('/next'), { '/next': short });
    await site.load('/', { cacheMode: 'reload' });
    await site.loader.idle();
    expect(site.prefetched()).toEqual(['/next']);
  });

  test('what is in the cache', async () => {
    const site = await hinting(link('/next'));
    await site.load('/next');
    await site.load('/');
    await site.loader.idle();
    expect(site.prefetched()).toEqual([]);
  });
});

describe('what comes and is not kept', () => {
  test('what a layer of the caller throws at', async () => {
    const layer: Layer = (dispatch) => (request, handler) => {
      if (request.purpose === 'prefetch') throw new Error('not ahead');
      dispatch(request, handler);
    };
    const site = await visited(link('/next'), undefined, { layers: [layer] });
    expect(site.prefetched()).toEqual([]);
    expect(site.stats()).toMatchObject({ requests: 1, kept: 0, dropped: 1 });
  });

  test.each<[string, Answer]>([
    [
      'a redirect, which may lead to logout',
      () => response('', { Location: '/logout' }, '302 Found'),
    ],
    [
      '503, a refusal',
      () => response('', { 'Cache-Control': 'no-store' }, '503 Service Unavailable'),
    ],
    ['204', () => 'HTTP/1.1 204 No Content\r\nCache-Control: max-age=60\r\n\r\n'],
    ['what may not be stored', () => response('private', { 'Cache-Control': 'no-store' })],
    [
      'a cut body',
      (_, connection) => {
        connection.end(response('x', { ...fresh, 'Content-Length': '10' }));
        return null;
      },
    ],
  ])('%s', async (_, answer) => {
    const site = await visited(link('/next'), (request, connection) =>
      request.path === '/next' && request.headers['sec-purpose']
        ? answer(request, connection)
        : undefined,
    );
    expect(site.prefetched()).toEqual(['/next']);
    expect(site.server.requests.map(({ path }) => path)).not.toContain('/logout');
    expect(site.stats()).toMatchObject({ requests: 1, kept: 0, dropped: 1 });
    const next = await site.load('/next');
    expect(next.resources[0]).toMatchObject({ fromCache: false, prefetched: false, status: 200 });
  });

  test.each([
    ['as it says itself', { 'Content-Length': String(1024 ** 3) }],
    ['without saying so', { 'Transfer-Encoding': 'chunked' }],
  ])('a body of a gigabyte, %s', async (_, framing) => {
    let sent = 0;
    const piece = Buffer.alloc(64 * 1024, 1);
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')]);
    const site = await visited(
      link('/huge'),
      ({ path }, connection) => {
        if (path !== '/huge') return undefined;
        connection.write(response('', { ...fresh, ...framing }));
        connection.pour('Transfer-Encoding' in framing ? chunk : piece, 16_384);
        connection.closed.then(() => {
          sent = connection.socket.bytesWritten;
        });
        return null;
      },
      { prefetch: { maxResourceBytes: 256 * 1024 } },
    );
    await site.server.connections.at(-1)?.closed;
    expect(site.stats()).toMatchObject({ kept: 0, dropped: 1 });
    expect(site.stats().bytes).toBeLessThan(2 * 1024 * 1024);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test('what goes over the page’s budget', async () => {
    const body = 'x'.repeat(100_000);
    const site = await visited(
      link('/1', '/2', '/3', '/4'),
      ({ path }) => (path === '/' ? undefined : response(body, fresh)),
      { prefetch: { maxBytes: 250_000, maxResourceBytes: 200_000 } },
    );
    expect(site.stats().kept).toBe(2);
  });
});

test('never more than one body is under way', async () => {
  // Nothing is answered before so many wait; were it one more, it would be seen then.
  const open: Array<() => void> = [];
  let most = 0;
  const site = await visited(link('/1', '/2.png', '/3'), ({ path }, connection) => {
    if (path === '/') return undefined;
    open.push(() => connection.write(response(path, fresh)));
    most = Math.max(most, open.length);
    setImmediate(() => {
      for (const answer of open.splice(0)) answer();
    });
    return null;
  });
  expect(site.stats().kept).toBe(3);
  expect(most).toBe(1);
  expect(site.server.requests.some(({ headers }) => 'range' in headers)).toBe(false);
});

describe('a page comes first', () => {
  test('a page that begins ends what is under way for another', async () => {
    let cut: Promise<void> | undefined;
    const site = await untilAsked('/slow', link('/slow'), ({ path }, connection) => {
      if (path !== '/slow') return undefined;
      cut = connection.closed;
      connection.write(response('', { ...fresh, 'Content-Length': '1000' }));
      return null;
    });
    const other = await site.load('/other');
    expect(other.totals.errors).toBe(0);
    await cut;
    await site.loader.idle();
    expect(site.stats()).toMatchObject({ kept: 0, dropped: 1 });
  });

  test.each(['before its header section', 'in the middle of its body'])(
    'what is under way for the page itself becomes the page’s: %s',
    async (when) => {
      const html = '<img src=/a.gif><p>the end';
      const bytes = html.length;
      const whole = response(html, fresh);
      const cut = when.startsWith('before') ? 0 : whole.length - 8;
      const ahead = held(whole.subarray(0, cut), (to) => to.write(whole.subarray(cut)));
      const site = await untilAsked('/next', link('/next'), (request, connection) =>
        request.path === '/next' ? ahead.answer(request, connection) : undefined,
      );
      const loading = site.load('/next');
      setImmediate(ahead.finish);
      const { resources } = await loading;
      expect(site.asked()).toEqual(['/', '/next', '/a.gif']);
      expect(resources[0]).toMatchObject({ prefetched: true, status: 200, bodyBytes: bytes });
      expect(resources.map(({ error }) => error)).toEqual([null, null]);
      // Each byte came once, whoever took it.
      const once = { used: 1, bytes, usedBytes: bytes, connections: 1 };
      expect(site.stats()).toMatchObject(once);
      // It is the page that stored it.
      const again = await site.load('/next');
      expect(again.resources[0]).toMatchObject({ fromCache: true, prefetched: false });
    },
  );

  test('a page that is stopped takes the prefetch it waits for along', async () => {
    const site = await untilAsked('/next', link('/next'), { '/next': null });
    const abort = new AbortController();
    const loading = site.load('/next', { signal: abort.signal });
    setImmediate(() => abort.abort(new Error('enough')));
    await expect(loading).rejects.toThrow('enough');
    await site.loader.idle();
  });
});

const gif = response('GIF89a', { ...fresh, 'Content-Type': 'image/gif' });
const withNeeds = { prefetch: { subresources: true } };

test('what a prefetched page needs comes along, where that is asked for', async () => {
  const html = '<img src=/a.gif><img src=http://other.invalid/b.gif>';
  const site = await visited(
    link('/next'),
    { '/next': response(html, fresh), '/a.gif': gif },
    withNeeds,
  );
  expect(site.prefetched()).toEqual(['/next', '/a.gif']);
  const next = await site.load('/next');
  const own = next.resources.filter(({ url }) => url.startsWith(site.server.origin));
  expect(own.map(({ prefetched, attempts }) => [prefetched, attempts])).toEqual([
    [true, 0],
    [true, 0],
  ]);
});

describe('what a prefetched document needs', () => {
  test('is not asked for if the document is dropped', async () => {
    const site = await visited(
      link('/next'),
      ({ path }, connection) => {
        if (path !== '/next') return path === '/' ? undefined : gif;
        connection.end(response('<img src=/a.gif>', { ...fresh, 'Content-Length': '100' }));
        return null;
      },
      withNeeds,
    );
    expect(site.prefetched()).toEqual(['/next']);
    expect(site.stats()).toMatchObject({ kept: 0, dropped: 1 });
  });

  test('is nothing where the response is no HTML', async () => {
    const text = response('<img src=/a.gif>', { ...fresh, 'Content-Type': 'text/plain' });
    const site = await visited(link('/next'), { '/next': text }, withNeeds);
    expect(site.prefetched()).toEqual(['/next']);
  });

  test('comes in the order of the document, before the next document', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `/${index}.gif`);
    const site = await visited(
      link('/next', '/other'),
      ({ path }, connection) => {
        if (path !== '/next') return undefined;
        const html = names.map((name) => `<img src=${name}>`);
        connection.write(
          response('', { ...fresh, 'Content-Length': String(html.join('').length) }),
        );
        connection.drip(html, 2);
        return null;
      },
      withNeeds,
    );
    expect(site.prefetched()).toEqual(['/next', ...names, '/other']);
  });
});

test('a stale copy is validated ahead of its use', async () => {
  const site = await hinting(link('/next'), ({ path, headers }) => {
    if (path !== '/next') return undefined;
    const about = {
      ...fresh,
      ETag: '"1"',
      'Cache-Control': headers['sec-purpose'] ? 'max-age=600' : 'no-cache',
    };
    if (headers['if-none-match'] !== '"1"') return response('<p>/next', about);
    const lines = Object.entries(about).map(([name, value]) => `${name}: ${value}\r\n`);
    return `HTTP/1.1 304 Not Modified\r\n${lines.join('')}\r\n`;
  });
  await site.load('/next');
  await site.load('/');
  await site.loader.idle();
  const before = site.server.requests.length;
  const next = await site.load('/next');
  expect(site.server.requests.length).toBe(before);
  expect(next.resources[0]).toMatchObject({ fromCache: true, prefetched: true });
});
