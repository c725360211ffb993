// HTTP/2 towards the client, HTTP/1.1 towards the upstream: what is a value there must not become a line
// here. Frames by bytes; the upstream records all it gets.

import { expect, test } from 'vitest';
import { type Field, requestByHttp2 } from './raw-http2.ts';
import { answerOk, startSite, withoutLoopName } from './set-up.ts';

const pseudo = (changes: Record<string, string | undefined> = {}): Field[] =>
  Object.entries({
    ':method': 'GET',
    ':scheme': 'http',
    ':authority': 'a',
    ':path': '/',
    ...changes,
  }).filter((field): field is [string, string] => field[1] !== undefined);

test('a request that is in order is passed on', async () => {
  await using site = await startSite();
  expect(await requestByHttp2(site.port, [...pseudo(), ['x-a', 'b']])).toBe(200);
  expect(site.received()).toMatch(/^GET \/ HTTP\/1\.1\r\nHost: a\r\n(?:.*\r\n)*x-a: b\r\n/m);
});

test.each<[string, Field[], string?]>([
  ['upper case in a name', [...pseudo(), ['X-A', 'b']]],
  ['CR LF in :path', pseudo({ ':path': '/ HTTP/1.1\r\nX: y' })],
  ['a space in :path', pseudo({ ':path': '/a b' })],
  ['no slash in :path', pseudo({ ':path': 'a' })],
  ['an empty :path', pseudo({ ':path': '' })],
  ['a fragment in :path', pseudo({ ':path': '/a#b' })],
  ['no :path', pseudo({ ':path': undefined })],
  ['two :path', [...pseudo(), [':path', '/b']]],
  ['CR LF in :method', pseudo({ ':method': 'GET / HTTP/1.1\r\nX: y' })],
  ['a space in :method', pseudo({ ':method': 'GET /x' })],
  ['no :method', pseudo({ ':method': undefined })],
  ['CR LF in :authority', pseudo({ ':authority': 'a\r\nX: y' })],
  ['a path in :authority', pseudo({ ':authority': 'a/b' })],
  ['two Host', [...pseudo({ ':authority': undefined }), ['host', 'a'], ['host', 'b']]],
  ['an odd :scheme', pseudo({ ':scheme': 'x\r\nY: z' })],
  ['a pseudo-field behind a field', [...pseudo(), ['x', 'y'], [':path', '/z']]],
  ['an unknown pseudo-field', [[':x', 'y'], ...pseudo()]],
  ['Connection', [...pseudo(), ['connection', 'close']]],
  ['Keep-Alive', [...pseudo(), ['keep-alive', 'x']]],
  ['Proxy-Connection', [...pseudo(), ['proxy-connection', 'x']]],
  ['Upgrade', [...pseudo(), ['upgrade', 'websocket']]],
  ['TE other than trailers', [...pseudo(), ['te', 'gzip']]],
  ['Transfer-Encoding', [...pseudo({ ':method': 'POST' }), ['transfer-encoding', 'chunked']], 'x'],
  ['two Content-Length', [...pseudo(), ['content-length', '1'], ['content-length', '2']], 'x'],
  ['Content-Length that is no number', [...pseudo(), ['content-length', '+1']], 'x'],
])('refused, and not a byte goes on: %s (RFC 9113 8.2, 8.3)', async (_name, fields, body) => {
  await using site = await startSite();
  const answer = await requestByHttp2(site.port, fields, body);
  expect(answer === 'reset' || answer === 'goaway' || answer === 400, String(answer)).toBe(true);
  expect(site.received()).toBe('');
});

// nghttp2 leaves such a field out and says nothing, so there is nothing to refuse.
test.each<[string, Field]>([
  ['CR LF in a value', ['x', 'a\r\nContent-Length: 5']],
  ['LF in a value', ['x', 'a\nb']],
  ['NUL in a value', ['x', 'a\0b']],
  ['a colon in a name', ['x: y\r\nz', 'a']],
  ['CR LF in a name', ['x\r\ny', 'a']],
  ['no name', ['', 'b']],
])('a field with %s is no field: nothing of it goes on (RFC 9113 8.2.1)', async (_name, field) => {
  await using site = await startSite();
  const answer = await requestByHttp2(site.port, [...pseudo(), field]);
  expect([200, 400, 'reset']).toContain(answer);
  const clean =
    'GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Proto: http\r\n' +
    'X-Forwarded-Host: a\r\nCDN-Loop: *\r\nConnection: keep-alive\r\n\r\n';
  expect(['', clean]).toContain(withoutLoopName(site.received()));
});

test.each([
  ['more', '1', 'xGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['less', '9', 'x'],
])(
  '%s content than Content-Length says is no request (RFC 9113 8.1.1)',
  async (_n, length, body) => {
    await using site = await startSite({ onRequest: () => {} });
    const fields: Field[] = [...pseudo({ ':method': 'POST' }), ['content-length', length]];
    expect(await requestByHttp2(site.port, fields, body)).not.toBe(200);
    await Promise.all(site.upstream.connections.map(({ closed }) => closed));
    expect(site.received()).not.toContain('smuggled');
  },
);

// node:http writes every method in capitals, so these would become others, past all that decides by method.
test.each(['trace', 'connect', 'delete', 'Get', 'head', 'get', 'PUTT', 'x', '!#$'])(
  'the method %s is none that is known here: 501, and no handler sees it (RFC 9110 9.1)',
  async (method) => {
    const seen: unknown[] = [];
    await using site = await startSite(answerOk, {
      handlers: [(req, _res, next) => void next(seen.push(req.method) && undefined)],
    });
    expect(await requestByHttp2(site.port, pseudo({ ':method': method }))).toBe(501);
    expect([site.received(), seen]).toEqual(['', []]);
  },
);

test('a handler that sets such a method is told; its request is not sent', async () => {
  await using site = await startSite(answerOk, {
    handlers: [
      (req, _res, next) => {
        (req as { method: string }).method = 'delete';
        next();
      },
    ],
  });
  expect(await requestByHttp2(site.port, pseudo())).toBe(500);
  expect(site.received()).toBe('');
  expect(site.errors).toMatchObject([{ code: 'framing-mismatch' }]);
});

test('CONNECT and TRACE go no further', async () => {
  await using site = await startSite();
  const connect = pseudo({ ':method': 'CONNECT', ':path': undefined, ':scheme': undefined });
  expect(await requestByHttp2(site.port, connect)).not.toBe(200);
  expect(await requestByHttp2(site.port, pseudo({ ':method': 'TRACE' }))).toBe(405);
  expect(site.received()).toBe('');
});
