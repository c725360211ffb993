// Redirects (RFC 9110 15.4): followed hop by hop, each hop a row of its own.

import { describe, expect, it } from 'vitest';
import { type LoaderOptions, loadPage } from '../../../loader/index.ts';
import type { PageLoad } from '../../../loader/page-load.ts';
import { numberedImage } from '../../support/image-page.ts';
import { answering, type RawServer, response } from '../../support/raw-server.ts';

type Answer = Buffer | ((origin: string) => Buffer);

/** A site of fixed answers by path; 404 for what it does not have. */
async function site(answers: Record<string, Answer>): Promise<RawServer> {
  const server: RawServer = await answering(({ path }, connection) => {
    const answer = answers[path] ?? response('', {}, '404 Not Found');
    connection.write(typeof answer === 'function' ? answer(server.origin) : answer);
  });
  return server;
}

const to = (location: string, status = 302, headers: Record<string, string> = {}): Buffer =>
  response('moved', { Location: location, ...headers }, `${status} Moved`);
const page = (html = 'page'): Buffer => response(html, { 'Content-Type': 'text/html' });
const gif = response(numberedImage(4).body, { 'Content-Type': 'image/gif' });

const paths = (load: PageLoad): string[] => load.resources.map(({ url }) => new URL(url).pathname);

/** Loads a page of such a site. */
async function load(
  answers: Record<string, Answer>,
  options: LoaderOptions = {},
  path = '/',
): Promise<PageLoad> {
  await using server = await site(answers);
  return await loadPage(server.origin + path, options);
}

describe('a page that moved', () => {
  it.each([301, 302, 303, 307, 308])('%i is followed, a row for each hop', async (status) => {
    await using server = await site({
      '/': to('/new', status),
      '/new': page('<img src=a.gif>'),
      '/a.gif': gif,
    });
    const load = await loadPage(`${server.origin}/`);
    expect(load.url).toBe(`${server.origin}/`);
    expect(paths(load)).toEqual(['/', '/new', '/a.gif']);
    const [first, second, image] = load.resources;
    const own = { kind: 'document', initiator: null, error: null };
    expect(first).toMatchObject({ ...own, status, redirectUrl: `${server.origin}/new` });
    expect(second).toMatchObject({ ...own, status: 200, redirectUrl: null });
    expect(image).toMatchObject({ kind: 'image', status: 200, initiator: `${server.origin}/new` });
    expect(load.totals).toMatchObject({ requests: 3, responses: 3, errors: 0 });
  });

  it.each([300, 304, 305, 306])('%i is not followed by itself', async (status) => {
    const moved = to('/new', status, { 'Content-Length': '0' }).subarray(0, -5);
    const loaded = await load({ '/': moved, '/new': page() });
    expect(paths(loaded)).toEqual(['/']);
    expect(loaded.resources[0]).toMatchObject({ status, redirectUrl: null });
  });

  it.each([
    ['/a/b', '/a/b'],
    ['b', '/dir/b'],
    ['../b', '/b'],
    ['?q', '/dir/page?q'],
    ['/a b', '/a%20b'],
    ['//HOST/c', '/c'],
    ['/d#fragment', '/d'],
  ])(
    'Location %j is relative to the page, no fragment is sent (RFC 9110 10.2.2)',
    async (location, path) => {
      await using server = await site({
        '/dir/page': (origin) => to(location.replace('HOST', new URL(origin).host)),
      });
      const load = await loadPage(`${server.origin}/dir/page`);
      expect(server.requests.map((request) => request.path)).toEqual(['/dir/page', path]);
      expect(load.resources[0]?.redirectUrl).toBe(server.origin + path);
      expect(load.resources[1]?.url).toBe(server.origin + path);
    },
  );

  it.each([
    ['/caf\xc3\xa9', '/caf%C3%A9'], // UTF-8
    ['/caf\xe9', '/caf%E9'], // Latin-1
    ['/a%C3%A9', '/a%C3%A9'],
  ])('bytes above ASCII in a Location go back percent-encoded: %j', async (location, path) => {
    await using server = await site({ '/': to(location) });
    await loadPage(`${server.origin}/`);
    expect(server.requests[1]?.path).toBe(path);
  });

  it('references are relative to where it is, not to where it was', async () => {
    const answers = {
      '/old/x': to('/new/y'),
      '/new/y': page('<img src=a.gif>'),
      '/new/a.gif': gif,
    };
    expect(paths(await load(answers, {}, '/old/x'))).toEqual(Object.keys(answers));
  });

  it('what the redirect’s own body names is not fetched', async () => {
    const fields = { 'Content-Type': 'text/html', Location: '/new' };
    const body = response('<img src=/a.gif>', fields, '301 Moved');
    expect(paths(await load({ '/': body, '/new': page(), '/a.gif': gif }))).toEqual(['/', '/new']);
  });

  it('to another origin: fetched there, its images there too', async () => {
    await using target = await site({ '/': page('<img src=/a.gif>'), '/a.gif': gif });
    await using server = await site({ '/': to(`${target.origin}/`, 301) });
    const load = await loadPage(`${server.origin}/`);
    expect(load.resources.map(({ url }) => url)).toEqual([
      `${server.origin}/`,
      `${target.origin}/`,
      `${target.origin}/a.gif`,
    ]);
    expect(load.totals.errors).toBe(0);
  });

  it('credentials in a Location are dropped (RFC 9110 4.2.4)', async () => {
    await using server = await site({
      '/': (origin) => to(`${origin.replace('//', '//user:secret@')}/new`),
      '/new': page(),
    });
    const load = await loadPage(`${server.origin}/`);
    expect(load.resources[1]?.url).toBe(`${server.origin}/new`);
    expect(JSON.stringify(server.requests)).not.toMatch(/secret|authorization/);
  });

  it('cookies set on the way go with the next hop (RFC 6265 5.4)', async () => {
    await using server = await site({
      '/': to('/new', 302, { 'Set-Cookie': 'step=1' }),
      '/new': page(),
    });
    await loadPage(`${server.origin}/`);
    expect(server.requests[1]?.headers.cookie).toBe('step=1');
  });

  it.each([
    ['the login page', '/login', 'Path=/'],
    ['the login page, for the check alone', '/login', 'Path=/check'],
    ['the check', '/check', 'Path=/'],
  ])('a login that returns is no loop: the cookie is set by %s', async (_by, setter, path) => {
    const hops = ['/app', '/login', '/check', '/app'];
    await using server = await answering(({ path: at }, connection) => {
      const isBack = at === '/app' && server.requests.length > 2;
      const cookie = at === setter ? { 'Set-Cookie': `ok=1; ${path}` } : undefined;
      connection.write(isBack ? page() : to(hops[hops.indexOf(at) + 1] as string, 302, cookie));
    });
    const load = await loadPage(`${server.origin}/app`);
    expect(load.resources.map(({ status }) => status)).toEqual([302, 302, 302, 200]);
    expect(paths(load)).toEqual(hops);
    expect(load.totals.errors).toBe(0);
  });

  it('a 3xx without Location is the page', async () => {
    const body = response('<img src=/a.gif>', { 'Content-Type': 'text/html' }, '302 Found');
    const { resources } = await load({ '/': body, '/a.gif': gif });
    expect(resources[0]).toMatchObject({ status: 302, redirectUrl: null, error: null });
  });
});

describe('redirects that lead nowhere', () => {
  it.each([
    ['to itself', { '/': '/' }, ['/']],
    ['there and back', { '/': '/b', '/b': '/c', '/c': '/b' }, ['/', '/b', '/c']],
    ['to itself by another spelling', { '/': '/x/..' }, ['/']],
    ['to itself with a fragment', { '/': '/#again' }, ['/']],
  ])('a loop %s is seen when it closes, and no request is sent twice', async (_, hops, asked) => {
    await using server = await site(
      Object.fromEntries(Object.entries(hops).map(([from, location]) => [from, to(location)])),
    );
    const loaded = await loadPage(`${server.origin}/`);
    expect(server.requests.map(({ path }) => path)).toEqual(asked);
    expect(paths(loaded)).toEqual(asked);
    expect(loaded.resources.at(-1)?.error?.code).toBe('redirect-loop');
    expect(loaded.resources.at(-1)?.error?.message).toContain(server.origin);
    expect(loaded.totals.errors).toBe(1);
  });

  it('a cookie that is not kept teaches nothing, so the loop is seen', async () => {
    const answers = {
      '/': to('/b', 302, { 'Set-Cookie': 'a=b; Domain=other.example' }),
      '/b': to('/'),
    };
    expect((await load(answers)).resources[1]?.error?.code).toBe('redirect-loop');
    const kept = { '/': to('/', 302, { 'Set-Cookie': 'a=b' }) };
    expect((await load(kept, { cookies: false })).resources).toMatchObject([
      { error: { code: 'redirect-loop' } },
    ]);
  });

  it('a loop that sets a cookie each time ends at the limit', async () => {
    const loaded = await load({ '/': to('/', 302, { 'Set-Cookie': 'a=b' }) });
    expect(loaded.resources).toHaveLength(11);
    expect(loaded.resources.at(-1)?.error?.code).toBe('too-many-redirects');
  });

  it('ten redirects are followed, one more is an error', async () => {
    const chain = (hops: number): Record<string, Answer> => ({
      ...Object.fromEntries(
        Array.from({ length: hops }, (_, i) => [`/${i || ''}`, to(`/${i + 1}`)]),
      ),
      [`/${hops}`]: page(),
    });
    const fits = await load(chain(10));
    expect(fits.resources.map(({ error }) => error)).toEqual(Array(11).fill(null));
    const tooMany = await load(chain(11));
    expect(tooMany.resources).toHaveLength(11);
    const message = 'more than 10 redirects';
    expect(tooMany.resources.at(-1)?.error).toEqual({ code: 'too-many-redirects', message });
  });

  it.each(['http://', 'http://[::1', 'http://a b/', 'https://:443:443/', '//%/'])(
    '%j is no URL',
    async (location) => {
      expect((await load({ '/': to(location) })).resources).toMatchObject([
        { status: 302, redirectUrl: null, error: { code: 'invalid-redirect' } },
      ]);
    },
  );

  it.each([
    'file:///etc/passwd',
    'data:text/html,x',
    'javascript:1',
    'ftp://a.example/',
    'mailto:a',
  ])('Location %j is not fetched: only http and https are', async (location) => {
    expect((await load({ '/': to(location) })).resources).toMatchObject([
      { redirectUrl: null, error: { code: 'unsupported-scheme' } },
    ]);
  });
});

describe('an image that moved', () => {
  it('is followed, stays an image, and its size is known', async () => {
    await using server = await site({
      '/': page('<img src=/a><img src=/plain>'),
      '/a': to('/b', 301),
      '/b': to('/c', 308),
      '/c': gif,
      '/plain': gif,
    });
    const load = await loadPage(`${server.origin}/`);
    expect(load.totals.errors).toBe(0);
    const row = (path: string) => load.resources.find(({ url }) => url === server.origin + path);
    for (const path of ['/a', '/b', '/c']) {
      expect(row(path)).toMatchObject({ kind: 'image', initiator: `${server.origin}/` });
    }
    expect(row('/a')?.redirectUrl).toBe(`${server.origin}/b`);
    expect(row('/b')?.redirectUrl).toBe(`${server.origin}/c`);
    const { width, height } = numberedImage(4);
    expect(row('/c')).toMatchObject({ status: 200, redirectUrl: null, width, height });
  });

  it('in a loop, too often or to no URL is that image’s error, the page is whole', async () => {
    const html = page('<img src=/loop><img src=/bad><img src=/good>');
    const images = { '/loop': to('/loop'), '/bad': to('mailto:x'), '/good': gif };
    const { resources } = await load({ '/': html, ...images });
    expect(resources.map(({ url, error }) => [new URL(url).pathname, error?.code])).toEqual([
      ['/', undefined],
      ['/loop', 'redirect-loop'],
      ['/bad', 'unsupported-scheme'],
      ['/good', undefined],
    ]);
  });
});
