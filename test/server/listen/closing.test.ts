// How connections end (Nielsen, Gettys et al. 1997, Connection Management; RFC 9112 9.6): each half on
// its own, so that no answer is lost.

import { spawn } from 'node:child_process';
import { readSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { type OriginOptions, ServerError } from '../../../server/index.ts';
import { makeTestCertificate } from '../../support/tls.ts';
import { frame, framesIn } from '../proxy/raw-http2.ts';
import { startSite } from '../proxy/set-up.ts';
import { exchange, parseAnswers, RawClient } from '../raw-client.ts';
import { serveSite } from '../site.ts';

const request = 'GET /a.bin HTTP/1.1\r\nHost: a\r\n\r\n';
const body = Buffer.alloc(400_000, 'answer');
const lengthOf = (bytes: number) => `\r\nContent-Length: ${bytes}`;
/** The status of each answer, and its Connection. */
const endsOf = ({ bytes }: RawClient) =>
  parseAnswers(bytes).map(({ status, headers }) => [status, headers.connection]);

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(port, '127.0.0.1', () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', () => resolve(false));
  });
}

test('15 pipelined requests where 5 are served: a slow reader gets 5 answers and EOF, no RST', async () => {
  await using served = await serveSite({ 'a.bin': body }, { maxRequestsPerConnection: 5 });
  const client = new RawClient(served.port, { isPaused: true, allowHalfOpen: true });
  for (let sent = 0; sent < 15; sent++) client.send(request);
  // Slowly: a little at a time, with the loop (and so the server) running in between.
  const { socket } = client;
  await new Promise<void>((resolve) => {
    const readSome = () => {
      const chunk = socket.read(Math.min(20_000, socket.readableLength)) as Buffer | null;
      if (chunk !== null) {
        client.chunks.push(chunk);
        // Requests still come while answers are on their way.
        if (client.chunks.length % 10 === 0) client.send(request);
      }
      if (!socket.readableEnded && !socket.destroyed) setImmediate(readSome);
    };
    socket.on('end', resolve);
    socket.on('close', () => resolve());
    setImmediate(readSome);
  });
  // And after the server has closed its half.
  for (let sent = 0; sent < 5; sent++) client.send(request);
  socket.end();
  expect(await client.closed).toBeUndefined();
  const answers = parseAnswers(client.bytes);
  expect(answers).toHaveLength(5);
  for (const answer of answers) expect(answer.body.equals(body)).toBe(true);
  expect(answers.map(({ headers }) => headers.connection)).toEqual([
    ...Array(4).fill(undefined),
    'close',
  ]);
});

test.each([
  ['time', { lingerTimeoutMs: 50 }, 0],
  ['bytes', { maxLingerBytes: 10_000 }, 200_000],
])('lingering ends with its %s', async (_, constants, bytes) => {
  const options = { maxRequestsPerConnection: 1, ...withConstants(constants) };
  await using served = await serveSite({ 'a.bin': 'a' }, options);
  const client = new RawClient(served.port, { allowHalfOpen: true });
  client.send(request);
  await client.ended;
  if (bytes > 0) {
    client.send('x'.repeat(9_000));
    await new Promise(setImmediate);
    expect(served.origin.stats().openConnections).toBe(1);
    client.send('x'.repeat(bytes));
  }
  await expect.poll(() => served.origin.stats().openConnections).toBe(0);
  client.socket.destroy();
  expect(parseAnswers(client.bytes)).toHaveLength(1);
});

test('a client that closes its half after its requests gets every answer', async () => {
  await using served = await serveSite({ 'a.bin': body });
  const client = new RawClient(served.port, { allowHalfOpen: true });
  client.send(request.repeat(3));
  client.socket.end();
  expect(await client.ended).toBe(true);
  expect(await client.closed).toBeUndefined();
  const lengths = parseAnswers(client.bytes).map((answer) => answer.body.length);
  expect(lengths).toEqual(Array(3).fill(body.length));
});

test('a client that closes its half without a request is let go', async () => {
  await using served = await serveSite({});
  for (const text of ['', 'PR', 'GET ']) {
    const client = new RawClient(served.port, { allowHalfOpen: true });
    if (text) client.send(text);
    client.socket.end();
    await client.closed;
  }
  await expect.poll(() => served.origin.stats().openConnections).toBe(0);
});

test('Connection: close of the client is honoured and nothing behind it is answered (RFC 9112 9.6)', async () => {
  await using served = await serveSite({ 'a.bin': 'a' });
  const last = 'GET /a.bin HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const answers = await exchange(served.port, request + last + request);
  expect(answers.map(({ headers }) => headers.connection)).toEqual([undefined, 'close']);
});

test.each([
  ['no HTTP', 'nonsense'],
  ['a bad field', 'GET / HTTP/1.1\r\nHost: a\r\nbad field: x'],
  ['no Host (RFC 9112 3.2)', 'GET / HTTP/1.1'],
  ['an unknown method', 'GETALL / HTTP/1.1\r\nHost: a'],
  ['two lengths (RFC 9112 6.3)', `GET / HTTP/1.1\r\nHost: a${[1, 2].map(lengthOf).join('')}`],
])('%s behind good requests: those are answered, then 400, then the end', async (_, bad) => {
  await using served = await serveSite({ 'a.bin': body });
  const answers = await exchange(served.port, `${request.repeat(3)}${bad}\r\n\r\n${request}`);
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 400]);
  expect(answers[3]?.headers.connection).toBe('close');
});

test('an idle connection ends with FIN, not RST', async () => {
  await using served = await serveSite({ 'a.bin': 'a' }, withConstants({ keepAliveTimeoutMs: 50 }));
  const client = new RawClient(served.port, { allowHalfOpen: true });
  client.send(request);
  expect(await client.ended).toBe(true);
  // A request that crossed the FIN is discarded quietly.
  client.send(request);
  client.socket.end();
  expect(await client.closed).toBeUndefined();
  expect(parseAnswers(client.bytes)).toHaveLength(1);
});

test('close() finishes what is in flight, says so, and takes nothing new', async () => {
  const waiting: (() => void)[] = [];
  await using served = await serveSite(
    { 'a.bin': 'a' },
    {
      ...withConstants({ closeTimeoutMs: 10_000 }),
      handlers: [(req, _res, next) => (req.url === '/wait' ? waiting.push(next) : next())],
    },
  );
  const idle = new RawClient(served.port);
  idle.send(request);
  await idle.answers(1);
  const silent = new RawClient(served.port);
  const busy = new RawClient(served.port);
  busy.send(`${request}GET /wait HTTP/1.1\r\nHost: a\r\n\r\n`);
  await busy.answers(1);
  await expect.poll(() => served.origin.stats().openConnections).toBe(3);

  const closed = served.origin.close();
  expect(await idle.closed).toBeUndefined();
  await silent.closed;
  busy.send(request);
  for (const goOn of waiting) goOn();
  await busy.closed;
  expect(endsOf(busy)).toEqual([...[[200, undefined]], [404, 'close']]);
  await closed;
  const late = connect(served.port, '127.0.0.1');
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => late.on('error', resolve));
  expect(error.code).toBe('ECONNREFUSED');
  expect(() => served.origin.listen()).toThrow(ServerError);
});

test('what comes on an idle connection while close() drains is answered, as the last (RFC 9112 9.6)', async () => {
  const options = withConstants({ closeTimeoutMs: 60_000, drainTimeoutMs: 30_000 });
  await using served = await serveSite({ 'a.bin': 'a' }, options);
  const clients = ['idle', 'silent', 'pipelining'].map(() => new RawClient(served.port));
  const [idle, silent, pipelining] = clients as [RawClient, RawClient, RawClient];
  for (const client of [idle, pipelining]) {
    client.send(request);
    await client.answers(1);
  }
  await expect.poll(() => served.origin.stats().openConnections).toBe(3);
  const closed = served.origin.close();
  // Nothing listens any more: it has begun.
  await expect.poll(() => isListening(served.port)).toBe(false);
  idle.send(request);
  silent.send(request);
  pipelining.send(request.repeat(3));
  for (const client of clients) expect(await client.closed).toBeUndefined();
  expect(endsOf(idle)).toEqual([...[[200, undefined]], [200, 'close']]);
  expect(endsOf(silent)).toEqual([[200, 'close']]);
  const answers = endsOf(pipelining);
  // Those before the one that is told are answered; who is told may send what is behind it again.
  expect(answers.at(-1)).toEqual([200, 'close']);
  expect(answers.slice(0, -1).every(([status]) => status === 200)).toBe(true);
  await closed;
});

test('idle connections are closed when the draining is over', async () => {
  const options = withConstants({ closeTimeoutMs: 60_000, drainTimeoutMs: 20 });
  await using served = await serveSite({ 'a.bin': 'a' }, options);
  const idle = new RawClient(served.port);
  idle.send(request);
  await idle.answers(1);
  const silent = new RawClient(served.port);
  await expect.poll(() => served.origin.stats().openConnections).toBe(2);
  const closed = served.origin.close();
  expect(await idle.closed).toBeUndefined();
  await silent.closed;
  await closed;
});

test('connections that wait to be accepted when close() is called are answered', async () => {
  await using served = await serveSite({ 'a.bin': 'a' });
  // Made and used while this process does nothing else: the kernel alone knows of them.
  const script = `
    const { connect } = require('node:net');
    let open = 0;
    for (let n = 0; n < 20; n++) {
      const socket = connect(${served.port}, '127.0.0.1', () => {
        socket.write(${JSON.stringify(request)}, () => { if (++open === 20) process.stdout.write('sent '); });
      });
      let text = '';
      socket.on('data', (chunk) => { text += chunk; });
      socket.on('error', ({ code }) => { text = code; });
      socket.on('close', () => process.stdout.write(text.slice(9, 12) + ' '));
    }`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { fd } = (child.stdout as unknown as { _handle: { fd: number } })._handle;
  const said = Buffer.alloc(200);
  let length = 0;
  while (!said.toString('latin1', 0, length).includes('sent')) {
    try {
      length += readSync(fd, said, length, said.length - length, null);
    } catch {
      // Nothing there yet: not blocking.
    }
  }
  const rest = text(child.stdout);
  await served.origin.close();
  expect(await rest).toBe('200 '.repeat(20));
});

test('close() cuts what does not finish in time', async () => {
  const cut = withConstants({ closeTimeoutMs: 50 });
  await using served = await serveSite({}, { ...cut, handlers: [() => {}] });
  const client = new RawClient(served.port);
  client.send(request);
  await expect.poll(() => served.origin.stats().requests).toBe(1);
  await served.origin.close();
  await client.closed;
  expect(client.bytes).toHaveLength(0);
});

test('an HTTP/2 request that comes while close() drains is answered, then comes GOAWAY (RFC 9113 6.8)', async () => {
  const options = withConstants({ closeTimeoutMs: 60_000, drainTimeoutMs: 1000 });
  await using served = await serveSite({ 'index.html': 'a' }, options);
  const client = new RawClient(served.port);
  // GET / of http://a, of the static table (RFC 7541 A).
  const get = (stream: number) => frame(1, 5, stream, [0x82, 0x86, 0x84, 0x41, 1, 0x61]);
  client.send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  client.socket.write(Buffer.concat([frame(4, 0, 0, []), get(1)]));
  const arrived = (type: number, stream: number) => () =>
    framesIn(client.bytes).some((one) => one.type === type && one.stream === stream);
  await expect.poll(arrived(1, 1)).toBe(true);
  const closed = served.origin.close();
  await expect.poll(() => isListening(served.port)).toBe(false);
  client.socket.write(get(3));
  await closed;
  await client.ended;
  expect([arrived(1, 3)(), arrived(7, 0)()]).toEqual([true, true]);
});

test('close() says GOAWAY to HTTP/2 and lets its streams finish (RFC 9113 6.8)', async () => {
  const waiting: (() => void)[] = [];
  const handlers: OriginOptions['handlers'] = [(_req, _res, next) => void waiting.push(next)];
  const long = withConstants({ closeTimeoutMs: 10_000 });
  await using served = await serveSite({ 'a.bin': 'a' }, { ...long, handlers });
  const session = connectHttp2(served.url);
  const stream = session.request({ ':path': '/a.bin' });
  const answered = text(stream);
  await expect.poll(() => waiting.length).toBe(1);
  const goaway = new Promise((resolve) => session.on('goaway', resolve));
  const closed = served.origin.close();
  expect(await goaway).toBe(0);
  waiting[0]?.();
  expect(await answered).toBe('a');
  await closed;
});

test('close() does not wait for a TLS handshake that was never begun, and lets one finished go on', async () => {
  const waiting: (() => void)[] = [];
  await using served = await serveSite(
    { 'a.bin': 'a' },
    {
      tls: await makeTestCertificate(),
      requestTimeoutMs: 60_000,
      ...withConstants({ closeTimeoutMs: 60_000, headersTimeoutMs: 60_000 }),
      handlers: [(_req, _res, next) => void waiting.push(next)],
    },
  );
  const silent = new RawClient(served.port);
  const busy = connectTls({ port: served.port, host: '127.0.0.1', rejectUnauthorized: false });
  let text = '';
  busy.on('data', (chunk) => {
    text += chunk;
  });
  const ended = new Promise((resolve) => busy.on('close', resolve));
  busy.write(request);
  await expect.poll(() => waiting.length).toBe(1);
  await expect.poll(() => served.origin.stats().openConnections).toBe(2);
  const closed = served.origin.close();
  await silent.closed;
  waiting[0]?.();
  await ended;
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\na$/s);
  await closed;
});

test('destroy() cuts what close() waits for', async () => {
  const longMs = 600_000;
  const times = withConstants({ closeTimeoutMs: longMs, drainTimeoutMs: longMs / 2 });
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const handlers = [() => resolve()]; // which never answers
  await using served = await serveSite({}, { ...times, handlers });
  const client = new RawClient(served.port);
  client.send(request);
  await asked;
  const closed = served.origin.close();
  await Promise.all([served.origin.destroy(), closed, client.closed]);
  expect(client.bytes).toHaveLength(0);
  expect(await isListening(served.port)).toBe(false);
});

test('destroy() ends a proxy beside its upstream, which never answers', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const silent = { onRequest: () => resolve() };
  await using site = await startSite(silent, withConstants({ closeTimeoutMs: 600_000 }));
  const client = site.send(request);
  await asked;
  await Promise.all([site.proxy.destroy(), client.closed]);
  expect(await isListening(site.port)).toBe(false);
});
