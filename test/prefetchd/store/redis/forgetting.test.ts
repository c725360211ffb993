// What of visitors goes from Redis by itself: news when the other nodes had their time to hear it, the salt, and the
// fingerprints of days that are over.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  RedisStore,
  type RedisStoreOptions,
} from '../../../../prefetchd/store/redis/redis-store.ts';
import { arcAt, recordBytes } from '../../../../prefetchd/store/redis/values.ts';
import { eventually } from '../../../support/eventually.ts';
import { contentOf, deltaOf } from '../../../support/graph-deltas.ts';
import { RedisServer, whyNoRedis } from '../../../support/redis.ts';
import { step, totals } from '../../../support/redis-nodes.ts';

const nowMs = Date.UTC(2024, 1, 29, 12) + 345;
const dayMs = 24 * 60 * 60 * 1000;
const minuteMs = 60_000;
const nothing = deltaOf({ graphs: [[]] });

describe.skipIf(whyNoRedis !== '')(`what Redis forgets ${whyNoRedis}`, () => {
  let server: RedisServer;
  let places = 0;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const opened = (prefix: string, options: RedisStoreOptions = {}) => {
    const store = new RedisStore(server.url(prefix), options);
    onTestFinished(() => store.close());
    return store;
  };
  const newPlace = () => `forgets-${++places}`;

  test('all keys but those of the graph end by themselves', async () => {
    const place = newPlace();
    const store = opened(place);
    await store.salt(nowMs, dayMs);
    await store.add(step('/a', '/b', 1), nowMs);
    const lives: Record<string, number> = {};
    for (const key of await server.admin.keys(`{${place}}:*`)) {
      lives[key.replace(/.*:/, '')] = await server.admin.pttl(key);
    }
    const { salt = 0, deltas = 0, ...rest } = lives;
    expect(rest).toEqual({ meta: -1, nodes: -1, rows: -1, flows: -1 });
    expect(salt).toBeGreaterThan(0);
    expect(salt).toBeLessThanOrEqual(dayMs);
    expect(deltas).toBeGreaterThan(0);
    expect(deltas).toBeLessThanOrEqual(minuteMs);
  });

  test('times of news are to the second, and its order stays', async () => {
    const place = newPlace();
    const store = opened(place);
    for (let n = 0; n < 20; n++) await store.add(step('/a', `/${n}`, 1), nowMs + n);
    const entries = await server.admin.xrange(`{${place}}:deltas`, '-', '+');
    expect(entries).toHaveLength(20);
    entries.forEach(([id, fields], n) => {
      expect(id).toMatch(/000-\d+$/);
      expect(fields[fields.indexOf('t') + 1]).toMatch(/^\d+000$/);
      expect(fields[fields.indexOf('n') + 1]).toBe(String(n + 1));
    });
  });

  test('news goes one by one while there is newer, and all of it when there is none', async () => {
    const place = newPlace();
    const store = opened(place, { newsLifeMs: 1500 });
    await store.add(step('/first', '/b', 1), nowMs);
    const hasFirst = async () =>
      (await server.admin.xrange(`{${place}}:deltas`, '-', '+')).some(([, fields]) =>
        fields.join().includes('/first'),
      );
    expect(await hasFirst()).toBe(true);
    await eventually(async () => {
      await store.add(step('/later', '/b', 1), nowMs);
      return !(await hasFirst());
    }, 'the first news goes');
    expect(await server.admin.exists(`{${place}}:deltas`)).toBe(1);
    await eventually(async () => (await server.admin.exists(`{${place}}:deltas`)) === 0);
  });

  test.each([
    ['asks', nothing, 3],
    ['adds', step('/own', '/x', 1), 1],
  ])(
    'a node that was away for longer than news lives, and %s, loads everything',
    async (_, delta, most) => {
      const place = newPlace();
      const [one, other] = [opened(place, { newsLifeMs: 1 }), opened(place, { newsLifeMs: 1 })];
      await other.load(nowMs);
      await other.add(nothing, nowMs);
      await one.add(step('/a', '/b', 4), nowMs);
      await one.add(step('/a', '/b', 3), nowMs);
      await eventually(async () => (await server.admin.exists(`{${place}}:deltas`)) === 0);
      let heard = 0;
      for (let n = 0; n < most && other.need === null; n++) {
        heard += (await other.add(delta, nowMs)).length;
      }
      if (other.need === null) await other.add(nothing, nowMs);
      expect([heard, other.need]).toEqual([0, 'load']);
      expect(totals(await other.load(nowMs))['0 /a /b']).toBe(7);
      expect(other.need).toBeNull();
      expect(await other.add(nothing, nowMs)).toEqual([]);
      expect(await other.add(nothing, nowMs)).toEqual([]);
      expect(other.need).toBeNull();
    },
  );

  test('fingerprints of a day that is over go from all arcs, their number stays', async () => {
    const place = newPlace();
    const stores = [opened(place), opened(place)] as const;
    const [store] = stores;
    const prints = (era: number, count: number) =>
      deltaOf({
        era,
        graphs: [
          Array.from({ length: count }, (_, n) => ({
            from: `/${n % 300}`,
            to: `/to/${n}`,
            count: 1,
            clients: [1 + (n % 1000), 1 + ((n + 7) % 1000), 1 + ((n + 9) % 1000)],
          })),
        ],
      });
    const { era } = await store.salt(nowMs, dayMs);
    await store.add(prints(era, 5000), nowMs);
    const nextMs = nowMs + dayMs;
    const next = await store.salt(nextMs, dayMs);
    await store.add(prints(next.era, 10), nextMs);
    const values = async () =>
      (await server.admin.hvalsBuffer(`{${place}}:rows`)).flatMap((row) =>
        Array.from({ length: row.length / recordBytes }, (_, n) => arcAt(row, n * recordBytes)),
      );
    const withPrints = async () => (await values()).filter(({ prints }) => prints.length > 0);
    const before = contentOf(await store.load(nextMs));
    expect(await withPrints()).toHaveLength(5000);
    await eventually(async () => {
      for (const each of stores) await each.salt(nextMs + 2 * minuteMs, dayMs);
      for (const each of stores) await each.salt(nextMs + 4 * minuteMs, dayMs);
      return (await withPrints()).length === 10;
    }, 'only the fingerprints of today are there');
    expect((await values()).every((arc) => arc.seen === 3)).toBe(true);
    expect(contentOf(await store.load(nextMs))).toEqual(before);
    await eventually(
      async () => (await server.admin.hget(`{${place}}:meta`, 'sweptEra')) === String(next.era),
    );
    expect(await server.admin.exists(`{${place}}:prune`)).toBe(0);
  });
});
