// What fails upstream, and when the client goes: a plain answer where one is still possible, a cut where
// not, never something that only looks whole, and nobody left waiting.

import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { closedPort, type RawHandler, response, startRawServer } from '../../support/raw-server.ts';
import { tellingLog } from '../../support/telling-log.ts';
import { listening } from '../listening.ts';
import { answering, answerOk, eventually, get, startSite, until, untilEnd } from './set-up.ts';

const silent = { onRequest: () => {} };

test('an upstream that is down: 502 and a sentence, no address of the inside (RFC 9110 15.6.3)', async () => {
  const port = await closedPort();
  await using site = await startSite(silent, { upstream: `http://127.0.0.1:${port}` });
  const answer = await until(site.send(get()), /\.\n$/);
  expect(answer).toMatch(/^HTTP\/1\.1 502 [\s\S]*\n502 Bad Gateway\nThe server [\s\S]*\.\n$/);
  expect(answer).toContain('The server behind this proxy refused the connection.');
  expect(answer).not.toContain(String(port));
  expect(site.errors).toEqual([expect.objectContaining({ code: 'ECONNREFUSED' })]);
  expect(site.proxy.stats().upstreamFailures).toBe(1);
});

test('a Unix socket that is not there, a name that is none: 502', async () => {
  for (const upstream of ['unix:/nowhere/socket', 'http://nowhere.invalid']) {
    await using site = await startSite(silent, { upstream });
    expect(await until(site.send(get()), /\.\n$/)).toMatch(/^HTTP\/1\.1 502 /);
  }
});

test('an upstream that is busy with others for too long: 504 (RFC 9110 15.6.5)', async () => {
  // The one connection there may be is taken by a response that does not end.
  await using site = await startSite(silent, {
    ...withConstants({ maxUpstreamConnections: 1, connectTimeoutMs: 50 }),
    responseTimeoutMs: 400,
  });
  const first = site.send(get('/first'));
  await eventually(() => site.upstream.requests.length === 1);
  site.upstream.connections[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n');
  await until(first, /\r\n\r\n$/);
  const answer = await until(site.send(get('/second')), /\.\n$/);
  expect(answer).toMatch(/^HTTP\/1\.1 504 [\s\S]*was busy with other requests/);
  // It is not sent later, when there is room.
  site.upstream.connections[0]?.write('ok');
  await until(first, /ok$/);
  await until(site.send(get('/third')), /^$|HTTP/).catch(() => {});
  await eventually(() => site.upstream.requests.length >= 2);
  expect(site.upstream.requests.map(({ path }) => path)).toEqual(['/first', '/third']);
});

test('an upstream that does not answer in time: 504, and its connection is ended', async () => {
  await using site = await startSite(silent, { responseTimeoutMs: 50 });
  expect(await until(site.send(get()), /\.\n$/)).toMatch(/^HTTP\/1\.1 504 [\s\S]*in time\.\n$/);
  await site.upstream.connections[0]?.closed;
});

test('a head that comes byte by byte does not stretch the time', async () => {
  const head = 'HTTP/1.1 200 OK\r\nX: '.padEnd(500, 'x');
  const dripping: RawHandler = { onRequest: (_request, connection) => connection.drip(head, 5) };
  await using site = await startSite(dripping, { responseTimeoutMs: 100 });
  expect(await until(site.send(get()), /\.\n$/)).toMatch(/^HTTP\/1\.1 504 /);
});

test('content on which nothing moves is cut', async () => {
  const stuck = answering('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc');
  await using site = await startSite(stuck, withConstants({ upstreamIdleTimeoutMs: 400 }));
  const client = site.send(get('/', 'Connection: close\r\n'));
  expect(await untilEnd(client)).toMatch(/\r\n\r\nabc$/);
});

const framed = (lines: string) => `HTTP/1.1 200 OK\r\n${lines}Content-Length: 2\r\n\r\nab`;

test.each([
  ['an end instead of a head', ''],
  ['half a head', 'HTTP/1.1 200 OK\r\nContent-'],
  ['no HTTP', 'SSH-2.0-OpenSSH\r\n'],
  ['two lengths (RFC 9112 6.3)', framed('Content-Length: 1\r\n')],
  ['chunks and a length', framed('Transfer-Encoding: chunked\r\n')],
  ['two equal lengths', framed('Content-Length: 2\r\n')],
  ['line ends without CR', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nab'],
  ['a line without a colon', framed('junk\r\n')],
  ['a space before the colon', 'HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nab'],
  ['a folded field', framed('X: a\r\n b\r\n')],
  ['a control character', framed('X: a\x01b\r\n')],
  ['an empty length', 'HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nab'],
  ['a head without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`],
  ['1xx without end', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)],
])('%s instead of a response: 502', async (_name, bytes) => {
  await using site = await startSite({ onRequest: (_r, connection) => connection.end(bytes) });
  const answer = await until(site.send(get()), /\.\n$/);
  expect(answer).toMatch(/(?:^|\n)HTTP\/1\.1 502 /);
  await site.upstream.connections[0]?.closed;
});

const abc = 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n';

test.each([
  ['a length that is not kept', '1.1', 'Content-Length: 9\r\n\r\nabc', ''],
  ['chunks without the last', '1.1', abc, ''],
  ['a broken chunk', '1.1', abc, 'zz\r\n'],
  ['spaces behind a chunk size', '1.1', abc, '1  \r\nd\r\n0\r\n\r\n'],
  ['content up to the end, reset', '1.1', '\r\nabc', null],
  ['chunks without the last, for HTTP/1.0', '1.0', abc, ''],
] as const)(
  'a truncated response never looks whole: %s (RFC 9112 8)',
  async (_name, version, rest, then) => {
    await using site = await startSite(answering(`HTTP/1.1 200 OK\r\n${rest}`));
    const client = site.send(`GET / HTTP/${version}\r\nHost: a\r\n\r\n`);
    await until(client, /abc/);
    const [connection] = site.upstream.connections;
    if (then === null) connection?.reset();
    else connection?.end(then);
    const error = await client.closed;
    const text = client.bytes.toString();
    expect(text).not.toMatch(/\r\n0\r\n\r\n$/);
    // HTTP/1.0 without a length ends with the connection: only a reset tells.
    if (version === '1.0') expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(site.proxy.stats().upstreamFailures).toBe(1);
  },
);

test('a client that goes takes its request to the upstream with it', async () => {
  for (const start of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc']) {
    await using site = await startSite(answering(start));
    const client = site.send(get());
    await eventually(() => site.upstream.requests.length === 1);
    if (start) await until(client, /abc$/);
    client.socket.resetAndDestroy();
    await site.upstream.connections[0]?.closed;
    expect(site.proxy.stats().upstreamFailures).toBe(0);
  }
});

test('a client that closed its half still gets its answer (RFC 9112 9.6)', async () => {
  await using site = await startSite(silent);
  const client = site.send(get(), { allowHalfOpen: true });
  client.socket.end();
  await eventually(() => site.upstream.requests.length === 1);
  site.upstream.connections[0]?.write(response('ok'));
  expect(await untilEnd(client)).toMatch(/ok$/);
});

test('a client that closed both halves is found out with the next piece', async () => {
  await using site = await startSite(silent);
  const client = site.send(get());
  await eventually(() => site.upstream.requests.length === 1);
  client.socket.destroy();
  const [connection] = site.upstream.connections;
  connection?.write('HTTP/1.1 200 OK\r\n\r\n');
  connection?.pour(Buffer.alloc(1024));
  await connection?.closed;
});

test('a client that goes in the middle of its content: the upstream never sees an end', async () => {
  await using site = await startSite(silent);
  const client = site.send(`POST / HTTP/1.1\r\nHost: a\r\n${abc}`);
  await eventually(() => site.received().endsWith('abc\r\n'));
  client.socket.destroy();
  await site.upstream.connections[0]?.closed;
  expect(site.received()).not.toContain('0\r\n\r\n');
});

/** Answers the first request of its first connection, swallows the second and hangs up. */
const swallowing: RawHandler = {
  onRequest: (request, connection) => {
    if (request.index === 0) connection.write(response(`from ${request.connection}`));
    else connection.reset();
  },
};

test.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])(
  '%s swallowed by a kept connection is sent once more, on a new one (RFC 9112 9.3.1)',
  async (method) => {
    await using site = await startSite(swallowing);
    await until(site.send(get('/1')), /from 1$/);
    const client = site.send(`${method} /2 HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(await until(client, method === 'HEAD' ? /\r\n\r\n$/ : /from 2$/)).toMatch(/ 200 OK/);
    expect(site.upstream.requests.map(({ path }) => path)).toEqual(['/1', '/2', '/2']);
    expect(site.proxy.stats()).toMatchObject({ retries: 1, upstreamFailures: 0 });
  },
);

test('the second try has a new connection: another kept one may be as dead', async () => {
  await using site = await startSite({
    onRequest: (request, connection) => {
      if (request.path === '/2' && connection.id < 3) connection.reset();
      else if (site.upstream.requests.length > 1) {
        for (const each of site.upstream.connections) each.write(response(`from ${each.id}`));
      }
    },
  });
  await until(site.send(get('/1') + get('/1')), /from 1[\s\S]*from 2$/);
  expect(await until(site.send(get('/2')), /from \d$/)).toMatch(/from 3$/);
  expect(site.proxy.stats()).toMatchObject({ retries: 1, upstreamConnections: 3 });
});

test.each([
  ['POST, which is not idempotent', 'POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'],
  ['PUT with content', 'PUT /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx'],
])('%s is not sent twice: 502 (RFC 9110 9.2.2)', async (_name, bytes) => {
  await using site = await startSite(swallowing);
  await until(site.send(get('/1')), /from 1$/);
  expect(await until(site.send(bytes), /\.\n$/)).toMatch(/^HTTP\/1\.1 502 /);
  expect(site.upstream.requests).toHaveLength(2);
});

test('a request is sent twice at most, and not again once a byte came back', async () => {
  for (const [sends, requests] of Object.entries({ nothing: 3, 'HTTP/1.1 2': 2 })) {
    await using site = await startSite({
      onRequest: (request, connection) => {
        if (request.path === '/1') connection.write(response('ok'));
        else if (sends === 'nothing') connection.reset();
        else connection.end(sends);
      },
    });
    await until(site.send(get('/1')), /ok$/);
    expect(await until(site.send(get('/2')), /\.\n$/)).toMatch(/^HTTP\/1\.1 502 /);
    expect(site.upstream.requests).toHaveLength(requests);
  }
});

test('content over maxRequestBodyBytes: 413, announced or not (RFC 9110 15.5.14)', async () => {
  await using site = await startSite(silent, { maxRequestBodyBytes: 10 });
  const announced = site.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n');
  expect(await untilEnd(announced)).toMatch(/^HTTP\/1\.1 413 /);
  expect(site.received()).toBe('');
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  const chunked = site.send(`${head}b\r\n01234567890\r\n`);
  expect(await untilEnd(chunked)).toMatch(/^HTTP\/1\.1 413 /);
  await Promise.all(site.upstream.connections.map(({ closed }) => closed));
});

test('an early answer to a long upload reaches the client, and the upload is not kept for anybody', async () => {
  await using site = await startSite(answering(String(response('no', {}, '403 Forbidden'))));
  const client = site.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc');
  expect(await until(client, /no$/)).toMatch(/^HTTP\/1\.1 403 /);
  await site.upstream.connections[0]?.closed;
});

test('a handler that throws: 500, and the upstream is not asked', async () => {
  const failing = () => {
    throw new Error('ours');
  };
  await using site = await startSite(silent, { handlers: [failing] });
  expect(await until(site.send(get()), /\n$/)).toMatch(/^HTTP\/1\.1 500 /);
  expect(site.errors).toEqual([expect.objectContaining({ message: 'ours' })]);
  expect(site.received()).toBe('');
});

test('a proxy is not its own upstream', async () => {
  const { createProxy } = await import('../../../server/index.ts');
  await using upstream = await startRawServer(answerOk);
  const { port } = new URL(upstream.origin);
  // Another server may have the same port at another address.
  await using other = createProxy({ upstream: upstream.origin });
  await other.listen({ port: Number(port), host: '127.0.0.2' });
  await upstream[Symbol.asyncDispose]();
  const own = { '127.0.0.1': '127.0.0.1', localhost: '127.0.0.1', '[::1]': '::' };
  for (const [name, host] of Object.entries(own)) {
    await using itself = createProxy({ upstream: `http://${name}:${port}` });
    const code = host === '::' ? /invalid-option|address-in-use/ : /^invalid-option$/;
    const refused = expect.objectContaining({ code: expect.stringMatching(code) });
    await expect(itself.listen({ port: Number(port), host })).rejects.toEqual(refused);
  }
});

test('a request that comes back is answered 508 at once (RFC 8586)', async () => {
  const relay = createServer();
  const port = await listening(relay);
  await using site = await startSite(answerOk, { upstream: `http://127.0.0.1:${port}` });
  relay.on('connection', (socket) => {
    const back = connect(site.port, '127.0.0.1');
    socket.pipe(back).pipe(socket);
    for (const each of [socket, back]) each.on('error', () => {});
  });
  const answer = await until(site.send(get('/', 'Connection: close\r\n')), /it\.\n$/);
  expect(answer).toMatch(/^HTTP\/1\.1 508 /);
  expect(answer).toContain('The site behind this proxy sends requests back to it.');
  expect(site.proxy.stats().requests).toBe(2);
});

test('who asks is told what is wrong with the request, and which methods there are', async () => {
  await using site = await startSite();
  for (const [request, status, said] of [
    ['GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'There must be exactly one Host field'],
    ['GET / HTTP/1.1\r\nHost: a b\r\n\r\n', 400, 'There must be exactly one Host field'],
    ['GET //x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx', 400, ''],
    ['TRACE / HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'CONNECT and TRACE are not forwarded'],
    ['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405, '405 Method Not Allowed'],
  ] as const) {
    const answer = await untilEnd(site.send(request));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain(said);
    if (said.includes('TRACE')) expect(answer).toMatch(/^Allow: GET, HEAD, POST, /m);
  }
  expect(site.received()).toBe('');
});

test('the upstream fails, and is back: told once each, counted each time', async () => {
  const notices: object[] = [];
  let fails = true;
  const onRequest: RawHandler['onRequest'] = (_request, connection) => {
    if (fails) connection.reset();
    else connection.write(response('ok'));
  };
  const log = tellingLog((message, { err }, level) => {
    if (level !== 'debug') notices.push({ level, message, err });
  });
  await using site = await startSite({ onRequest }, { log });
  const ask = () => untilEnd(site.send(get('/', 'Connection: close\r\n')));
  for (let asked = 0; asked < 3; asked++) expect(await ask()).toMatch(/^HTTP\/1\.1 502 /);
  fails = false;
  for (let asked = 0; asked < 2; asked++) expect(await ask()).toMatch(/^HTTP\/1\.1 200 /);
  expect(notices).toEqual([
    { level: 'warn', message: 'the site fails requests', err: expect.any(Error) },
    { level: 'info', message: expect.stringMatching(/answers again, after .* and 3 failed/) },
  ]);
  const { responses, upstreamFailures } = site.proxy.stats();
  expect([responses, upstreamFailures]).toEqual([{ '5xx': 3, '2xx': 2 }, 3]);
});
