// Everything a stranger could ask too much of has an end.

import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { expect, test } from 'vitest';
import { visitorAddress } from '../../../http/visitor-address.ts';
import { withConstants } from '../../../options/options.ts';
import type { OriginOptions } from '../../../server/index.ts';
import { requestByHttp2 } from '../proxy/raw-http2.ts';
import { ask, exchange, parseAnswers, RawClient } from '../raw-client.ts';
import { serveSite } from '../site.ts';

const request = 'GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n';
const last = 'GET /a.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const files = { 'a.txt': 'a' };

/** Sends a byte whenever the server had time, until it has had enough. */
async function trickle(client: RawClient, text: string): Promise<void> {
  let isClosed = false;
  void client.ended.then(() => {
    isClosed = true;
  });
  for (let sent = 0; !isClosed; sent++) {
    client.send(text[sent % text.length] ?? '');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test.each([
  ['from the first byte', ''],
  ['behind an answered request', request],
])('header fields that come byte by byte end in 408, %s (RFC 9110 15.5.9)', async (_, before) => {
  await using served = await serveSite(files, withConstants({ headersTimeoutMs: 150 }));
  const client = new RawClient(served.port);
  client.send(`${before}GET /a.txt HTTP/1.1\r\nHost: a\r\n`);
  await trickle(client, 'X-Slow: loris\r\n');
  await client.closed;
  const last = parseAnswers(client.bytes).at(-1);
  expect([last?.status, last?.headers.connection]).toEqual([408, 'close']);
});

test.each([
  ['the first', '', 300],
  ['a later one, on a kept connection', request, 1500],
])('a request that was here while the process was busy is not late: %s', async (_, before, ms) => {
  const limits = { headersTimeoutMs: 100, keepAliveTimeoutMs: 100 };
  await using served = await serveSite(files, withConstants(limits));
  const accepted = new Promise((resolve) => subscribe('net.server.socket', resolve));
  const client = new RawClient(served.port);
  await Promise.all([once(client.socket, 'connect'), accepted]);
  client.send(before);
  if (before) await once(client.socket, 'data');
  client.send(last);
  for (const endMs = performance.now() + ms; performance.now() < endMs; );
  expect(await client.closed).toBeUndefined();
  expect(parseAnswers(client.bytes).at(-1)?.headers.connection).toBe('close');
});

test('content that comes byte by byte ends in 408', async () => {
  await using served = await serveSite(files, {
    requestTimeoutMs: 200,
    ...withConstants({ headersTimeoutMs: 100 }),
    handlers: [(req) => void req.resume()],
  });
  const client = new RawClient(served.port);
  client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n');
  await trickle(client, 'x');
  expect(parseAnswers(client.bytes)[0]?.status).toBe(408);
});

test('content of an HTTP/2 stream that comes byte by byte ends in 408, whole content may be answered later', async () => {
  const isLate = Promise.withResolvers<void>();
  await using served = await serveSite(files, {
    requestTimeoutMs: 200,
    ...withConstants({ headersTimeoutMs: 100 }),
    handlers: [
      (req, res) => {
        req.resume();
        if (req.url === '/late') void isLate.promise.then(() => res.end('late'));
      },
    ],
  });
  const session = connectHttp2(served.url);
  const headers = { ':method': 'POST', ':path': '/late', 'content-length': '3' };
  const whole = once(session.request(headers).end('all'), 'response');
  const slow = session.request({ ':method': 'POST', ':path': '/' });
  slow.on('error', () => {});
  const timer = setInterval(() => slow.write('x'), 10);
  const [answer] = await once(slow, 'response');
  clearInterval(timer);
  expect(answer[':status']).toBe(408);
  isLate.resolve();
  expect((await whole)[0][':status']).toBe(200);
  session.destroy();
});

test('content that breaks or stalls behind its answer gets no second answer', async () => {
  await using served = await serveSite(files, {
    requestTimeoutMs: 200,
    ...withConstants({ headersTimeoutMs: 100 }),
  });
  const stalling = new RawClient(served.port);
  stalling.send('GET /a.txt HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n');
  await trickle(stalling, 'x');
  expect(parseAnswers(stalling.bytes).map(({ status }) => status)).toEqual([200]);
  const breaking = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnonsense';
  const answers = await exchange(served.port, breaking);
  expect(answers.map(({ status }) => status)).toEqual([400]);
});

test('a connection that says nothing, or a little of a preface, is closed', async () => {
  await using served = await serveSite(files, withConstants({ headersTimeoutMs: 100 }));
  for (const text of ['', 'PR', 'PRI * HTTP/2.0\r\n\r\nS']) {
    const client = new RawClient(served.port);
    if (text) client.send(text);
    await client.ended;
    client.socket.destroy();
  }
  await expect.poll(() => served.origin.stats().openConnections).toBe(0);
});

test('too many header bytes are 431, too long a target 414 (RFC 6585 5, RFC 9110 15.5.15)', async () => {
  const small = withConstants({ maxHeaderBytes: 4096, maxUrlBytes: 1000 });
  await using served = await serveSite(files, small);
  const field = { 'X-Large': 'x'.repeat(5000) };
  expect((await ask(served.port, '/a.txt', field)).status).toBe(431);
  expect((await ask(served.port, `/${'x'.repeat(1000)}`)).status).toBe(414);
  expect((await ask(served.port, `/${'x'.repeat(999)}`)).status).toBe(404);
  const session = connectHttp2(served.url);
  const stream = session.request({ ':path': `/${'x'.repeat(1000)}` });
  const [headers] = await once(stream, 'response');
  expect(headers[':status']).toBe(414);
  session.destroy();
});

const many = (count: number) => 'a:\r\n'.repeat(count);
const manyByHttp2 = (count: number, field: readonly [string, string] = ['a', '']) => [
  ...pseudoFields,
  ...Array.from({ length: count }, () => field),
];
const pseudoFields = [
  [':method', 'GET'],
  [':path', '/a.txt'],
  [':scheme', 'http'],
  [':authority', 'a'],
] as const;

test('more than 200 fields are 431 over HTTP/1 and HTTP/2 (RFC 6585 5), not too many bytes either', async () => {
  await using served = await serveSite(files, withConstants({ maxHeaderBytes: 8 * 1024 }));
  const host = 'GET /a.txt HTTP/1.1\r\nHost: a\r\n';
  const statuses = async (fields: number) => {
    const answers = await exchange(served.port, `${request}${host}${many(fields)}\r\n${last}`);
    return answers.map(({ status }) => status);
  };
  expect(await statuses(199)).toEqual([200, 200, 200]);
  expect(await statuses(200)).toEqual([200, 431]);
  expect(await statuses(1_500)).toEqual([200, 431]);
  const { port } = served;
  expect(await requestByHttp2(port, manyByHttp2(200))).toBe(200);
  expect(await requestByHttp2(port, manyByHttp2(201))).toBe(431);
  expect(await requestByHttp2(port, manyByHttp2(3_000))).toBe(431);
  // As bytes are counted over HTTP/1.
  expect(await requestByHttp2(port, manyByHttp2(60, ['x', 'v'.repeat(100)]))).toBe(200);
  expect(await requestByHttp2(port, manyByHttp2(100, ['x', 'v'.repeat(100)]))).toBe(431);
  expect(served.origin.stats().requests).toBe(3 + 1 + 1 + 1 + 1);
});

test('125 cookies as fields of their own pass (RFC 9113 8.2.3)', async () => {
  let cookie = '';
  const handlers: OriginOptions['handlers'] = [
    (req, _res, next) => {
      cookie = req.headers.cookie ?? '';
      next();
    },
  ];
  await using served = await serveSite(files, { handlers });
  const crumbs = Array.from({ length: 125 }, (_, n) => ['cookie', `c${n}=${n}`] as const);
  expect(await requestByHttp2(served.port, [...pseudoFields, ...crumbs])).toBe(200);
  expect(cookie.split('; ')).toHaveLength(125);
});

test('content with GET is drained up to a limit, else refused (RFC 9110 9.3.1, 15.5.14)', async () => {
  await using served = await serveSite(files, { maxRequestBodyBytes: 1000 });
  const get = 'GET /a.txt HTTP/1.1\r\nHost: a\r\n';
  const client = new RawClient(served.port);
  client.send(`${get}Content-Length: 1000\r\n\r\n${'x'.repeat(1000)}${request}`);
  expect((await client.answers(2)).map(({ status }) => status)).toEqual([200, 200]);
  client.socket.destroy();
  for (const refused of [
    `${get}Content-Length: 1001\r\n\r\n${'x'.repeat(1001)}`,
    `${get}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`,
    `POST /a.txt HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\nxxx`,
  ]) {
    const answers = await exchange(served.port, refused + request);
    expect(answers).toMatchObject([{ status: 413, headers: { connection: 'close' } }]);
  }
});

test('one connection too many is told 503 and closed, in all and for one address', async () => {
  for (const limit of [{ maxConnections: 2 }, withConstants({ maxConnectionsPerAddress: 2 })]) {
    await using served = await serveSite(files, { ...limit, trustProxy: false });
    const clients = [new RawClient(served.port), new RawClient(served.port)];
    for (const client of clients) {
      client.send(request);
      await client.answers(1);
    }
    const refused = new RawClient(served.port);
    await refused.closed;
    expect(parseAnswers(refused.bytes)[0]?.status).toBe(503);
    expect(served.origin.stats().refusedConnections).toBe(1);
    clients[0]?.socket.destroy();
    await expect.poll(() => served.origin.stats().openConnections).toBe(1);
    expect((await ask(served.port, '/a.txt')).status).toBe(200);
    clients[1]?.socket.destroy();
  }
});

test('many visitors come from the address of a proxy that is trusted, and from this machine', async () => {
  for (const trustProxy of [undefined, 'loopback', ['127.0.0.1']]) {
    await using served = await serveSite(files, {
      ...withConstants({ maxConnectionsPerAddress: 1 }),
      trustProxy,
    });
    const clients = Array.from({ length: 5 }, () => new RawClient(served.port));
    for (const client of clients) client.send(request);
    const answers = await Promise.all(clients.map((client) => client.answers(1)));
    expect(answers.flat().map(({ status }) => status)).toEqual(Array(5).fill(200));
    for (const { socket } of clients) socket.destroy();
  }
});

test('an address is counted once however it is written; IPv6 by its /48, or the IPv4 inside', () => {
  expect(visitorAddress('::ffff:192.0.2.1')).toBe(visitorAddress('192.0.2.1'));
  expect(visitorAddress('2001:db8:1:2:3::4')).toBe(visitorAddress('2001:DB8:1:3::'));
  expect(visitorAddress('2001:db8:1:2::')).not.toBe(visitorAddress('2001:db8:2:2::'));
  const once = visitorAddress('2001:db8:1:2:3::4');
  expect(visitorAddress(once)).toBe(once);
  // 6to4 (RFC 3056 2), NAT64 (RFC 6052 2.1), Teredo with another server and port (RFC 4380 4).
  expect(visitorAddress('2002:c000:201:9::1')).toBe('192.0.2.1');
  expect(visitorAddress('64:ff9b::192.0.2.1')).toBe('192.0.2.1');
  expect(visitorAddress('2001:0:4136:e378:8000:63bf:3fff:fdfe')).toBe('192.0.2.1');
  expect(visitorAddress('2001:0:5ef5:79fb:0:1234:3fff:fdfe')).toBe('192.0.2.1');
  expect(visitorAddress('192.0.2.1')).not.toBe(visitorAddress('192.0.2.2'));
  expect(visitorAddress('')).toBe('');
});

test('a client that takes nothing is cut off', async () => {
  const large = { 'large.bin': Buffer.alloc(40_000_000) };
  await using served = await serveSite(large, withConstants({ idleTimeoutMs: 200 }));
  const client = new RawClient(served.port, { isPaused: true });
  client.send('GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(client.socket, 'readable');
  await expect.poll(() => served.origin.stats().openConnections).toBe(0);
  client.socket.destroy();
});

test('HTTP/2 sessions end when idle, PING or not', async () => {
  const impatient = withConstants({ headersTimeoutMs: 150, lingerTimeoutMs: 150 });
  await using served = await serveSite(files, impatient);
  const session = connectHttp2(served.url);
  const pinging = setInterval(() => !session.destroyed && session.ping(() => {}), 20);
  session.on('error', () => {});
  await once(session, 'close');
  clearInterval(pinging);
});

test('a thousand requests in one burst are answered in order', async () => {
  await using served = await serveSite(files, withConstants({ maxPipelinedRequests: 3 }));
  const client = new RawClient(served.port);
  const count = 1000;
  const targets = Array.from({ length: count }, (_, index) => (index % 3 ? '/a.txt' : '/none'));
  client.send(targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
  const answers = await client.answers(count);
  expect(answers.map(({ status }) => status)).toEqual(
    targets.map((target) => (target === '/none' ? 404 : 200)),
  );
  client.socket.destroy();
});
