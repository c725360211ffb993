// Nobody keeps others out by asking much (orders of events, no times). Who asks: addresses of 127.0.0.0/8, none of
// them trusted, or visitors whom a trusted proxy names.

import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { createProxy } from '../../../server/index.ts';
import { response } from '../../support/raw-server.ts';
import { serveSite } from '../site.ts';
import { answerOk, eventually, get, startSite } from './set-up.ts';

function from(address: string, port: number, bytes: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: address });
  socket.on('error', () => {});
  socket.write(bytes);
  return socket;
}

const flooders = 20;
const flood = get('/flood').repeat(10_000);

test('a visitor is answered among ten thousand pipelined requests on each of twenty connections', async () => {
  const counts = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(new URL('./counting-upstream.ts', import.meta.url), {
    workerData: { counts: counts.buffer },
  });
  const [{ port: sitePort }] = await once(worker, 'message');
  await using proxy = createProxy({ upstream: `http://127.0.0.1:${sitePort}`, trustProxy: false });
  const { port } = await proxy.listen();
  const flooded = () => Atomics.load(counts, 0);
  const sockets = Array.from({ length: flooders }, () => from('127.0.0.2', port, flood));
  for (const socket of sockets) socket.resume();
  try {
    await eventually(() => flooded() > flooders * 100);
    const before = flooded();
    const visitor = from('127.0.0.3', port, get('/visitor'));
    await once(visitor, 'data');
    visitor.destroy();
    // Some turns of the event loop, in each of which 64 begin. Without turns it was 100,000.
    expect(Atomics.load(counts, 1) - before).toBeLessThan(5_000);
  } finally {
    for (const socket of sockets) socket.destroy();
    await worker.terminate();
  }
}, 60_000);

test('the origin answers a visitor among them, too', async () => {
  await using served = await serveSite({ flood: 'f', visitor: 'v' });
  const { origin, port } = served;
  const sockets = Array.from({ length: flooders }, () => from('127.0.0.2', port, flood));
  for (const socket of sockets) socket.resume();
  try {
    await eventually(() => origin.stats().requests > flooders * 100);
    const before = origin.stats().requests;
    const visitor = from('127.0.0.3', port, get('/visitor'));
    await once(visitor, 'data');
    visitor.destroy();
    expect(origin.stats().requests - before).toBeLessThan((flooders * 10_000) / 2);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}, 30_000);

test('one connection has so many requests under way, and is read no further', async () => {
  await using site = await startSite({ onRequest: () => {} });
  const client = site.send(get('/').repeat(10_000));
  await eventually(() => site.upstream.requests.length === 16);
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(site.upstream.requests).toHaveLength(16);
  client.socket.destroy();
});

test.each([
  ['by its address', { trustProxy: false as const }, (address: string) => ({ address, lines: '' })],
  [
    'by what a trusted proxy says of it',
    {},
    (address: string) => ({
      address: '127.0.0.1',
      lines: `X-Forwarded-For: 198.51.100.9, ${address.replace('127.0.0', '192.0.2')}\r\n`,
    }),
  ],
  [
    'by its IPv6 network of 48 bits',
    {},
    (address: string, host: number) => ({
      address: '127.0.0.1',
      lines: `X-Forwarded-For: 2001:db8:${address.slice(-1)}:${host.toString(16)}::1\r\n`,
    }),
  ],
])(
  'where places are scarce a new visitor is next, whoever waits before, %s',
  async (_name, options, asking) => {
    const few = withConstants({ maxUpstreamConnections: 4 });
    await using site = await startSite({ onRequest: () => {} }, { ...few, ...options });
    const ask = (address: string, target: string, host = 0) => {
      const how = asking(address, host);
      return from(how.address, site.port, get(target, how.lines));
    };
    const sockets = Array.from({ length: 40 }, (_, n) => ask('127.0.0.2', `/flood-${n}`, n));
    const paths = () => site.upstream.requests.map(({ path }) => path);
    try {
      // Of four places one address has three.
      await eventually(() => site.proxy.stats().requests === 40 && paths().length === 3);
      sockets.push(ask('127.0.0.3', '/first'));
      await eventually(() => paths().includes('/first'));
      sockets.push(ask('127.0.0.4', '/second'));
      await eventually(() => site.proxy.stats().requests === 42);
      expect(paths()).toHaveLength(4);
      // The turn of the one that waits longest, then the new one's.
      site.upstream.connections[0]?.write(response('ok'));
      await eventually(() => paths().length === 5);
      site.upstream.connections[1]?.write(response('ok'));
      await eventually(() => paths().length === 6);
      expect(paths().slice(-2)).toContain('/second');
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  },
);

test('many visitors share a trusted address that names none of them: it may have all places', async () => {
  const few = withConstants({ maxUpstreamConnections: 4 });
  await using site = await startSite(answerOk, few);
  await using busy = await startSite({ onRequest: () => {} }, few);
  for (let n = 0; n < 6; n++) busy.send(get(`/${n}`));
  await eventually(() => busy.upstream.requests.length === 4);
  const clients = Array.from({ length: 20 }, () => site.send(get('/')));
  await Promise.all(clients.map(({ socket }) => once(socket, 'data')));
});

test.each(['HEAD', 'GET'])(
  'a %s over HTTP/2 that its client resets gives its place to the next (RFC 9113 5.4.2)',
  async (method) => {
    await using site = await startSite(
      {
        onRequest: ({ path }, connection) => {
          if (path === '/own') connection.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n');
        },
      },
      { ...withConstants({ maxUpstreamConnections: 4 }), trustProxy: false },
    );
    const session = connectHttp2(`http://127.0.0.1:${site.port}`);
    const ask = (path: string, verb: string) => {
      const stream = session.request({ ':path': path, ':method': verb });
      stream.on('error', () => {});
      return stream;
    };
    // Three are all that one address may have.
    const left = [1, 2, 3].map(() => ask('/left', method));
    await eventually(() => site.upstream.requests.length === 3);
    for (const stream of left) stream.close(8 /* CANCEL */);
    await Promise.all(site.upstream.connections.map(({ closed }) => closed));
    const [headers] = await once(ask('/own', 'HEAD'), 'response');
    expect(headers[':status']).toBe(200);
    // The same for a client that leaves as a whole.
    ask('/left', method);
    await eventually(() => site.upstream.requests.length === 5);
    session.destroy();
    await site.upstream.connections.at(-1)?.closed;
    expect(site.proxy.stats().upstreamFailures).toBe(0);
  },
);

test('HEADs over HTTP/2 share one connection to the upstream: those answered are not aborted', async () => {
  await using site = await startSite({
    onRequest: (_r, connection) => connection.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'),
  });
  const session = connectHttp2(`http://127.0.0.1:${site.port}`);
  for (let n = 0; n < 20; n++) {
    const stream = session.request({ ':path': '/', ':method': 'HEAD' });
    stream.resume();
    await once(stream, 'close');
  }
  session.destroy();
  expect(site.upstream.connections).toHaveLength(1);
});
