// What an HTTP/2 client can send at little cost of its own: streams it resets at once (CVE-2023-44487) or makes the
// server reset (CVE-2025-8671), fields without an end (CVE-2024-27983), questions whose answers it does not read
// (CVE-2019-9512, -9515), windows it never opens (CVE-2019-9517). Each ends within a bound, and little of it goes on.

import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { type RawHandler, response } from '../../support/raw-server.ts';
import { type Frame, frame, framesIn, headerBlock, preface } from '../proxy/raw-http2.ts';
import { eventually, startSite } from '../proxy/set-up.ts';
import { RawClient } from '../raw-client.ts';
import { serveSite } from '../site.ts';

const [DATA, HEADERS, RST_STREAM, SETTINGS] = [0, 1, 3, 4];
const [PING, GOAWAY, WINDOW_UPDATE, CONTINUATION] = [6, 7, 8, 9];
const [END_STREAM, END_HEADERS, ACK] = [1, 4, 1];
const cancel = Buffer.from([0, 0, 0, 8]);
const asked = { ':method': 'GET', ':scheme': 'http', ':authority': 'a' };
const fields = (path: string) => headerBlock(Object.entries({ ...asked, ':path': path }));
const get = (stream: number, path = '/') =>
  frame(HEADERS, END_STREAM | END_HEADERS, stream, fields(path));
const reset = (stream: number) => frame(RST_STREAM, 0, stream, cancel);

class Flooder {
  readonly socket: Socket;
  readonly frames: Frame[] = [];
  readonly closed: Promise<void>;
  #rest = Buffer.alloc(0);

  /** @param settings as SETTINGS carries them */
  constructor(port: number, settings = Buffer.alloc(0)) {
    this.socket = connect({ port, host: '127.0.0.1' });
    this.socket.on('error', () => {});
    this.closed = new Promise<void>((resolve) => this.socket.on('close', () => resolve()));
    this.socket.on('data', (chunk) => this.#read(chunk as Buffer));
    this.send(preface, frame(SETTINGS, 0, 0, settings), frame(SETTINGS, ACK, 0, Buffer.alloc(0)));
  }

  send(...frames: Buffer[]): boolean {
    return this.socket.write(Buffer.concat(frames));
  }

  has(type: number, stream?: number): boolean {
    return this.frames.some((one) => one.type === type && (stream ?? one.stream) === one.stream);
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const whole = framesIn(this.#rest);
    this.frames.push(...whole);
    const bytes = whole.reduce((sum, { payload }) => sum + 9 + payload.length, 0);
    this.#rest = this.#rest.subarray(bytes);
  }
}

const answersNext: RawHandler = {
  onRequest: ({ path }, connection) => {
    if (path === '/next') connection.write(response('ok'));
  },
};

/** Odd, as a client's are. */
const streams = (count: number) => Array.from({ length: count }, (_, n) => 2 * n + 1);

test('streams that are reset as they begin: nothing reaches the upstream, and the connection ends', async () => {
  await using site = await startSite({ onRequest: () => {} });
  const flooder = new Flooder(site.port);
  flooder.send(...streams(20_000).flatMap((stream) => [get(stream), reset(stream)]));
  await flooder.closed;
  // One may begin where the reset comes with the next segment. It was 100, with as many connections.
  expect(site.proxy.stats().requests).toBeLessThan(10);
  expect(site.upstream.connections.length).toBeLessThan(10);
  await eventually(() => site.proxy.stats().openConnections === 0);
  expect(site.proxy.stats().upstreamFailures).toBe(0);
});

test('streams that are reset once their requests are under way: these end, and their places are free', async () => {
  await using site = await startSite(answersNext, withConstants({ maxUpstreamConnections: 10 }));
  const flooder = new Flooder(site.port);
  for (let round = 0; round < 3; round++) {
    const ids = streams(60).slice(20 * round, 20 * round + 20);
    flooder.send(...ids.map((id) => get(id)));
    await eventually(() => site.upstream.requests.length === 10 * (round + 1));
    flooder.send(...ids.map(reset));
    await Promise.all(site.upstream.connections.map(({ closed }) => closed));
  }
  const client = new RawClient(site.port);
  client.send('GET /next HTTP/1.1\r\nHost: a\r\n\r\n');
  await client.answers(1);
  client.socket.destroy();
  flooder.socket.destroy();
  expect(site.upstream.requests).toHaveLength(31);
});

test('streams that the server is made to reset: the connection ends', async () => {
  await using site = await startSite({ onRequest: () => {} });
  const flooder = new Flooder(site.port);
  const nothing = Buffer.alloc(4);
  for (const stream of streams(3_000)) {
    // No step at all is an error of the stream (RFC 9113 6.9).
    flooder.send(get(stream), frame(WINDOW_UPDATE, 0, stream, nothing));
  }
  await flooder.closed;
  expect(site.upstream.requests.length).toBeLessThan(200);
});

const inTable = Buffer.from([0x40, 1, 97, 1, 98]);

test.each([
  ['do not parse', headerBlock([['Not A Name', 'x']])],
  ['are answered with 431', headerBlock(Array.from({ length: 250 }, () => ['a', '']))],
  // Each is one byte once the first is in the table (RFC 7541 6.1). Node resets these unseen.
  ['are 5,000', Buffer.concat([inTable, Buffer.alloc(5_000, 0xbe)])],
])(
  'streams whose fields %s, between requests that are answered: the connection ends',
  async (_name, more) => {
    await using served = await serveSite({ a: 'a' });
    const flooder = new Flooder(served.port);
    const isOver = () => flooder.socket.destroyed || flooder.has(GOAWAY);
    const bad = Buffer.concat([fields('/a'), more]);
    for (let n = 0; n < 2_000 && !isOver(); n++) {
      const id = 4 * n + 3;
      flooder.send(frame(HEADERS, END_STREAM | END_HEADERS, id - 2, bad), get(id, '/a'));
      await eventually(() => isOver() || flooder.has(DATA, id));
    }
    expect(isOver()).toBe(true);
    await flooder.closed;
  },
);

test('a page that is left, with all its streams reset, is no flood', async () => {
  await using site = await startSite(answersNext);
  const flooder = new Flooder(site.port);
  const ids = streams(90);
  flooder.send(...ids.map((id) => get(id)));
  await eventually(() => site.upstream.requests.length === 90);
  flooder.send(...ids.map(reset), get(181, '/next'));
  await eventually(() => flooder.has(DATA, 181));
  expect(flooder.has(GOAWAY)).toBe(false);
  flooder.socket.destroy();
});

test('fields without an end: the connection ends', async () => {
  await using served = await serveSite({ a: 'a' });
  const flooder = new Flooder(served.port);
  flooder.send(frame(HEADERS, END_STREAM, 1, fields('/a')));
  for (let n = 0; n < 1_000; n++) {
    flooder.send(frame(CONTINUATION, 0, 1, headerBlock([['x', 'y']])));
  }
  await flooder.closed;
  expect(served.origin.stats().requests).toBe(0);
});

test.each([
  ['PING', frame(PING, 0, 0, Buffer.alloc(8))],
  ['SETTINGS', frame(SETTINGS, 0, 0, Buffer.from([0, 3, 0, 0, 0, 100]))],
])(
  '%s without end by a client that does not read: the connection ends',
  async (_name, one) => {
    await using served = await serveSite({ a: 'a' });
    const flooder = new Flooder(served.port);
    await eventually(() => flooder.has(SETTINGS));
    flooder.socket.pause();
    const many = Buffer.concat(Array.from({ length: 10_000 }, () => one));
    // More than every buffer on the way back holds; ended by the server, or by its reading no more.
    let sent = 0;
    const more = (): void => {
      while (sent++ < 400 && !flooder.socket.destroyed) {
        if (!flooder.socket.write(many)) return void flooder.socket.once('drain', more);
      }
    };
    more();
    await eventually(() => served.origin.stats().openConnections === 0);
    flooder.socket.destroy();
  },
  30_000,
);

test('a client that breaks the protocol behind its GOAWAY: the connection ends, though no reset can be sent', async () => {
  const times = { connectTimeoutMs: 50, keepAliveTimeoutMs: 200, idleTimeoutMs: 200 };
  const constants = withConstants({ ...times, lingerTimeoutMs: 50 });
  const options = { responseTimeoutMs: 50, ...constants };
  await using site = await startSite({ onRequest: () => {} }, options);
  const flooder = new Flooder(site.port);
  const upload = frame(HEADERS, END_HEADERS, 1, fields('/'));
  const onIdle = frame(DATA, 0, 2, Buffer.of(97));
  flooder.send(upload, frame(GOAWAY, 0, 0, Buffer.alloc(8)), onIdle);
  await eventually(() => site.proxy.stats().connections === 1);
  await flooder.closed;
  await eventually(() => site.proxy.stats().openConnections === 0);
});

test('a client that opens no window: its streams are ended when nothing moved for idleTimeoutMs', async () => {
  const impatient = withConstants({ idleTimeoutMs: 100 });
  await using served = await serveSite({ a: 'a'.repeat(1000) }, impatient);
  // SETTINGS_INITIAL_WINDOW_SIZE 0.
  const flooder = new Flooder(served.port, Buffer.from([0, 4, 0, 0, 0, 0]));
  flooder.send(...streams(50).map((id) => get(id, '/a')));
  await eventually(() => streams(50).every((id) => flooder.has(RST_STREAM, id)));
  expect(flooder.has(DATA)).toBe(false);
  flooder.socket.destroy();
});
