// Websockets by raw bytes: the handshake of RFC 6455 1.3 and what follows, whatever it is.

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import type { Handler } from '../../../server/index.ts';
import { type RawHandler, response, startRawServer } from '../../support/raw-server.ts';
import { makeTestCertificate } from '../../support/tls.ts';
import { answering, eventually, get, type Site, startSite, until, untilEnd } from './set-up.ts';

const handshake =
  'GET /chat HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n';
const accepted =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n';

const accepting = answering(accepted);
/** A client that opened one. */
async function tunnel(site: Site, allowHalfOpen = false) {
  const client = site.send(handshake, { allowHalfOpen });
  await until(client, /\r\n\r\n$/);
  return client;
}

/** Clients whose handshakes are all answered, and those of them that opened a tunnel. */
async function manyShake(site: Site, count: number) {
  const clients = Array.from({ length: count }, () => site.send(handshake));
  const answered = /^HTTP\/1\.1 (?:101|503) /;
  const heads = await Promise.all(clients.map((client) => until(client, answered)));
  return clients.filter((_, at) => heads[at]?.startsWith('HTTP/1.1 101 '));
}

test('the handshake goes on, and bytes both ways behind it (RFC 9110 7.8)', async () => {
  await using site = await startSite(accepting);
  const client = site.send(`${handshake}early`);
  const head = await until(client, /\r\n\r\n$/);
  expect(head).toMatch(/^HTTP\/1\.1 101 /);
  expect(head).toMatch(/\r\nupgrade: websocket\r\n/i);
  expect(head).toContain('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
  const [connection] = site.upstream.connections;
  await eventually(() => site.received().endsWith('early'));
  const received = site.received();
  expect(received).toMatch(/^GET \/chat HTTP\/1\.1\r\nHost: a\r\n/);
  expect(received).toMatch(/\r\nconnection: Upgrade\r\nupgrade: websocket\r\n/i);
  expect(received).toMatch(/\r\nX-Forwarded-For: 127\.0\.0\.1\r\n/);
  connection?.write('\x81\x05hello');
  await until(client, /hello$/);
  client.send('GET / HTTP/1.1\r\n\r\n');
  await eventually(() => site.received().endsWith('earlyGET / HTTP/1.1\r\n\r\n'));
  expect(site.proxy.stats().openTunnels).toBe(1);
});

const forbidding: Handler = (req, res, next) => {
  if (!req.url?.startsWith('/chat')) return next();
  res.statusCode = 403;
  res.end('not for you');
};

test('a rule of a handler holds for handshakes, too: Upgrade is no way past it', async () => {
  await using site = await startSite(accepting, { handlers: [forbidding] });
  const answer = await untilEnd(site.send(handshake + get('/smuggled')));
  expect(answer).toMatch(/^HTTP\/1\.1 403 [\s\S]*not for you/);
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(site.received()).toBe('');
  await eventually(() => site.proxy.stats().openConnections === 0);
});

test('a handler may take its time, and add fields; one that throws is answered 500', async () => {
  const slow: Handler = (_req, res, next) => {
    res.setHeader('X-Theirs', '1');
    setImmediate(next);
  };
  await using site = await startSite(accepting, { handlers: [slow] });
  const client = site.send(`${handshake}early`);
  expect(await until(client, /\r\n\r\n$/)).toMatch(/^HTTP\/1\.1 101 /);
  await eventually(() => site.received().endsWith('\r\n\r\nearly'));

  const failing: Handler = () => {
    throw new Error('no');
  };
  await using other = await startSite(accepting, { handlers: [failing] });
  expect(await untilEnd(other.send(handshake))).toMatch(/^HTTP\/1\.1 500 /);
  expect(other.received()).toBe('');
  expect(other.errors).toHaveLength(1);
});

test('when the upstream closes, what it sent arrives and the client is closed', async () => {
  await using site = await startSite(accepting);
  const client = await tunnel(site, true);
  site.upstream.connections[0]?.end('last words');
  expect(await untilEnd(client)).toMatch(/last words$/);
  await eventually(() => site.proxy.stats().openTunnels === 0);
  // It never closes its half: the connection ends all the same.
  await eventually(() => site.proxy.stats().openConnections === 0);
});

test('when the upstream resets, the client is closed', async () => {
  await using site = await startSite(accepting);
  const client = await tunnel(site);
  site.upstream.connections[0]?.reset();
  await client.closed;
  await eventually(() => site.proxy.stats().openTunnels === 0);
});

test.each(['end', 'resetAndDestroy'] as const)(
  'when the client goes (%s), so does the upstream',
  async (how) => {
    await using site = await startSite(accepting);
    const client = await tunnel(site, true);
    client.send('bye');
    await eventually(() => site.received().endsWith('bye'));
    client.socket[how]();
    await site.upstream.connections[0]?.closed;
    await eventually(() => site.proxy.stats().openTunnels === 0);
  },
);

test('an upstream that goes on behind the end of its client is cut', async () => {
  await using site = await startSite({ ...accepting, onEnd: () => {} });
  const client = await tunnel(site, true);
  client.socket.end();
  await client.closed;
  await eventually(() => site.proxy.stats().openTunnels === 0);
});

test('an answer that is no 101 is no tunnel: what follows the handshake goes nowhere (RFC 9110 15.5.22)', async () => {
  const refusal = response('no', { 'X-A': 'b' }, '426 Upgrade Required');
  await using site = await startSite(answering(String(refusal)));
  const smuggling = handshake + get('/smuggled');
  const answer = await untilEnd(site.send(smuggling, { allowHalfOpen: true }));
  expect(answer).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/);
  expect(answer).toMatch(/\r\nx-a: b\r\n/i);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  expect(answer).toMatch(/\r\n\r\nno$/);
  await eventually(() => site.proxy.stats().openConnections === 0);
  expect(site.received()).not.toContain('smuggled');
});

test.each([
  ['down', { upstream: 'unix:/nowhere' }, 502],
  ['silent', { responseTimeoutMs: 50 }, 504],
])('an upstream that is %s: a plain answer', async (_name, options, status) => {
  await using site = await startSite({ onRequest: () => {} }, options);
  const answer = await untilEnd(site.send(handshake));
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(site.proxy.stats()).toMatchObject({ openTunnels: 0, upstreamFailures: 1 });
});

test('a handshake that is ambiguous or has content is refused, and not sent on', async () => {
  await using site = await startSite(accepting);
  for (const bytes of [
    handshake.replace('Host: a', 'Host: a\r\nHost: b'),
    handshake.replace('Host: a', 'Host: a\r\nContent-Length: 3').concat('abc'),
  ]) {
    expect(await untilEnd(site.send(bytes))).toMatch(/^HTTP\/1\.1 400 /);
  }
  expect(site.received()).toBe('');
});

test('a handshake behind other requests waits until they are answered (RFC 9112 9.3.2)', async () => {
  await using site = await startSite({
    onRequest: (request, connection) => {
      if (request.path === '/chat') connection.write(accepted);
    },
  });
  const client = site.send(`GET /first HTTP/1.1\r\nHost: a\r\n\r\n${handshake}`);
  await eventually(() => site.upstream.requests.length === 1);
  expect(site.upstream.requests[0]?.path).toBe('/first');
  site.upstream.connections[0]?.write(response('first'));
  const text = await until(client, /101[\s\S]*\r\n\r\n$/);
  expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*firstHTTP\/1\.1 101 /);
});

test('a tunnel on which nothing moves is cut; close() ends those that are left', async () => {
  await using idle = await startSite(accepting, withConstants({ tunnelIdleTimeoutMs: 50 }));
  const client = idle.send(handshake);
  await client.closed;
  await idle.upstream.connections[0]?.closed;

  await using site = await startSite(accepting, withConstants({ closeTimeoutMs: 60_000 }));
  const other = await tunnel(site);
  const closed = site.proxy.close();
  await other.ended;
  other.socket.end();
  await closed;
  await site.upstream.connections[0]?.closed;
});

test('a client that resets while its handshake waits harms nobody', async () => {
  await using site = await startSite({ onRequest: () => {} });
  const client = site.send(`GET /first HTTP/1.1\r\nHost: a\r\n\r\n${handshake}`);
  await eventually(() => site.upstream.requests.length === 1);
  client.socket.resetAndDestroy();
  await site.upstream.connections[0]?.closed;
  await eventually(() => site.proxy.stats().openConnections === 0);
  expect(site.received()).not.toContain('/chat');
});

test('a websocket to an upstream over TLS, verified by its own name', async () => {
  const { key, cert } = await makeTestCertificate();
  await using upstream = await startRawServer(accepting, { key, cert });
  const options = { upstream: `https://localhost:${upstream.port}`, ca: cert };
  await using site = await startSite({}, options);
  await until(site.send(handshake), /^HTTP\/1\.1 101 [\s\S]*\r\n\r\n$/);
  expect(upstream.requests[0]?.path).toBe('/chat');
});

test('websockets are connections to the upstream like others: of 200 at a limit of 16, 12 open and the rest gets 503', async () => {
  const onRequest: RawHandler['onRequest'] = ({ path }, connection) =>
    connection.write(path === '/chat' ? accepted : response('page'));
  const few = withConstants({ maxUpstreamConnections: 16 });
  await using site = await startSite({ onRequest }, few);
  const open = () => site.upstream.connections.filter(({ socket }) => !socket.destroyed).length;
  const page = get('/page');
  // Connections that are kept make room, too.
  const pages = Array.from({ length: 16 }, () => site.send(page));
  await Promise.all(pages.map((client) => until(client, /page$/)));
  const opened = await manyShake(site, 200);
  expect(opened).toHaveLength(12);
  await eventually(() => open() <= 16);
  expect(await until(site.send(page), /page$/)).toMatch(/^HTTP\/1\.1 200 /);
  expect(site.proxy.stats()).toMatchObject({ openTunnels: 12, upstreamFailures: 0 });
  // Who leaves makes room.
  opened[0]?.socket.destroy();
  await eventually(() => site.proxy.stats().openTunnels === 11);
  await until(site.send(handshake), /^HTTP\/1\.1 101 /);
});

test('a stranger has three quarters of what an address may have; then another opens one', async () => {
  const few = withConstants({ maxUpstreamConnections: 16 });
  await using site = await startSite(accepting, { ...few, trustProxy: false });
  expect(await manyShake(site, 20)).toHaveLength(9);
  const other = connect({ port: site.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
  other.write(handshake);
  expect(String(await once(other, 'data'))).toMatch(/^HTTP\/1\.1 101 /);
  other.destroy();
});

test('a 101 that does not switch to websocket is 502, whatever it names (RFC 9110 15.2.2)', async () => {
  for (const named of ['', 'Connection: Upgrade\r\nUpgrade: h2c\r\n', 'Upgrade: x\r\n']) {
    await using site = await startSite(answering(`HTTP/1.1 101 x\r\n${named}\r\n`));
    const answer = await untilEnd(site.send(handshake));
    expect([named, answer]).toEqual([named, expect.stringMatching(/^HTTP\/1\.1 502 /)]);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(site.proxy.stats()).toMatchObject({ openTunnels: 0, upstreamFailures: 1 });
  }
});
