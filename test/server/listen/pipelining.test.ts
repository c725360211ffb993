// Pipelined requests (RFC 9112 9.3.2): answered in order, and leaving in few writes (Nielsen, Gettys et
// al. 1997, Nagle Interaction; Heidemann 1996, 2.2). Writes are counted where they reach the kernel.

import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { coalescing } from '../../../server/coalescing/coalescing.ts';
import { coalesce, staticFiles } from '../../../server/index.ts';
import { ConnectionSocket } from '../../../server/listen/connection-socket.ts';
import { listening } from '../listening.ts';
import { type Answer, RawClient } from '../raw-client.ts';
import { serveSite } from '../site.ts';
import { watchSocketWrites } from '../socket-writes.ts';

const requestCount = 42;
const files = Object.fromEntries(
  Array.from({ length: requestCount }, (_, index) => [`${index}.gif`, `image ${index} `.repeat(9)]),
);
const batch = Object.keys(files)
  .map((name) => `GET /${name} HTTP/1.1\r\nHost: a\r\n\r\n`)
  .join('');

function expectInOrder(answers: Answer[]): void {
  expect(answers.map(({ body }) => body.toString())).toEqual(Object.values(files));
}

/** A file touched a moment ago is read anew each time, in case its clock is too coarse to show more. */
const settledMs = 60;

async function writesForBatch(port: number): Promise<number> {
  const madeMs = Date.now();
  await expect.poll(() => Date.now() - madeMs).toBeGreaterThan(settledMs);
  const client = new RawClient(port);
  client.send(batch);
  expectInOrder(await client.answers(requestCount));
  using seen = watchSocketWrites(port);
  client.send(batch);
  const answers = await client.answers(2 * requestCount);
  expectInOrder(answers.slice(requestCount));
  client.socket.destroy();
  return seen.writes.length;
}

test.each([
  ['42 answers to requests of one segment leave in one write', {}, 1, 1],
  ['without gathering each is a write, whole', { maxGatheredBytes: 0 }, requestCount, requestCount],
  ['a full buffer does not wait', { maxGatheredBytes: 1460 }, 6, requestCount / 2 - 1],
  ['fewer at work at once change the number of writes alone', { maxPipelinedRequests: 2 }, 1, 42],
])('%s', async (_, constants, least, most) => {
  await using served = await serveSite(files, withConstants(constants));
  const count = await writesForBatch(served.port);
  expect(count).toBeGreaterThanOrEqual(least);
  expect(count).toBeLessThanOrEqual(most);
});

test('coalesce() does it for a server of one own', async () => {
  await using served = await serveSite(files);
  const handler = staticFiles(served.site.folder);
  for (const isCoalescing of [false, true]) {
    const server = createServer((req, res) => handler(req, res, () => res.end()));
    if (isCoalescing) coalesce(server);
    expect(await writesForBatch(await listening(server))).toBe(isCoalescing ? 1 : requestCount);
  }
});

test('an answer is not lost when its server is closed in the same breath', async () => {
  const server = coalesce(
    createServer((_req, res) => {
      res.end('bye');
      server.close();
      server.closeAllConnections();
    }),
  );
  const client = new RawClient(await listening(server));
  client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await client.closed).toBeUndefined();
  expect(client.bytes.toString()).toMatch(/bye$/);
});

test('answers of every kind keep their order, those from the disk too', async () => {
  const large = Buffer.alloc(300_000, 'large');
  const content = { ...files, 'large.bin': large, 'page.html': 'page '.repeat(500) };
  await using served = await serveSite(content, withConstants({ maxCachedFileBytes: 100_000 }));
  const requests = ['/large.bin', '/0.gif', '/none', '/page.html', '/large.bin', '/1.gif'];
  const client = new RawClient(served.port);
  const lines = 'Host: a\r\nAccept-Encoding: gzip\r\n';
  for (const target of requests) client.send(`GET ${target} HTTP/1.1\r\n${lines}\r\n`);
  const answers = await client.answers(requests.length);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 200, 200, 200]);
  expect(answers[0]?.body.equals(large)).toBe(true);
  expect(answers[1]?.body.toString()).toBe(files['0.gif']);
  expect(answers[3]?.headers['content-encoding']).toBe('gzip');
  expect(answers[4]?.body.equals(large)).toBe(true);
  expect(answers[5]?.body.toString()).toBe(files['1.gif']);
  client.socket.destroy();
});

async function socketPair(): Promise<{ socket: ConnectionSocket; peer: Socket }> {
  const server = createTcpServer({ allowHalfOpen: true });
  const port = await listening(server);
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const peer = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const socket = new ConnectionSocket(await accepted);
  coalescing()(socket);
  return { socket, peer };
}

test('a reader that does not read stops the writer, and what is held stays bounded', async () => {
  const { socket, peer } = await socketPair();
  peer.pause();
  const chunk = Buffer.alloc(100_000, 'x');
  let sentBytes = 0;
  let acknowledged = 0;
  // Fill the kernel's buffers: until a write stays unacknowledged for as long as the loop has work.
  while (true) {
    sentBytes += chunk.length;
    const before = acknowledged;
    socket.write(chunk, () => acknowledged++);
    for (let turn = 0; turn < 20 && acknowledged === before; turn++)
      await new Promise(setImmediate);
    if (acknowledged === before) break;
  }
  for (let more = 0; more < 5; more++) {
    sentBytes += chunk.length;
    expect(socket.write(chunk)).toBe(false);
  }
  // Ours and the real socket's share: one chunk over each mark; the rest waits with the writer.
  expect(socket.pendingBytes - socket.writableLength).toBeLessThan(3 * chunk.length);
  socket.end();
  let receivedBytes = 0;
  for await (const part of peer) receivedBytes += (part as Buffer).length;
  expect(receivedBytes).toBe(sentBytes);
  peer.destroy();
});

test('requests are not taken in faster than a slow reader takes answers', async () => {
  const file = Buffer.alloc(900_000, 'y');
  await using served = await serveSite({ 'a.bin': file, 'b.txt': 'b' });
  const slow = new RawClient(served.port, { isPaused: true });
  const filler = `X-Filler: ${'f'.repeat(8_000)}\r\n`;
  const request = `GET /a.bin HTTP/1.1\r\nHost: a\r\n${filler}\r\n`;
  for (let sent = 0; sent < 2_000; sent++) slow.send(request);
  await new Promise((resolve) => slow.socket.once('readable', resolve));
  // Another client's exchanges are the clock.
  const other = new RawClient(served.port);
  for (let round = 1; round <= 200; round++) {
    other.send('GET /b.txt HTTP/1.1\r\nHost: a\r\n\r\n');
    await other.answers(round);
  }
  expect(served.origin.stats().requests - 200).toBeLessThan(64 + 32);
  expect(slow.socket.writableLength).toBeGreaterThan(0);
  slow.socket.destroy();
  other.socket.destroy();
});

test('interim and late writes of a handler are not held back past their turn', async () => {
  const steps: (() => void)[] = [];
  await using served = await serveSite(files, {
    handlers: [
      (req, res, next) => {
        if (req.url !== '/slow') return next();
        res.setHeader('Content-Length', '2');
        res.write(Buffer.from('1'));
        steps.push(() => res.end(Buffer.from('2')));
      },
    ],
  });
  const client = new RawClient(served.port);
  client.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  await new Promise((resolve) => client.socket.once('data', resolve));
  expect(client.bytes.toString()).toMatch(/\r\n\r\n1$/);
  steps[0]?.();
  const [answer] = await client.answers(1);
  expect(answer?.body.toString()).toBe('12');
  client.socket.destroy();
});
