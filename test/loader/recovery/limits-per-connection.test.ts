// A server serves so many requests a connection, says `Connection: close` on the last and closes (RFC 9112 9.6). What
// came is in step: it is not fetched again for having stood in a pipeline that was longer.

import { describe, expect, it } from 'vitest';
import {
  createHttpCache,
  createLoader,
  createMemoryStore,
  loadPage,
} from '../../../loader/index.ts';
import {
  expectOwnBytes,
  expectOwnBytesOrError,
  expectOwnStored,
  imagePage,
} from '../../support/image-page.ts';
import { answering, type RawServer } from '../../support/raw-server.ts';

const page = imagePage(150);
const asked = 151;
const kept = { 'Cache-Control': 'max-age=600' };

/** @param surplusAt this request of the first connection is answered twice. */
function politeServer(limit: number, surplusAt = Number.POSITIVE_INFINITY): Promise<RawServer> {
  const answers = new WeakMap<object, number>();
  return answering(({ path, index }, connection) => {
    for (const _time of index === surplusAt && connection.id === 1 ? [1, 2] : [1]) {
      const count = (answers.get(connection) ?? 0) + 1;
      answers.set(connection, count);
      if (count > limit) return;
      const close: Record<string, string> = count === limit ? { Connection: 'close' } : {};
      connection.write(page.answer(path, { ...kept, ...close }));
      if (count === limit) connection.end();
    }
  });
}

describe('a first load of 151 resources', () => {
  it.each([1, 99, 100, 101, 150, 1_000])(
    '%i a connection: at most 1.1 requests each',
    async (k) => {
      await using server = await politeServer(k);
      const store = createMemoryStore();
      const load = await loadPage(server.origin, { cache: createHttpCache(store) });
      expectOwnBytes(load, page);
      expect(load.totals.requests).toBeLessThanOrEqual(asked * 1.1);
      if (k > 1) expect(load.totals.connections).toBeLessThanOrEqual(6);
      // All of it is known to be in step.
      expect(store.size().entries).toBe(asked);
    },
  );

  it.each([5, 20, 60])('%i a connection: nothing is fetched twice', async (k) => {
    await using server = await politeServer(k);
    const load = await loadPage(server.origin);
    expectOwnBytes(load, page);
    // Requests behind the last answer of a connection were not served. Of the two that were cut, before the number was
    // known, a witness and its successor come once more.
    const served = server.connections.map(({ requests }) => Math.min(k, requests.length));
    expect(served.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(asked + 4);
  });
});

describe('a kept loader', () => {
  it.each([1, 5, 99, 100, 101, 1_000])('%i a connection, 30 loads: at most 1.1 each', async (k) => {
    await using server = await politeServer(k);
    await using loader = createLoader();
    let requests = 0;
    for (let time = 0; time < 30; time++) {
      const load = await loader.load(server.origin);
      expectOwnBytes(load, page);
      requests += load.totals.requests;
    }
    expect(requests).toBeLessThanOrEqual(30 * asked * 1.1);
  });
});

describe('one answer too many before the close', () => {
  it.each([1, 7, 50, 96, 97, 98])('behind request %i: no body is misplaced', async (surplusAt) => {
    for (const k of [99, 60]) {
      await using server = await politeServer(k, surplusAt);
      const store = createMemoryStore();
      const load = await loadPage(server.origin, { cache: createHttpCache(store) });
      expectOwnBytesOrError(load, page);
      expect(server.requests.length).toBeLessThanOrEqual(2 * asked);
      expectOwnStored(store, server.origin, page);
    }
  });
});

describe('a server that resets after its fifth response', () => {
  it.each([1, 2, 6])(
    '%i connections at first, answers lost: it is learned to serve five',
    async (n) => {
      await using server = await answering(({ path, index }, connection) => {
        // A reset takes along what had not been delivered: of one long pipeline less is seen than of the others.
        const most = connection.id === n && n > 1 ? 3 : 5;
        if (index < most) connection.write(page.answer(path));
        if (index === 4) connection.reset();
      });
      await using loader = createLoader({ connections: n });
      expectOwnBytesOrError(await loader.load(server.origin), page);
      const before = server.connections.length;
      const load = await loader.load(server.origin);
      expectOwnBytesOrError(load, page);
      const counts = server.connections.slice(before).map(({ requests }) => requests.length);
      expect(counts.filter((count) => count === 5).length, String(counts)).toBeGreaterThan(20);
      expect(load.totals.connections).toBeLessThanOrEqual(asked / 5 + 8);
    },
  );
});
