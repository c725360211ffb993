// What goes on the wire for what a caller asks (Fetch Standard, 5.4 "Request class", 4.6).

import { describe, expect, it } from 'vitest';
import { createFetch, type FetchOptions } from '../../../loader/fetch/fetch.ts';
import { type RawConnection, response } from '../../support/raw-server.ts';
import { served } from './cached-fetch.ts';
import { failure } from './failure.ts';
import { type Asked, startHttpSite } from './http-site.ts';

const quietSite = () => startHttpSite((_asked, answer) => answer.end());

/** A call, as it arrived at a site that answers everything with 200 and nothing. */
async function arrived(init: RequestInit, options: FetchOptions = {}, path = '') {
  const site = await quietSite();
  await using fetch = createFetch(options);
  expect((await fetch(`${site.origin}${path}`, init)).status).toBe(200);
  return { ...(site.asked[0] as Asked), host: new URL(site.origin).host };
}

async function* pieces(...texts: string[]) {
  for (const text of texts) yield new TextEncoder().encode(text);
}

describe('the body of a request', () => {
  it.each([
    ['a string', 'text', 'text/plain;charset=UTF-8', 'text'],
    ['bytes', Buffer.from('bytes'), undefined, 'bytes'],
    ['an ArrayBuffer', new TextEncoder().encode('buffer').buffer, undefined, 'buffer'],
    ['a Blob', new Blob(['blob'], { type: 'text/x' }), 'text/x', 'blob'],
    [
      'URLSearchParams',
      new URLSearchParams({ a: '1 2' }),
      'application/x-www-form-urlencoded;charset=UTF-8',
      'a=1+2',
    ],
  ])('%s goes with its length and type', async (_name, body, type, sent) => {
    const asked = await arrived({ method: 'POST', body });
    expect(asked.body).toBe(sent);
    expect(asked.headers['content-type']).toBe(type);
    expect(asked.headers['content-length']).toBe(String(sent.length));
  });

  it('a stream is gathered and sent with its length', async () => {
    const body = ReadableStream.from(pieces('one ', 'two'));
    const asked = await arrived({ method: 'PUT', body, duplex: 'half' });
    expect(asked).toMatchObject({ body: 'one two', headers: { 'content-length': '7' } });
  });

  it('a form goes as multipart/form-data', async () => {
    const body = new FormData();
    body.set('file', new Blob(['content']), 'name.txt');
    const asked = await arrived({ method: 'POST', body });
    expect(asked.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(asked.body).toMatch(/filename="name\.txt"[\s\S]*\r\n\r\ncontent\r\n/);
  });

  it('10 MB arrive whole', async () => {
    const body = Buffer.alloc(10_000_000, 'abcdefghij');
    const asked = await arrived({ method: 'POST', body });
    expect(asked.body === body.toString('latin1')).toBe(true);
  });

  it('a POST without a body says so (RFC 9110 8.6)', async () => {
    expect((await arrived({ method: 'POST' })).headers['content-length']).toBe('0');
  });
});

describe('the request line and fields', () => {
  it.each(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])(
    '%s is sent as it is',
    async (method) => {
      const asked = await arrived({ method }, {}, '/path?query#fragment');
      expect(asked).toMatchObject({ method, path: '/path?query' });
    },
  );

  it.each([
    ['an object', { 'X-Own': 'a' }],
    ['pairs', [['X-Own', 'a']] as [string, string][]],
    ['Headers', new Headers({ 'X-Own': 'a' })],
  ])('take fields as %s', async (_name, headers) => {
    expect((await arrived({ headers })).headers['x-own']).toBe('a');
  });

  it('take a Request, and init before it', async () => {
    const site = await quietSite();
    await using fetch = createFetch();
    const headers = { 'x-own': 'of the request' };
    const request = new Request(site.origin, { method: 'PUT', body: 'content', headers });
    await fetch(request, { headers: { 'x-own': 'of init' } });
    expect(site.asked[0]).toMatchObject({ method: 'PUT', body: 'content' });
    expect(site.asked[0]?.headers['x-own']).toBe('of init');
    expect(request.bodyUsed).toBe(true);
  });

  it("the caller's own go before those of the options, and these before the defaults", async () => {
    const both = { 'x-own': 'extra', 'user-agent': 'extra' };
    const extraHeaders = { 'x-extra': 'extra', accept: 'text/html', ...both };
    const headers = { 'x-own': 'own', 'user-agent': 'own' };
    const asked = await arrived({ headers }, { extraHeaders });
    expect(asked.headers).toMatchObject({
      'x-extra': 'extra',
      'x-own': 'own',
      'user-agent': 'own',
      accept: 'text/html',
    });
  });

  it('fields about the connection are not the caller’s to say (Fetch Standard, forbidden request-headers)', async () => {
    const headers = { connection: 'close', 'content-length': '5', te: 'trailers', host: 'other' };
    const asked = await arrived({ method: 'POST', body: 'ok', headers });
    const { host } = asked;
    expect(asked.headers).toMatchObject({ connection: 'keep-alive', 'content-length': '2', host });
    expect(asked.headers.te).toBeUndefined();
  });

  it('a request for a range asks for no coding (Fetch Standard, 4.6)', async () => {
    const { headers } = await arrived({ headers: { range: 'bytes=0-1' } });
    expect(headers['accept-encoding']).toBe('identity');
  });

  it.each([
    ['no-cache', 'max-age=0', undefined],
    ['reload', 'no-cache', 'no-cache'],
    ['no-store', 'no-cache', 'no-cache'],
    ['default', undefined, undefined],
  ] as const)('cache mode %s tells caches on the way', async (cache, control, pragma) => {
    const { headers } = await arrived({ cache });
    expect([headers['cache-control'], headers.pragma]).toEqual([control, pragma]);
  });
});

describe('what is not sent at all', () => {
  it.each([
    ['a scheme that is not http', 'ftp://127.0.0.1/', {}, 'unsupported-scheme'],
    ['data:', 'data:,x', {}, 'unsupported-scheme'],
    ['integrity', 'http://127.0.0.1:9/', { integrity: 'sha256-x' }, 'invalid-option'],
    ['a dispatcher', 'http://127.0.0.1:9/', { dispatcher: {} as never }, 'invalid-option'],
  ])('%s', async (_name, url, init, code) => {
    await using fetch = createFetch();
    const option = code === 'invalid-option' ? `init.${Object.keys(init)[0]}` : null;
    await expect(fetch(url, init)).rejects.toMatchObject({ cause: { code, option } });
  });

  it('what the platform’s Request refuses', async () => {
    await using fetch = createFetch();
    await expect(fetch('/relative')).rejects.toThrow(TypeError);
    await expect(fetch('http://user:secret@127.0.0.1/')).rejects.toThrow(TypeError);
    await expect(fetch('http://127.0.0.1/', { body: 'x' })).rejects.toThrow(TypeError);
    await expect(fetch('http://127.0.0.1/', { method: 'TRACE' })).rejects.toThrow(TypeError);
    // A stream is sent without waiting for the response: that has to be said (Fetch Standard, 5.4).
    const body = ReadableStream.from(pieces('x'));
    await expect(fetch('http://127.0.0.1:9/', { method: 'POST', body })).rejects.toThrow(/duplex/);
  });

  it('an address that is not public, when these are refused', async () => {
    const site = await quietSite();
    await using fetch = createFetch({ refusePrivateAddresses: true });
    expect(await failure(fetch(site.origin))).toBe('address-refused');
    expect(site.asked).toEqual([]);
  });

  it.each<[name: string, options: unknown]>([
    ['options', null],
    ['options', []],
    ['limits.maxResourceBytes', { limits: { maxResourceBytes: -1 } }],
    ['protocol', { protocol: 'spdy' }],
    ['cache', { cache: {} }],
    ['nonsense', { nonsense: 1 }],
    // Options of pages.
    ['batch', { batch: {} }],
    ['discovery', { discovery: {} }],
    ['getAll', { getAll: false }],
    ['headers', { headers: 'minimal' }],
    ['images', { images: 'whole' }],
  ])('with wrong %s, as in %j', (name, options) => {
    expect(() => createFetch(options as never)).toThrow(
      expect.objectContaining({ code: 'invalid-option', option: name }),
    );
  });
});

describe('cookies', () => {
  const cookieSite = () =>
    startHttpSite((_asked, answer) => answer.setHeader('set-cookie', ['a=1', 'b=2']).end());

  it.each([
    ['are not kept unless they are asked for', {}, undefined],
    [
      'are kept and sent with `cookies`, and not with credentials: omit',
      { cookies: true },
      'a=1; b=2',
    ],
  ])('%s', async (_, options, kept) => {
    const site = await cookieSite();
    await using fetch = createFetch(options);
    await fetch(site.origin);
    await fetch(site.origin);
    await fetch(site.origin, { credentials: 'omit' });
    await fetch(site.origin, { headers: { cookie: 'own=1' } });
    const sent = site.asked.map(({ headers }) => headers.cookie);
    expect(sent).toEqual([undefined, kept, undefined, 'own=1']);
  });
});

describe('how often a request goes', () => {
  it('a GET whose kept connection was closed goes again, a POST never does (RFC 9110 9.2.2)', async () => {
    const { server, fetch } = await served(
      ({ method, index }, connection) => {
        if (method === 'GET' && index === 0) connection.write(response('first'));
        else connection.end();
      },
      { connections: 1 },
    );
    expect(await (await fetch(server.origin)).text()).toBe('first');
    expect(await (await fetch(server.origin)).text()).toBe('first');
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
    expect(await failure(fetch(server.origin, { method: 'POST' }))).toBe('connection-lost');
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it.each(['end', 'reset'] as const)(
    'a GET whose kept connections were all closed (%s) goes once more, on a fresh one (RFC 9112 9.3.1)',
    async (how) => {
      const first: RawConnection[] = [];
      const { server, fetch } = await served(({ index }, connection) => {
        if (index > 0) connection[how]();
        else if (first.push(connection) === 4) for (const each of first) each.write(response('a'));
        else if (first.length > 4) connection.write(response('b'));
      });
      const urls = [1, 2, 3, 4].map((each) => `${server.origin}/${each}`);
      await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
      expect(await (await fetch(server.origin)).text()).toBe('b');
      expect(server.requests.slice(4).map(({ index }) => index)).toEqual([1, 0]);
    },
  );

  it('a POST that is answered out of step is not asked again', async () => {
    const { server, fetch } = await served((_request, connection) => {
      connection.write(Buffer.concat([response('one'), response('two')]));
    });
    const answer = await fetch(server.origin, { method: 'POST' }).then((each) => each.text());
    expect(answer).toBe('one');
    await Promise.all(server.connections.map(({ closed }) => closed));
    expect(server.requests).toHaveLength(1);
  });
});
