// A proxy holds nothing back: pieces go on as they come, at the pace of the slower side; and it keeps the
// order and the bounds of its connections. (Interim responses are pieces, too.)

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { type RawHandler, response } from '../../support/raw-server.ts';
import { tellingLog } from '../../support/telling-log.ts';
import { answering, answerOk, eventually, get, startSite, until, untilEnd } from './set-up.ts';

const expecting = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n';

test('100 Continue comes from the upstream; content waits for it (RFC 9110 10.1.1)', async () => {
  await using site = await startSite({ onRequest: () => {} });
  const client = site.send(expecting);
  await eventually(() => site.upstream.requests.length === 1);
  expect(site.received()).toMatch(/\r\nExpect: 100-continue\r\n/);
  expect(client.bytes).toHaveLength(0);
  const [connection] = site.upstream.connections;
  connection?.write('HTTP/1.1 100 Continue\r\n\r\n');
  expect(await until(client, /\r\n\r\n$/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  client.send('abc');
  await eventually(() => site.received().endsWith('\r\n\r\nabc'));
  connection?.write(response('ok'));
  expect(await until(client, /ok$/)).toMatch(/^HTTP\/1\.1 100 [\s\S]*HTTP\/1\.1 200 /);
});

test('a final response instead of 100 Continue goes on, the content is not waited for', async () => {
  await using site = await startSite(answering('HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n'));
  const client = site.send(expecting);
  expect(await until(client, /\r\n\r\n$/)).toMatch(/^HTTP\/1\.1 417 /);
  await site.upstream.connections[0]?.closed;
});

test('an expectation nobody knows is answered 417 (RFC 9110 10.1.1)', async () => {
  await using site = await startSite();
  const client = site.send('GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n');
  expect(await untilEnd(client)).toMatch(/^HTTP\/1\.1 417 /);
  expect(site.received()).toBe('');
});

test('103 Early Hints and other 1xx go on, in order, with their fields (RFC 8297, RFC 9110 15.2)', async () => {
  const links = 'Link: </a>; rel=preload\r\nLink: </b>; rel=preload\r\n';
  const sent = (more: string) =>
    `HTTP/1.1 103 Early Hints\r\n${links}\r\nHTTP/1.1 102 Processing\r\n${more}\r\n` +
    'HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 2\r\n\r\nok';
  await using site = await startSite(answering(sent('Connection: X\r\nX: y\r\n')));
  expect(await until(site.send(get()), /ok$/)).toBe(sent(''));
});

test('the head does not wait for the content, nor a piece for the next', async () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n';
  await using site = await startSite(answering(head));
  const client = site.send(get());
  await until(client, /\r\n\r\n$/);
  const [connection] = site.upstream.connections;
  connection?.write('data: 1\n\n');
  await until(client, /data: 1\n\n\r\n$/);
  connection?.end('data: 2\n\n');
  expect(await until(client, /0\r\n\r\n$/)).toMatch(/data: 2/);
});

test('a client that does not read stops the upstream (no gathering on the way)', async () => {
  const piece = Buffer.alloc(64 * 1024);
  const total = 64 * 1024 * 1024;
  await using site = await startSite({
    onRequest: (_request, connection) => {
      connection.write(`HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`);
      connection.pour(piece, total / piece.length);
    },
  });
  const client = site.send(get(), { isPaused: true });
  const sent = () => site.upstream.connections[0]?.socket.bytesWritten ?? 0;
  await eventually(() => sent() > 0);
  await untilStill(sent);
  expect(sent()).toBeLessThan(total / 2);
  let bytes = 0;
  client.socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  await eventually(() => bytes > total);
});

test('an upstream that does not read stops the client', async () => {
  await using site = await startSite({ onConnection: ({ socket }) => socket.pause() });
  const total = 64 * 1024 * 1024;
  const client = site.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${total}\r\n\r\n`);
  const piece = Buffer.alloc(64 * 1024);
  let sent = 0;
  const more = () => {
    do sent += piece.length;
    while (client.socket.write(piece) && sent < total);
    if (sent < total) client.socket.once('drain', more);
  };
  more();
  await untilStill(() => sent);
  expect(sent).toBeLessThan(total / 2);
});

test('pipelined requests that change something are passed on one after the other (RFC 9112 9.3.2)', async () => {
  await using site = await startSite({ onRequest: () => {} });
  const post = (target: string) =>
    `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`;
  const targets = [post('/0'), get('/1'), get('/2'), post('/3'), get('/4'), post('/5')];
  const client = site.send(targets.join(''));
  const paths = () => site.upstream.requests.map(({ path }) => path).sort();
  const answer = (path: string) => {
    const request = site.upstream.requests.find((seen) => seen.path === path);
    const index = (request?.connection ?? 0) - 1;
    site.upstream.connections[index]?.write(response(path));
  };
  await eventually(() => paths().join() === '/0');
  // The others stood in the same segment: they would be on their way by now.
  expect(site.proxy.stats().upstreamConnections).toBe(1);
  answer('/0');
  await eventually(() => paths().join() === '/0,/1,/2');
  answer('/2');
  answer('/1');
  await eventually(() => paths().join() === '/0,/1,/2,/3');
  answer('/3');
  await eventually(() => paths().length === 5);
  answer('/4');
  await eventually(() => paths().length === 6);
  answer('/5');
  const all = await until(client, /\/5$/);
  expect(all.match(/\r\n\r\n\/\d/g)).toEqual([0, 1, 2, 3, 4, 5].map((n) => `\r\n\r\n/${n}`));
});

test('more clients than connections to the upstream: each waits its turn, nobody is refused', async () => {
  const notices: string[] = [];
  const clients = 40;
  const held: (() => void)[] = [];
  let isHeld = true;
  const onRequest: RawHandler['onRequest'] = (_request, connection) => {
    const answer = () => connection.write(response('ok'));
    if (isHeld) held.push(answer);
    else answer();
  };
  const few = withConstants({ maxUpstreamConnections: 3 });
  const log = tellingLog((message) => notices.push(message));
  await using site = await startSite({ onRequest }, { ...few, log });
  const all = Array.from({ length: clients }, (_, n) => site.send(get(`/${n}`)));
  await eventually(() => site.proxy.stats().requests === clients && held.length === 3);
  isHeld = false;
  for (const answer of held) answer();
  for (const client of all) expect(await until(client, /ok$/)).toMatch(/^HTTP\/1\.1 200 /);
  expect(site.proxy.stats()).toMatchObject({ requests: clients, retries: 0, upstreamFailures: 0 });
  expect(site.upstream.connections.length).toBeLessThanOrEqual(3);
  expect(notices).toEqual([
    'more requests at once than connections to the site: they wait their turn',
  ]);
});

test('who goes while waiting gives the place up, and is never sent', async () => {
  const held: (() => void)[] = [];
  await using site = await startSite(
    { onRequest: (_request, connection) => held.push(() => connection.write(response('ok'))) },
    withConstants({ maxUpstreamConnections: 1 }),
  );
  const first = site.send(get('/first'));
  await eventually(() => held.length === 1);
  const leaving = site.send(get('/leaving'));
  const staying = site.send(get('/staying'));
  await eventually(() => site.proxy.stats().requests === 3);
  leaving.socket.resetAndDestroy();
  await eventually(() => site.proxy.stats().openConnections === 2);
  held[0]?.();
  await until(first, /ok$/);
  await eventually(() => held.length === 2);
  held[1]?.();
  await until(staying, /ok$/);
  expect(site.upstream.requests.map(({ path }) => path)).toEqual(['/first', '/staying']);
});

test('an idle connection to the upstream is closed after upstreamKeepAliveTimeoutMs', async () => {
  await using site = await startSite(answerOk, withConstants({ upstreamKeepAliveTimeoutMs: 50 }));
  await until(site.send(get()), /ok$/);
  await site.upstream.connections[0]?.closed;
  await until(site.send(get()), /ok$/);
  expect(site.proxy.stats()).toMatchObject({ upstreamConnections: 2, retries: 0 });
});

/** Nothing tells that nothing moves any more. Both ends and the proxy are in this process, so what can move
 *  does so in the next turns of its event loop. */
async function untilStill(value: () => number): Promise<void> {
  let last = value();
  for (let turns = 0; turns < 2000; turns++) {
    await nextTurn();
    if (value() === last) continue;
    last = value();
    turns = 0;
  }
}
