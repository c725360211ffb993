// Hints used: what a page hints at is fetched into the cache while no page is loading, within bounds, and
// the next page finds it there, or takes it over while it comes.

import { describe, expect, test } from 'vitest';
import type { Layer } from '../../../loader/index.ts';
import { response } from '../../support/raw-server.ts';
import {
  type Answer,
  fresh,
  link,
  loaderWith,
  prefetches,
  startSite,
  untilAsked,
  visit,
} from './site.ts';

describe('where hints stand', () => {
  test.each<[string, Record<string, string>]>([
    ['Link', link('/next')],
    ['speculation rules', { 'Speculation-Rules': '"/rules.json"' }],
  ])(
    '%s: the page is fetched once this one is there, and the next visit asks nobody',
    async (name, home) => {
      const rules = JSON.stringify({ prefetch: [{ urls: ['/next'] }] });
      await using server = await startSite(home, ({ path }) =>
        path === '/rules.json'
          ? response(rules, { 'Content-Type': 'application/speculationrules+json' })
          : undefined,
      );
      const loader = await visit(server);
      expect([name, prefetches(server)]).toEqual([name, ['/next']]);
      const before = server.requests.length;
      const next = await loader.load(`${server.origin}/next`);
      expect(server.requests.length).toBe(before);
      expect(next.resources[0]).toMatchObject({ fromCache: true, prefetched: true, attempts: 0 });
      expect(loader.stats().prefetch).toMatchObject({ used: 1, dropped: 0 });
      expect(loader.stats().prefetch.usedBytes).toBe('<p>/next'.length);
    },
  );

  test('103: prefetches wait for the page, preloads do not', async () => {
    let answerPage = (): void => {};
    await using server = await startSite({}, ({ path }, connection) => {
      if (path === '/a.gif') setImmediate(() => answerPage());
      if (path !== '/') return undefined;
      connection.write(
        'HTTP/1.1 103 Early Hints\r\nLink: </a.gif>; rel=preload; as=image, </next>; rel=prefetch\r\n\r\n',
      );
      // The page comes when the image was asked for: only the hint can have named it.
      answerPage = () => connection.write(response('<img src=/a.gif>', fresh));
      return null;
    });
    const loader = loaderWith();
    const load = await loader.load(`${server.origin}/`);
    await loader.idle();
    expect(load.resources.map(({ url }) => new URL(url).pathname)).toEqual(['/', '/a.gif']);
    expect(server.requests.map(({ path }) => path)).toEqual(['/', '/a.gif', '/next']);
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
    await using server = await startSite(link(url));
    const loader = await visit(server);
    expect(server.requests.length).toBe(1);
    expect(loader.stats().prefetch.requests).toBe(0);
  });

  test('what is less probable than asked for', async () => {
    const rare = {
      Link: '</rare>; rel=prefetch; probability=0.2, </often>; rel=prefetch; probability=0.5',
    };
    await using server = await startSite(rare);
    await visit(server);
    expect(prefetches(server)).toEqual(['/often']);
  });

  test('anything, for who saves data', async () => {
    await using server = await startSite(link('/next'));
    await visit(server, {}, { 'Save-Data': 'on' });
    expect(prefetches(server)).toEqual([]);
  });

  test('anything twice', async () => {
    await using server = await startSite(link('/next'), ({ path }) =>
      path === '/next' ? response('x', { 'Cache-Control': 'max-age=0' }) : undefined,
    );
    const loader = await visit(server);
    await loader.load(`${server.origin}/`, { cacheMode: 'reload' });
    await loader.idle();
    expect(prefetches(server)).toEqual(['/next']);
  });

  test('what is in the cache', async () => {
    await using server = await startSite(link('/next'));
    const loader = loaderWith();
    await loader.load(`${server.origin}/next`);
    await loader.load(`${server.origin}/`);
    await loader.idle();
    expect(prefetches(server)).toEqual([]);
  });
});

describe('what comes and is not kept', () => {
  test('what a layer of the caller throws at', async () => {
    await using server = await startSite(link('/next'));
    const layer: Layer = (dispatch) => (request, handler) => {
      if (request.purpose === 'prefetch') throw new Error('not ahead');
      dispatch(request, handler);
    };
    const loader = await visit(server, {}, {}, { layers: [layer] });
    expect(prefetches(server)).toEqual([]);
    expect(loader.stats().prefetch).toMatchObject({ requests: 1, kept: 0, dropped: 1 });
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
    await using server = await startSite(link('/next'), (request, connection) =>
      request.path === '/next' && request.headers['sec-purpose']
        ? answer(request, connection)
        : undefined,
    );
    const loader = await visit(server);
    expect(prefetches(server)).toEqual(['/next']);
    expect(server.requests.map(({ path }) => path)).not.toContain('/logout');
    expect(loader.stats().prefetch).toMatchObject({ requests: 1, kept: 0, dropped: 1 });
    const next = await loader.load(`${server.origin}/next`);
    expect(next.resources[0]).toMatchObject({ fromCache: false, prefetched: false, status: 200 });
  });

  test.each([
    ['as it says itself', { 'Content-Length': String(1024 ** 3) }],
    ['without saying so', { 'Transfer-Encoding': 'chunked' }],
  ])('a body of a gigabyte, %s', async (_, framing) => {
    let sent = 0;
    const piece = Buffer.alloc(64 * 1024, 1);
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')]);
    await using server = await startSite(link('/huge'), ({ path }, connection) => {
      if (path !== '/huge') return undefined;
      connection.write(response('', { ...fresh, ...framing }));
      connection.pour('Transfer-Encoding' in framing ? chunk : piece, 16_384);
      connection.closed.then(() => {
        sent = connection.socket.bytesWritten;
      });
      return null;
    });
    const loader = await visit(server, { maxResourceBytes: 256 * 1024 });
    await server.connections.at(-1)?.closed;
    expect(loader.stats().prefetch).toMatchObject({ kept: 0, dropped: 1 });
    expect(loader.stats().prefetch.bytes).toBeLessThan(2 * 1024 * 1024);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test('what goes over the page’s budget', async () => {
    const body = 'x'.repeat(100_000);
    await using server = await startSite(link('/1', '/2', '/3', '/4'), ({ path }) =>
      path === '/' ? undefined : response(body, fresh),
    );
    const loader = await visit(server, { maxBytes: 250_000, maxResourceBytes: 200_000 });
    expect(loader.stats().prefetch.kept).toBe(2);
  });
});

test('never more than one body is under way', async () => {
  // Nothing is answered before so many wait; were it one more, it would be seen then.
  const open: Array<() => void> = [];
  let most = 0;
  await using server = await startSite(link('/1', '/2.png', '/3'), ({ path }, connection) => {
    if (path === '/') return undefined;
    open.push(() => connection.write(response(path, fresh)));
    most = Math.max(most, open.length);
    setImmediate(() => {
      for (const answer of open.splice(0)) answer();
    });
    return null;
  });
  const loader = await visit(server);
  expect(loader.stats().prefetch.kept).toBe(3);
  expect(most).toBe(1);
  expect(server.requests.some(({ headers }) => 'range' in headers)).toBe(false);
});

describe('a page comes first', () => {
  test('a page that begins ends what is under way for another', async () => {
    let cut: Promise<void> | undefined;
    await using server = await startSite(link('/slow'), ({ path }, connection) => {
      if (path !== '/slow') return undefined;
      cut = connection.closed;
      connection.write(response('', { ...fresh, 'Content-Length': '1000' }));
      return null;
    });
    const loader = loaderWith();
    await loader.load(`${server.origin}/`);
    await untilAsked(server, '/slow');
    const other = await loader.load(`${server.origin}/other`);
    expect(other.totals.errors).toBe(0);
    await cut;
    await loader.idle();
    expect(loader.stats().prefetch).toMatchObject({ kept: 0, dropped: 1 });
  });

  test.each(['before its header section', 'in the middle of its body'])(
    'what is under way for the page itself becomes the page’s: %s',
    async (when) => {
      let finish = (): void => {};
      await using server = await startSite(link('/next'), ({ path }, connection) => {
        if (path !== '/next') return undefined;
        const whole = response('<img src=/a.gif><p>the end', fresh);
        const cut = when.startsWith('before') ? 0 : whole.length - 8;
        connection.write(whole.subarray(0, cut));
        finish = () => connection.write(whole.subarray(cut));
        return null;
      });
      const loader = loaderWith();
      await loader.load(`${server.origin}/`);
      await untilAsked(server, '/next');
      const loading = loader.load(`${server.origin}/next`);
      setImmediate(() => finish());
      const next = await loading;
      expect(server.requests.filter(({ path }) => path === '/next').length).toBe(1);
      expect(next.resources[0]).toMatchObject({ prefetched: true, status: 200, error: null });
      expect(next.resources[0]?.bodyBytes).toBe('<img src=/a.gif><p>the end'.length);
      expect(next.resources.map(({ url }) => new URL(url).pathname)).toEqual(['/next', '/a.gif']);
      // Each byte came once, whoever took it.
      const bytes = '<img src=/a.gif><p>the end'.length;
      expect(loader.stats().prefetch).toMatchObject({
        used: 1,
        bytes,
        usedBytes: bytes,
        connections: 1,
      });
      // It is the page that stored it.
      const again = await loader.load(`${server.origin}/next`);
      expect(again.resources[0]).toMatchObject({ fromCache: true, prefetched: false });
    },
  );

  test.each<[string, Answer]>([
    ['refused', () => response('', {}, '503 Service Unavailable')],
    [
      'cut',
      (_, connection) => {
        connection.end(response('<p>ha', { ...fresh, 'Content-Length': '100' }));
        return null;
      },
    ],
  ])(
    'a prefetch that is %s after the page took it over: the page asks for itself',
    async (_, answer) => {
      let finish = (): void => {};
      await using server = await startSite(link('/next'), (request, connection) => {
        if (request.path !== '/next' || request.headers['sec-purpose'] === undefined)
          return undefined;
        finish = () => {
          const said = answer(request, connection);
          if (said) connection.write(said);
        };
        return null;
      });
      const loader = loaderWith();
      await loader.load(`${server.origin}/`);
      await untilAsked(server, '/next');
      const loading = loader.load(`${server.origin}/next`);
      setImmediate(() => finish());
      const next = await loading;
      expect(next.resources).toHaveLength(1);
      expect(next.resources[0]).toMatchObject({ prefetched: false, status: 200, error: null });
      expect(next.resources[0]?.bodyBytes).toBe('<p>/next'.length);
    },
  );

  test('a page that is stopped takes the prefetch it waits for along', async () => {
    await using server = await startSite(link('/next'), ({ path }) =>
      path === '/next' ? null : undefined,
    );
    const loader = loaderWith();
    await loader.load(`${server.origin}/`);
    await untilAsked(server, '/next');
    const abort = new AbortController();
    const loading = loader.load(`${server.origin}/next`, { signal: abort.signal });
    setImmediate(() => abort.abort(new Error('enough')));
    await expect(loading).rejects.toThrow('enough');
    await loader.idle();
  });

  test('a loader that is closed ends its prefetches', async () => {
    await using server = await startSite(link('/next'), ({ path }) =>
      path === '/next' ? null : undefined,
    );
    const loader = loaderWith();
    await loader.load(`${server.origin}/`);
    await untilAsked(server, '/next');
    await loader.close();
    await loader.idle();
    await server.connections.at(-1)?.closed;
  });
});

test('a stale copy is validated ahead of its use', async () => {
  await using server = await startSite(link('/next'), ({ path, headers }) => {
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
  const loader = loaderWith();
  await loader.load(`${server.origin}/next`);
  await loader.load(`${server.origin}/`);
  await loader.idle();
  const before = server.requests.length;
  const next = await loader.load(`${server.origin}/next`);
  expect(server.requests.length).toBe(before);
  expect(next.resources[0]).toMatchObject({ fromCache: true, prefetched: true });
});
