// Lines that both sides hold: asked for with Hold-Line (Hauck 1994) or not, and how the client honours their end.

import { describe, expect, it } from 'vitest';
import { createLoader, loadPage } from '../../../loader/index.ts';
import type { LoaderOptions } from '../../../loader/options.ts';
import { expectOwnBytes, imagePage } from '../../support/image-page.ts';
import { loadFrom, quick } from '../../support/quick-load.ts';
import { answering, type RawServer } from '../../support/raw-server.ts';

const page = imagePage(4);
const asked = 5;
type Fields = Record<string, string>;

/** Answers with these fields, and never ends a connection by itself. */
function serverSaying(fields: Fields, version = 'HTTP/1.1'): Promise<RawServer> {
  return answering(({ path }, connection) => {
    connection.write(page.answer(path, fields, version));
  });
}

it.each<[boolean | number, string | undefined]>([
  [5, '5'],
  [true, ''],
  [false, undefined],
])('the field of a request: holdLine: %s', async (wanted, sent) => {
  await using server = await serverSaying({});
  expectOwnBytes(await loadPage(server.origin, { ...quick, holdLine: wanted }), page);
  expect(server.requests.map(({ headers }) => headers['hold-line'])).toEqual(
    Array.from({ length: asked }, () => sent),
  );
});

describe('http1.0', () => {
  const one: LoaderOptions = { ...quick, protocol: 'http1.0', connections: 1 };

  it('stays one request a connection, also where the server would go on', async () => {
    await using server = await serverSaying({ 'Hold-Line': '5' });
    expectOwnBytes(await loadPage(server.origin, one), page);
    expect(server.perConnection).toEqual([1, 1, 1, 1, 1]);
    expect(server.requests.every(({ headers }) => headers.connection === 'close')).toBe(true);
  });

  it('a line that is granted carries the next request', async () => {
    await using server = await serverSaying({ 'hOLD-lINE': '5' });
    expectOwnBytes(await loadPage(server.origin, { ...one, holdLine: 5 }), page);
    expect(server.perConnection).toEqual([5]);
  });

  it('so over HTTP/1.0, from a server that says keep-alive too', async () => {
    const fields = { 'Hold-Line': '5', Connection: 'Keep-Alive' };
    await using server = await serverSaying(fields, 'HTTP/1.0');
    const load = await loadPage(server.origin, { ...one, holdLine: 5 });
    expectOwnBytes(load, page);
    expect(server.perConnection).toEqual([5]);
    expect(load.resources[0]?.httpVersion).toBe('http/1.0');
  });

  it.each<[string, Fields]>([
    ['no field', {}],
    ['Keep-Alive alone', { 'Keep-Alive': 'timeout=5' }],
    ['no time', { 'Hold-Line': '0' }],
    ['an end', { 'Hold-Line': '5', Connection: 'close' }],
  ])('a line that is not granted is closed after the reply: %s', async (_what, fields) => {
    await using server = await serverSaying(fields);
    expectOwnBytes(await loadPage(server.origin, { ...one, holdLine: true }), page);
    expect(server.perConnection).toEqual([1, 1, 1, 1, 1]);
  });

  it('a reply whose end is that of the connection is read whole, whatever it grants', async () => {
    await using server = await answering(({ path }, connection) => {
      const whole = page.answer(path, { 'Hold-Line': '5' }).toString('latin1');
      connection.end(Buffer.from(whole.replace(/Content-Length: \d+\r\n/, ''), 'latin1'));
    });
    expectOwnBytes(await loadPage(server.origin, { ...one, holdLine: 5 }), page);
    expect(server.perConnection).toEqual([1, 1, 1, 1, 1]);
  });

  it.each(['FIN', 'RST'] as const)(
    'a line that the server drops as the request goes out (%s): a silent retry on a new one (2.2)',
    async (ending) => {
      await using server = await answering(({ path, index }, connection) => {
        if (index === 0) connection.write(page.answer(path, { 'Hold-Line': '5' }));
        else if (ending === 'RST') connection.reset();
        else connection.end();
      });
      const load = await loadPage(server.origin, { ...one, holdLine: 5 });
      expectOwnBytes(load, page);
      // A request that is sent again has a connection of its own, so each second image goes out on a held line.
      expect(load.resources.map(({ attempts }) => attempts).toSorted()).toEqual([1, 1, 1, 2, 2]);
      expect(server.requests.length).toBeLessThanOrEqual(2 * asked);
    },
  );
});

describe('the end of an idle connection', () => {
  it.each<[string, Fields, LoaderOptions]>([
    ['Keep-Alive, not asked for', { 'kEEP-aLIVE': 'timeout=1' }, {}],
    ['Hold-Line, not asked for', { 'Hold-Line': '1' }, {}],
    ['the shorter of both', { 'Hold-Line': '1', 'Keep-Alive': 'timeout=60' }, { holdLine: 60 }],
    ['its own time', { 'Hold-Line': '60' }, { holdLine: 1 }],
    ['its own time where the server has none', { 'Hold-Line': '' }, { holdLine: 1 }],
    ['Keep-Alive, serial', { 'Keep-Alive': 'timeout=1' }, { protocol: 'persistent' }],
  ])('is the client’s to come first: %s', async (_what, fields, options) => {
    await using server = await serverSaying(fields);
    await using loader = createLoader({ ...quick, ...options });
    expectOwnBytes(await loader.load(server.origin), page);
    // The server never closes.
    await Promise.all(server.connections.map(({ closed }) => closed));
    const before = server.connections.length;
    const second = await loader.load(server.origin);
    expectOwnBytes(second, page);
    expect(second.resources.every(({ attempts }) => attempts === 1)).toBe(true);
    expect(server.connections.length).toBeGreaterThan(before);
  });

  it('holds though the timer is late: a busy process does not use it', async () => {
    await using server = await serverSaying({ 'Keep-Alive': 'timeout=1' });
    await using loader = createLoader({ ...quick, connections: 1 });
    expectOwnBytes(await loader.load(server.origin), page);
    // Nothing of this process runs meanwhile, timers neither.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    expectOwnBytes(await loader.load(server.origin), page);
    expect(server.perConnection).toEqual([asked, asked]);
  });
});

it.each(['persistent', 'pipelined'] as const)(
  '%s: a connection carries as many requests as the server says it takes (Keep-Alive: max)',
  async (protocol) => {
    const limit = 3;
    const { load, server } = await loadFrom(
      { protocol, connections: 1 },
      ({ path, index }, connection) => {
        const max = limit - 1 - index;
        connection.write(page.answer(path, { 'Keep-Alive': `timeout=5, max=${max}` }));
      },
    );
    expectOwnBytes(load, page);
    expect(server.perConnection).toEqual([limit, asked - limit]);
    expect(load.totals.requests).toBe(asked);
  },
);
