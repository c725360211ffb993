// Who may be pipelined to, and what a connection kept between pages is good for.

import { describe, expect, it } from 'vitest';
import { createLoader } from '../../../loader/index.ts';
import { withConstants } from '../../../options/options.ts';
import { expectOwnBytes, imagePage, serverOf } from '../../support/image-page.ts';
import { loadFrom, quick } from '../../support/quick-load.ts';
import { answering } from '../../support/raw-server.ts';

const page = imagePage(42);
const asked = 43;

describe('an HTTP/1.0 server', () => {
  it('that closes after each response is not pipelined to (RFC 9112 9.3.2)', async () => {
    const { load, server } = await loadFrom(
      { protocol: 'pipelined' },
      ({ path, index }, connection) => {
        if (index === 0) connection.end(page.answer(path, {}, 'HTTP/1.0'));
      },
    );
    expectOwnBytes(load, page);
    const [first, ...later] = server.connections;
    // What left before its first response was read cannot be called back; nothing after that.
    expect(Math.max(...later.map(({ requests }) => requests.length))).toBe(1);
    expect(first?.requests.length).toBeLessThanOrEqual(asked);
    expect(server.requests.length).toBeLessThanOrEqual(2 * asked);
    expect(load.resources.every(({ httpVersion }) => httpVersion === 'http/1.0')).toBe(true);
  });

  it('that keeps alive is asked one request at a time (RFC 9112 9.3.2)', async () => {
    let outstanding = 0;
    let most = 0;
    const { load } = await loadFrom(
      { protocol: 'pipelined', connections: 1 },
      ({ path }, connection) => {
        outstanding++;
        if (connection.requests.length > 1) most = Math.max(most, outstanding);
        setImmediate(() => {
          outstanding--;
          connection.write(page.answer(path, { Connection: 'keep-alive' }, 'HTTP/1.0'));
        });
      },
    );
    expectOwnBytes(load, page);
    expect(most).toBe(1);
  });
});

describe('a connection kept between pages', () => {
  it('carries three pages, and the record says so', async () => {
    await using server = await serverOf(page);
    await using loader = createLoader({ ...quick, protocol: 'pipelined' });
    for (const visit of [0, 1, 2]) {
      const load = await loader.load(server.origin);
      expectOwnBytes(load, page);
      expect(load.connections.length).toBe(1);
      const [connection] = load.connections;
      expect(connection?.id).toBe(1);
      expect(connection?.requests).toBe(asked);
      expect(connection?.endMs).toBeNull();
      if (visit > 0) expect(connection?.startMs).toBeLessThan(0);
      if (visit > 0) expect(connection?.connectEndMs).toBeLessThan(0);
      const places = load.resources.map(({ pipelineIndex }) => pipelineIndex ?? -1);
      expect(places.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: asked }, (_, index) => visit * asked + index),
      );
      expect(load.batches[0]?.id).toBe(1);
      expect(load.totals.requests).toBe(asked);
      expect(load.resources.every(({ attempts }) => attempts === 1)).toBe(true);
    }
    expect(server.connections.length).toBe(1);
    expect(server.requests.length).toBe(3 * asked);
  });

  it.each(['FIN', 'RST'] as const)(
    'that the server ended while idle (%s) is replaced in silence (RFC 9112 9.3.1)',
    async (ending) => {
      await using server = await serverOf(page);
      await using loader = createLoader({ ...quick, protocol: 'pipelined' });
      expectOwnBytes(await loader.load(server.origin), page);
      const [first] = server.connections;
      if (ending === 'RST') first?.reset();
      else first?.end();
      const second = await loader.load(server.origin);
      expectOwnBytes(second, page);
      expect(second.connections.at(-1)?.id).toBeGreaterThan(1);
      // An idle close says nothing of how many requests a connection takes.
      expect(server.connections.length).toBe(2);
    },
  );

  it.each(['pipelined', 'persistent'] as const)(
    '%s: ended by the server as the next request arrives: asked again, once (RFC 9112 9.3.1)',
    async (protocol) => {
      let idle = false;
      await using server = await answering(({ path }, connection) => {
        if (idle && connection.id <= kept) connection.reset();
        else connection.write(page.answer(path));
      });
      let kept = 0;
      await using loader = createLoader({ ...quick, protocol, connections: 1 });
      expectOwnBytes(await loader.load(server.origin), page);
      idle = true;
      kept = server.connections.length;
      const second = await loader.load(server.origin);
      expectOwnBytes(second, page);
      expect(second.resources[0]?.attempts).toBe(2);
    },
  );
});

it.each([
  [60_000, 'holds for the next page', 5],
  [0, 'is forgotten after `relearnMs`', 43],
])('what a broken pipeline taught: (%i ms) %s', async (relearnMs, _what, most) => {
  let limited = true;
  await using server = await answering(({ path, index }, connection) => {
    if (limited && index === 4) connection.end(page.answer(path, { Connection: 'close' }));
    else if (!limited || index < 4) connection.write(page.answer(path));
  });
  await using loader = createLoader({
    protocol: 'pipelined',
    ...quick,
    ...withConstants({ pipeline: { relearnMs, stallMs: 250 } }),
  });
  expectOwnBytes(await loader.load(server.origin), page);
  limited = false; // the server was restarted, or its limit raised
  const second = await loader.load(server.origin);
  expectOwnBytes(second, page);
  expect(Math.max(...second.connections.map(({ requests }) => requests))).toBe(most);
});
