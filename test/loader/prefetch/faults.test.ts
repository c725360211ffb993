// What servers, pages and callers do to prefetching at the wrong moment.

import { spawn } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createHttpCache, createMemoryStore, loadPage } from '../../../loader/index.ts';
import { runToEnd } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { type RawServer, response } from '../../support/raw-server.ts';
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

const isPrefetch = ({ headers }: { headers: Record<string, string> }) =>
  headers['sec-purpose'] !== undefined;
const paths = ({ requests }: RawServer) => requests.map(({ path }) => path);

describe('who gets what', () => {
  test('the caller’s own fields go to the origin that was asked for, not to where it redirects', async () => {
    await using other = await startSite(link('/next'));
    await using server = await startSite({}, () =>
      response('', { Location: `${other.origin}/` }, '302 Found'),
    );
    const loader = await visit(server, {}, { Authorization: 'Basic secret' });
    expect(prefetches(other)).toEqual(['/next']);
    expect(other.requests.filter(({ headers }) => headers.authorization)).toEqual([]);
    expect(loader.stats().prefetch.kept).toBe(1);
  });

  test('what a redirect hints at is not the document’s', async () => {
    await using server = await startSite({}, ({ path }, connection) => {
      if (path !== '/') return undefined;
      connection.write('HTTP/1.1 103 Early Hints\r\nLink: </early>; rel=prefetch\r\n\r\n');
      return response('', { Location: '/there', ...link('/late') }, '302 Found');
    });
    await visit(server);
    expect(paths(server)).toEqual(['/', '/there']);
  });

  test('cookies go along, and none is set by a prefetch', async () => {
    await using server = await startSite(
      { ...link('/sets', '/next'), 'Set-Cookie': 'a=1' },
      ({ path }) =>
        path === '/sets' ? response('x', { ...fresh, 'Set-Cookie': 'a=2' }) : undefined,
    );
    const loader = await visit(server);
    expect(loader.stats().prefetch).toMatchObject({ kept: 1, dropped: 1 });
    await loader.load(`${server.origin}/sets`);
    await loader.load(`${server.origin}/after`);
    const cookies = server.requests.map(({ path, headers }) => [path, headers.cookie]);
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
    await using server = await startSite({}, () =>
      response('', { Location: `${other.origin}/` }, '302 Found'),
    );
    const loader = loaderWith({}, { Authorization: 'Basic secret' });
    await loader.load(`${server.origin}/`);
    await untilAsked(other, '/next');
    const load = await loader.load(`${other.origin}/next`);
    expect(load.resources[0]).toMatchObject({ prefetched: false, status: 200 });
    expect(other.requests.at(-1)?.headers.authorization).toBe('Basic secret');
  });

  test.each([
    ['is not kept', false],
    ['is not what a page takes over', true],
  ])('an answer that depends on Sec-Purpose %s', async (_, takesOver) => {
    let finish = (): void => {};
    await using server = await startSite(link('/next'), (request, connection) => {
      if (request.path !== '/next') return undefined;
      const text = isPrefetch(request) ? 'for prefetches' : 'for pages';
      const said = response(text, { ...fresh, Vary: 'Accept, Sec-Purpose' });
      if (!takesOver || !isPrefetch(request)) return said;
      finish = () => connection.write(said);
      return null;
    });
    const loader = loaderWith();
    await loader.load(`${server.origin}/`);
    await untilAsked(server, '/next');
    if (!takesOver) await loader.idle();
    const loading = loader.load(`${server.origin}/next`);
    setImmediate(() => finish());
    const { resources } = await loading;
    expect(resources[0]).toMatchObject({ prefetched: false, fromCache: false });
    expect(resources[0]?.bodyBytes).toBe('for pages'.length);
    await loader.idle();
    expect(loader.stats().prefetch).toMatchObject({ kept: 0, dropped: 1 });
  });

  test.each([
    ['404 Not Found', {}],
    ['503 Service Unavailable', {}],
    ['301 Moved Permanently', { Location: '/logout' }],
  ])('%s for a prefetch that a page took over is not stored', async (status, fields) => {
    let finish = (): void => {};
    await using server = await startSite(link('/next'), (request, connection) => {
      if (request.path !== '/next' || !isPrefetch(request)) return undefined;
      finish = () => connection.write(response('no', { ...fresh, ...fields }, status));
      return null;
    });
    const loader = loaderWith();
    await loader.load(`${server.origin}/`);
    await untilAsked(server, '/next');
    const loading = loader.load(`${server.origin}/next`, { cacheMode: 'force-cache' });
    setImmediate(() => finish());
    expect((await loading).resources[0]).toMatchObject({ status: 200, prefetched: false });
    await loader.idle();
    const again = await loader.load(`${server.origin}/next`);
    expect(again.resources[0]).toMatchObject({ status: 200, fromCache: true });
    expect(paths(server)).not.toContain('/logout');
    expect(loader.stats().prefetch).toMatchObject({ kept: 0, used: 0, dropped: 1 });
  });
});

describe('taken over by a page', () => {
  /** /next is the second request of its connection; `answer` says what each attempt at it gets. */
  async function takeOver(attempts: Answer[], cacheMode?: 'reload') {
    const server = await startSite(link('/first', '/next'), (request, connection) => {
      if (request.path !== '/next') return undefined;
      return (attempts.shift() ?? (() => undefined))(request, connection);
    });
    const loader = loaderWith();
    await loader.load(`${server.origin}/`);
    await untilAsked(server, '/next');
    return {
      server,
      loader,
      loading: loader.load(`${server.origin}/next`, cacheMode && { cacheMode }),
    };
  }
  const half = response('<p>ha', { ...fresh, 'Content-Length': '100' });

  test('its connection breaks in the middle: it comes again, and every byte counts once', async () => {
    let cut = (): void => {};
    const { server, loader, loading } = await takeOver([
      (_, connection) => {
        connection.write(half);
        cut = () => connection.end('lf');
        return null;
      },
    ]);
    await using _ = server;
    setImmediate(() => cut());
    const { resources } = await loading;
    const bytes = '<p>/next'.length;
    expect(resources).toHaveLength(1);
    expect(resources[0]).toMatchObject({ error: null, bodyBytes: bytes, encodedBytes: bytes });
    await loader.idle();
    const again = await loader.load(`${server.origin}/next`);
    expect(again.resources[0]).toMatchObject({ fromCache: true, bodyBytes: bytes });
  });

  test('its connection breaks for good: what came late is not counted with what the page asked for', async () => {
    let cut = (): void => {};
    const broken: Answer = (_, connection) => {
      connection.write(half);
      cut = () => connection.end('lf');
      return null;
    };
    const again: Answer = (_, connection) => {
      connection.end(half);
      return null;
    };
    const { server, loading } = await takeOver([broken, again]);
    await using _ = server;
    setImmediate(() => cut());
    const bytes = '<p>/next'.length;
    const { resources } = await loading;
    expect(resources[0]).toMatchObject({ error: null, bodyBytes: bytes, encodedBytes: bytes });
    expect(resources[0]?.prefetched).toBe(false);
  });

  test('whole, while its connection is being watched for more', async () => {
    await using server = await startSite(link('/first', '/next'));
    const loader = loaderWith();
    await loader.load(`${server.origin}/`);
    const bytes = '<p>/first<p>/next'.length;
    while (loader.stats().prefetch.bytes < bytes) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const load = await loader.load(`${server.origin}/next`);
    expect(load.resources[0]).toMatchObject({ prefetched: true, error: null });
    expect(paths(server)).toEqual(['/', '/first', '/next']);
  });

  test('what it took is all counted: bytes are no fewer than those used', async () => {
    let finish = (): void => {};
    const { server, loader, loading } = await takeOver([
      (_, connection) => {
        connection.write(half);
        finish = () => connection.write('x'.repeat(95));
        return null;
      },
    ]);
    await using _ = server;
    setImmediate(() => finish());
    await loading;
    await loader.idle();
    const { used, usedBytes, bytes } = loader.stats().prefetch;
    expect({ used, usedBytes, bytes }).toEqual({ used: 1, usedBytes: 100, bytes: 109 });
  });

  test('not for a page that wants nothing stored: it asks for itself, once', async () => {
    const { server, loader, loading } = await takeOver([() => null], 'reload');
    await using _ = server;
    expect((await loading).resources[0]).toMatchObject({ prefetched: false, status: 200 });
    await loader.idle();
    expect(paths(server)).toEqual(['/', '/first', '/next', '/next']);
    expect(loader.stats().prefetch).toMatchObject({ kept: 1, dropped: 1 });
  });

  test('a coded body is decoded once', async () => {
    const html = '<p>a page that says the same again, says the same again';
    const said = response(gzipSync(html), { ...fresh, 'Content-Encoding': 'gzip' });
    let finish = (): void => {};
    const { server, loading } = await takeOver([
      (_, connection) => {
        connection.write(said.subarray(0, said.length - 20));
        finish = () => connection.write(said.subarray(said.length - 20));
        return null;
      },
    ]);
    await using _ = server;
    setImmediate(() => finish());
    const { resources } = await loading;
    expect(resources[0]).toMatchObject({ prefetched: true, bodyBytes: html.length });
  });

  test('a conditional prefetch is not: the page asks with its own condition, and the other ends', async () => {
    const clock = { now: Date.now() };
    const cache = createHttpCache(createMemoryStore(), { now: () => clock.now });
    let cut: Promise<void> | undefined;
    await using server = await startSite(link('/next'), (request, connection) => {
      if (request.path !== '/next') return undefined;
      if (request.headers['if-none-match'] === undefined) {
        return response('<p>/next', { ...fresh, ETag: '"1"' });
      }
      if (isPrefetch(request)) cut = connection.closed;
      if (isPrefetch(request)) return null;
      return 'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\nCache-Control: max-age=60\r\n\r\n';
    });
    const loader = loaderWith({}, {}, { cache });
    await loader.load(`${server.origin}/next`);
    clock.now += 3_600_000;
    await loader.load(`${server.origin}/`);
    await eventually(() => prefetches(server).length === 1);
    const load = await loader.load(`${server.origin}/next`);
    expect(load.resources[0]).toMatchObject({ status: 304, fromCache: true, prefetched: false });
    await cut;
    await loader.idle();
    expect(loader.stats().prefetch).toMatchObject({ kept: 0, dropped: 1 });
  });

  test('its loader is closed: the page ends, and says why', async () => {
    const { server, loader, loading } = await takeOver([() => null]);
    await using _ = server;
    setImmediate(() => loader.destroy());
    expect((await loading).resources[0]).toMatchObject({ error: { code: 'loader-closed' } });
    await loader.idle();
  });
});

describe('answers out of step', () => {
  test('what came in place of it is not stored', async () => {
    const cache = createHttpCache(createMemoryStore());
    const wrong = response('<p>somebody else’s', fresh);
    await using server = await startSite(link('/first', '/next'), ({ path, ...request }) => {
      if (path !== '/next' || request.index !== 1) return undefined;
      return Buffer.concat([wrong, response('<p>/next', fresh)]);
    });
    const loader = await visit(server, {}, {}, { cache });
    expect(loader.stats().prefetch).toMatchObject({ requests: 2, kept: 1, dropped: 1 });
    const next = await loader.load(`${server.origin}/next`);
    expect(next.resources[0]).toMatchObject({ prefetched: false, bodyBytes: '<p>/next'.length });
  });

  test('what a server adds a moment later is seen before it is stored', async () => {
    await using server = await startSite(link('/first', '/next'), ({ path, index }, connection) => {
      if (path !== '/next' || index !== 1) return undefined;
      connection.write(response('<p>somebody else’s', fresh));
      setImmediate(() => connection.write(response('<p>/next', fresh)));
      return null;
    });
    const loader = await visit(server);
    expect(loader.stats().prefetch).toMatchObject({ kept: 1, dropped: 1 });
  });
});

describe('pages and prefetches at once', () => {
  test('pages that load at the same time are both prefetched behind, when the last is there', async () => {
    let finish = (): void => {};
    await using server = await startSite({}, ({ path }, connection) => {
      if (path === '/one') return response('<p>', { ...fresh, ...link('/after-one') });
      if (path !== '/two') return undefined;
      finish = () => connection.write(response('<p>', { ...fresh, ...link('/after-two') }));
      return null;
    });
    const loader = loaderWith();
    const two = loader.load(`${server.origin}/two`);
    await untilAsked(server, '/two');
    await loader.load(`${server.origin}/one`);
    const idle = loader.idle();
    expect(prefetches(server)).toEqual([]);
    finish();
    await two;
    await idle;
    expect(prefetches(server)).toEqual(['/after-two', '/after-one']);
  });

  test('idle, though what waits is in the cache already', async () => {
    let finish = (): void => {};
    await using server = await startSite({}, ({ path }, connection) => {
      if (path === '/one') return response('<p>', { ...fresh, ...link('/there') });
      if (path !== '/two') return undefined;
      finish = () => connection.write(response('<p>', fresh));
      return null;
    });
    const loader = loaderWith();
    await loader.load(`${server.origin}/there`);
    const two = loader.load(`${server.origin}/two`);
    await untilAsked(server, '/two');
    await loader.load(`${server.origin}/one`);
    const idle = loader.idle();
    finish();
    await two;
    await idle;
  });

  test('idle, though a page begins and takes away what waits', async () => {
    await using server = await startSite(link('/1', '/2', '/3'), ({ path }) =>
      /^\/\d$/.test(path) ? null : undefined,
    );
    const loader = loaderWith();
    await loader.load(`${server.origin}/`);
    await untilAsked(server, '/1');
    const idle = loader.idle();
    await loader.load(`${server.origin}/other`);
    await idle;
    expect(prefetches(server)).toEqual(['/1']);
  });

  test('what a page took the line from is asked for again', async () => {
    let held = true;
    await using server = await startSite(link('/next'), ({ path }) =>
      path === '/next' && held ? null : undefined,
    );
    const loader = loaderWith();
    await loader.load(`${server.origin}/`);
    await untilAsked(server, '/next');
    held = false;
    await loader.load(`${server.origin}/other`);
    await loader.load(`${server.origin}/`);
    await loader.idle();
    expect(prefetches(server)).toEqual(['/next', '/next']);
    expect(loader.stats().prefetch).toMatchObject({ kept: 1, dropped: 1 });
  });

  test('a page that was aborted leaves nothing to prefetch', async () => {
    await using server = await startSite({}, (_, connection) => {
      connection.write(response('<p>', { ...fresh, ...link('/next'), 'Content-Length': '100' }));
      return null;
    });
    const loader = loaderWith();
    const abort = new AbortController();
    const loading = loader.load(`${server.origin}/`, {
      signal: abort.signal,
      onProgress: ({ bodyBytes }) => bodyBytes > 0 && abort.abort(new Error('enough')),
    });
    await expect(loading).rejects.toThrow('enough');
    await loader.idle();
    expect(paths(server)).toEqual(['/']);
  });

  test('loadPage refuses it: of one page nothing is prefetched for the next', async () => {
    const cache = createHttpCache(createMemoryStore());
    const options = { cache, prefetch: {} } as object;
    await expect(loadPage('http://127.0.0.1:1/', options)).rejects.toThrow(
      /options.prefetch must be given to createLoader/,
    );
    cache.close();
  });
});

describe('what hints may name', () => {
  test('not the page itself', async () => {
    const self = { ...link('/', '/next'), 'Cache-Control': 'no-store' };
    await using server = await startSite(self);
    await visit(server);
    expect(paths(server)).toEqual(['/', '/next']);
  });

  test('a page out of the cache hints as it did when it came', async () => {
    await using server = await startSite(link('/next'));
    const cache = createHttpCache(createMemoryStore());
    await loadPage(`${server.origin}/`, { cache });
    await visit(server, {}, {}, { cache });
    expect(paths(server)).toEqual(['/', '/next']);
  });

  test('speculation rules that would unfold to 200 MB are not read', async () => {
    const packed = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' '));
    const coded = { ...fresh, 'Content-Encoding': 'gzip' };
    await using server = await startSite(
      { ...link('/next'), 'Speculation-Rules': '"/rules"' },
      ({ path }) => (path === '/rules' ? response(packed, coded) : undefined),
    );
    const before = process.memoryUsage().arrayBuffers;
    await visit(server);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * 1024 * 1024);
    expect(prefetches(server)).toEqual(['/next']);
  });
});

describe('the end', () => {
  test.each(['at once', 'while a page loads', 'while a prefetch is under way', 'twice'])(
    'a loader may be closed %s',
    async (when) => {
      await using server = await startSite(link('/next'), ({ path }) =>
        path === '/next' ? null : undefined,
      );
      const loader = loaderWith({}, {}, { timeouts: { responseMs: 500 } });
      if (when === 'at once') await loader.close();
      const url = `${server.origin}/${when === 'while a page loads' ? 'next' : ''}`;
      const loading = when === 'at once' ? null : loader.load(url);
      if (when === 'while a page loads') await untilAsked(server, '/next');
      else await loading;
      if (when === 'while a prefetch is under way') await untilAsked(server, '/next');
      await loader.close();
      await loader.close();
      await loading;
      await loader.idle();
      expect(loader.stats().prefetch.kept).toBe(0);
    },
  );

  test('a cache that is closed first ends prefetching, and breaks nothing', async () => {
    let finish = (): void => {};
    const cache = createHttpCache(createMemoryStore());
    await using server = await startSite(link('/next', '/other'), ({ path }, connection) => {
      if (path !== '/next') return undefined;
      finish = () => connection.write(response('<p>/next', fresh));
      return null;
    });
    const loader = loaderWith({}, {}, { cache });
    await loader.load(`${server.origin}/`);
    await untilAsked(server, '/next');
    cache.close();
    finish();
    await loader.idle();
    expect(loader.stats().prefetch).toMatchObject({ kept: 0 });
    expect(paths(server)).toEqual(['/', '/next']);
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
