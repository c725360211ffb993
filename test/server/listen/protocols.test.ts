// One port, several protocols: HTTP/1.0 and 1.1 and HTTP/2 by prior knowledge in clear, h2 and http/1.1
// by ALPN over TLS.

import { once } from 'node:events';
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { buffer, json } from 'node:stream/consumers';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { tellingLog } from '../../support/telling-log.ts';
import { makeTestCertificate, type TestCertificate } from '../../support/tls.ts';
import { exchange, parseAnswers, RawClient } from '../raw-client.ts';
import { serveSite } from '../site.ts';

const html = `<!doctype html><p>${'Several words. '.repeat(500)}`;
const large = Buffer.alloc(3_000_000, 'large');
const files = { 'index.html': html, 'a.gif': 'GIF89a', 'large.bin': large };

let certificate: TestCertificate;
beforeAll(async () => {
  certificate = await makeTestCertificate();
});

interface Got {
  readonly headers: IncomingHttpHeaders & { ':status'?: number };
  readonly body: Buffer;
}

async function askHttp2(
  url: string,
  requests: Record<string, string>[],
  options: { ca?: string } = {},
): Promise<Got[]> {
  const session = connectHttp2(url, options);
  const got = requests.map(async (fields) => {
    const stream = session.request(fields);
    const [headers] = (await once(stream, 'response')) as [Got['headers']];
    return { headers, body: await buffer(stream) };
  });
  const all = await Promise.all(got);
  session.close();
  return all;
}

async function expectHttp2(url: string, options: { ca?: string } = {}): Promise<void> {
  const [page, image, big, part, head, none, posted] = await askHttp2(
    url,
    [
      { ':path': '/', 'accept-encoding': 'gzip' },
      { ':path': '/a.gif' },
      { ':path': '/large.bin' },
      { ':path': '/large.bin', range: 'bytes=10-19' },
      { ':path': '/large.bin', ':method': 'HEAD' },
      { ':path': '/../none' },
      { ':path': '/', ':method': 'POST' },
    ],
    options,
  );
  expect(page?.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(page?.body ?? '').toString()).toBe(html);
  expect(image?.body.toString()).toBe(files['a.gif']);
  expect(big?.body.equals(large)).toBe(true);
  expect(part?.headers[':status']).toBe(206);
  expect(part?.body.equals(large.subarray(10, 20))).toBe(true);
  expect([head?.headers['content-length'], head?.body.length]).toEqual([String(large.length), 0]);
  expect(none?.headers[':status']).toBe(404);
  expect([posted?.headers[':status'], posted?.headers.allow]).toEqual([405, 'GET, HEAD']);
  const [again] = await askHttp2(
    url,
    [{ ':path': '/a.gif', 'if-none-match': String(image?.headers.etag) }],
    options,
  );
  expect([again?.headers[':status'], again?.body.length]).toEqual([304, 0]);
}

test('HTTP/2 by prior knowledge on the port of HTTP/1 (RFC 9113 3.3)', async () => {
  await using served = await serveSite(files);
  await expectHttp2(served.url);
  const [answer] = await exchange(served.port, 'GET /a.gif HTTP/1.0\r\n\r\n');
  expect(answer?.body.toString()).toBe(files['a.gif']);
});

test('the first bytes tell the protocol, however they are cut', async () => {
  await using served = await serveSite({ 'a.gif': 'GIF89a' });
  const text = 'PROPFIND /a.gif HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  for (const cuts of [[1], [2], [3], [1, 2, 3, 4], Array.from(text, (_, index) => index)]) {
    const client = new RawClient(served.port);
    let start = 0;
    for (const cut of [...cuts, text.length]) {
      client.send(text.slice(start, cut));
      start = cut;
      // Each piece in a segment of its own.
      await new Promise(setImmediate);
    }
    expect(await client.closed).toBeUndefined();
    expect(parseAnswers(client.bytes)[0]?.status).toBe(405);
  }
});

test('h2 and http/1.1 by ALPN over TLS (RFC 7301)', async () => {
  await using served = await serveSite(files, { tls: certificate });
  expect(served.url).toMatch(/^https:/);
  await expectHttp2(served.url, { ca: certificate.cert });

  const offers: [offered: string[], chosen: string | false][] = [
    [['h2', 'http/1.1'], 'h2'],
    [['http/1.1', 'h2'], 'h2'],
    [['http/1.1'], 'http/1.1'],
    [[], false],
  ];
  for (const [ALPNProtocols, chosen] of offers) {
    const { port } = served;
    const socket = connectTls({ port, host: '127.0.0.1', ca: certificate.cert, ALPNProtocols });
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe(chosen);
    socket.destroy();
  }
});

test('pipelining, closing and all else of HTTP/1 work over TLS', async () => {
  await using served = await serveSite(files, { tls: certificate, maxRequestsPerConnection: 5 });
  const { port } = served;
  const socket: TLSSocket = connectTls({ port, host: '127.0.0.1', ca: certificate.cert });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write('GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(15));
  await once(socket, 'close');
  const answers = parseAnswers(Buffer.concat(chunks));
  expect(answers.map(({ headers }) => headers.connection)).toEqual([
    ...Array(4).fill(undefined),
    'close',
  ]);
  for (const { body } of answers) expect(body.equals(large)).toBe(true);
});

test('Express sees a secure request over TLS', async () => {
  await using served = await serveSite({}, { tls: certificate });
  served.origin.app.get('/who', (req, res) => {
    res.json({ isSecure: req.secure, address: req.ip });
  });
  const request = httpsRequest(`${served.url}/who`, { ca: certificate.cert, agent: false });
  request.end();
  const [response] = await once(request, 'response');
  expect(await json(response)).toEqual({ isSecure: true, address: '127.0.0.1' });
});

test('something that is no TLS on a TLS port harms nobody', async () => {
  await using served = await serveSite(files, { tls: certificate });
  const client = new RawClient(served.port);
  client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await client.closed;
  expect(parseAnswers(client.bytes)).toHaveLength(0);
  await expectHttp2(served.url, { ca: certificate.cert });
});

test('HTTP/1.0: the connection ends with the answer unless it is asked to stay (RFC 9112 9.3, C.2.2)', async () => {
  await using served = await serveSite(files);
  const [closed] = await exchange(served.port, 'GET /a.gif HTTP/1.0\r\n\r\n');
  expect([closed?.status, closed?.headers.connection]).toEqual([200, 'close']);

  const client = new RawClient(served.port);
  const keep = 'GET /a.gif HTTP/1.0\r\nConnection: keep-alive\r\n\r\n';
  client.send(keep);
  const [kept] = await client.answers(1);
  expect([kept?.headers.connection, kept?.headers['content-length']]).toEqual(['keep-alive', '6']);
  client.send('GET /a.gif HTTP/1.0\r\n\r\n');
  expect(await client.closed).toBeUndefined();
  expect(parseAnswers(client.bytes)).toHaveLength(2);
});

test('HTTP/1.0: an answer of unknown length ends with the connection and is not chunked (RFC 9112 6.1)', async () => {
  await using served = await serveSite(files, {
    handlers: [
      (req, res, next) => {
        if (req.url !== '/unknown') return next();
        res.write(Buffer.from('some '));
        res.end('bytes');
      },
    ],
  });
  const text = 'GET /unknown HTTP/1.0\r\nConnection: keep-alive\r\n\r\n';
  const [answer] = await exchange(served.port, text);
  const { connection, 'transfer-encoding': coding } = answer?.headers ?? {};
  expect([connection, coding, answer?.body.toString()]).toEqual(['close', undefined, 'some bytes']);
});

test('handlers run under both protocols and before the files', async () => {
  const seen: string[] = [];
  await using served = await serveSite(files, {
    handlers: [
      (req, res, next) => {
        seen.push(`${req.httpVersion} ${req.url}`);
        res.setHeader('Server-Timing', 'cache');
        next();
      },
    ],
  });
  const [old] = await exchange(served.port, 'GET /a.gif HTTP/1.0\r\n\r\n');
  const [now] = await askHttp2(served.url, [{ ':path': '/none' }]);
  expect(seen).toEqual(['1.0 /a.gif', '2.0 /none']);
  expect(old?.headers['server-timing']).toBe('cache');
  expect(now?.headers['server-timing']).toBe('cache');
});

test('a handler that fails is a plain 500, one that fails under way is cut off, the rest goes on', async () => {
  const problems: unknown[] = [];
  await using served = await serveSite(files, {
    log: tellingLog((_, { err }) => problems.push(err)),
    handlers: [
      (req, res, next) => {
        if (req.url === '/throws') throw new Error('<b>secret</b>');
        if (req.url === '/passes') return next(new Error('secret'));
        if (req.url === '/rejects') return Promise.reject(new Error('secret'));
        if (req.url === '/late') {
          res.setHeader('Content-Length', '10');
          res.write(Buffer.from('12345'));
          return next(new Error('late'));
        }
        next();
      },
    ],
  });
  for (const target of ['/throws', '/passes', '/rejects']) {
    const [old] = await exchange(served.port, `GET ${target} HTTP/1.0\r\n\r\n`);
    expect([old?.status, old?.body.toString()]).toEqual([500, '500 Internal Server Error\n']);
    const [now] = await askHttp2(served.url, [{ ':path': target }]);
    expect([now?.headers[':status'], now?.body.toString()]).toEqual([500, old?.body.toString()]);
  }
  const client = new RawClient(served.port);
  client.send('GET /late HTTP/1.1\r\nHost: a\r\n\r\n');
  await client.closed;
  expect(client.bytes.length).toBeLessThan(400);
  await expect(askHttp2(served.url, [{ ':path': '/late' }])).rejects.toThrow(/INTERNAL_ERROR/);
  expect(problems).toHaveLength(8);
});

test('an HTTP/2 connection answers as many requests as it may, though more are sent at once', async () => {
  await using served = await serveSite(files, { maxRequestsPerConnection: 5 });
  const session = connectHttp2(served.url);
  await once(session, 'connect');
  const answerOf = async () => {
    const stream = session.request({ ':path': '/a.gif' });
    const [head] = await once(stream, 'response');
    await buffer(stream);
    return head[':status'] as number;
  };
  const statuses = await Promise.all(
    Array.from({ length: 20 }, () => answerOf().catch(() => null)),
  );
  expect(statuses.filter((status) => status !== null)).toEqual([200, 200, 200, 200, 200]);
  session.destroy();
});
