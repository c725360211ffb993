// What of visitors goes from Redis by itself: news when the other nodes had their time to hear it, the salt, and the
// fingerprints that were made with it.

import { describe, expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { contentOf, deltaOf, loaded } from '../../../support/graph-deltas.ts';
import { whyNoRedis } from '../../../support/redis.ts';
import { redisOfTests, step, totals } from '../../../support/redis-nodes.ts';

const nowMs = Date.UTC(2024, 1, 29, 12) + 345;
const dayMs = 24 * 60 * 60 * 1000;
const minuteMs = 60_000;
const nothing = deltaOf({ graphs: [[]] });

describe.skipIf(whyNoRedis !== '')(`what Redis forgets ${whyNoRedis}`, () => {
  const redis = redisOfTests();
  const { opened, newPlace } = redis;

  test('all keys but those of the graph end by themselves', async () => {
    const place = newPlace();
    const store = opened(place);
    const { era } = await store.salt(nowMs, dayMs);
    const arc = { from: '/a', to: '/b', count: 1, clients: [7] };
    await store.add(deltaOf({ era, graphs: [[arc]] }), nowMs);
    const lives: Record<string, number> = {};
    for (const key of await redis.server.admin.keys(`{${place}}:*`)) {
      lives[key.split(':')[1] ?? ''] = await redis.server.admin.pttl(key);
    }
    const { salt = 0, clients = 0, news = 0, flush = 0, ...rest } = lives;
    expect(rest).toEqual({ meta: -1, url: -1, kind: -1, arc: -1, seen: -1 });
    for (const [life, most] of [
      [salt, dayMs],
      [clients, dayMs],
      [news, minuteMs],
      [flush, 7 * dayMs],
    ] as const) {
      expect(life).toBeGreaterThan(most / 2);
      expect(life).toBeLessThanOrEqual(most);
    }
  });

  test('times of news are to the second, and its order stays', async () => {
    const place = newPlace();
    const store = opened(place);
    for (let n = 0; n < 20; n++) await store.add(step('/a', `/${n}`, 1), nowMs + n);
    const entries = await redis.server.admin.xrange(`{${place}}:news`, '-', '+');
    expect(entries).toHaveLength(20);
    entries.forEach(([id, fields], n) => {
      expect(id).toMatch(new RegExp(`000-${n + 1}$`));
      expect(fields.filter((_, at) => at % 2 === 0)).toEqual(['node', 'age', 'delta']);
    });
  });

  test('news goes one by one while there is newer, and all of it when there is none', async () => {
    const place = newPlace();
    const store = opened(place, { newsLifeMs: 1500 });
    await store.add(step('/first', '/b', 1), nowMs);
    const hasFirst = async () =>
      (await redis.server.admin.xrange(`{${place}}:news`, '-', '+')).some(([, fields]) =>
        fields.join().includes('/first'),
      );
    expect(await hasFirst()).toBe(true);
    await eventually(async () => {
      await store.add(step('/later', '/b', 1), nowMs);
      return !(await hasFirst());
    }, 'the first news goes');
    expect(await redis.server.admin.exists(`{${place}}:news`)).toBe(1);
    await eventually(async () => (await redis.server.admin.exists(`{${place}}:news`)) === 0);
  });

  test.each([
    ['asks', nothing, 3],
    ['adds', step('/own', '/x', 1), 1],
  ])(
    'a node that was away for longer than news lives, and %s, loads everything',
    async (_, delta, most) => {
      const place = newPlace();
      const [one, other] = [opened(place, { newsLifeMs: 1 }), opened(place, { newsLifeMs: 1 })];
      await loaded(other, nowMs);
      await other.add(nothing, nowMs);
      await one.add(step('/a', '/b', 4), nowMs);
      await one.add(step('/a', '/b', 3), nowMs);
      await eventually(async () => (await redis.server.admin.exists(`{${place}}:news`)) === 0);
      let heard = 0;
      for (let n = 0; n < most && other.need === null; n++) {
        heard += (await other.add(delta, nowMs)).length;
      }
      if (other.need === null) await other.add(nothing, nowMs);
      expect([heard, other.need]).toEqual([0, 'load']);
      expect(totals(await loaded(other, nowMs))['0 /a /b']).toBe(7);
      expect(other.need).toBeNull();
      expect(await other.add(nothing, nowMs)).toEqual([]);
      expect(await other.add(nothing, nowMs)).toEqual([]);
      expect(other.need).toBeNull();
    },
  );

  test('fingerprints go with their salt, their number stays', async () => {
    const place = newPlace();
    const store = opened(place);
    const prints = (era: number, clients: number[]) =>
      deltaOf({ era, graphs: [[{ from: '/a', to: '/b', count: 1, clients }]] });
    const { era } = await store.salt(nowMs, dayMs);
    await store.add(prints(era, [1, 2, 3]), nowMs);
    const kept = async (key: string) => redis.server.admin.hgetall(`{${place}}:${key}:0:/a`);
    expect(await kept(`clients:${era}`)).toEqual({ '/b': '[1,2,3]' });
    const [salt, clients] = [`{${place}}:salt`, `{${place}}:clients:${era}:0:/a`];
    const behindMs =
      (await redis.server.admin.pttl(clients)) - (await redis.server.admin.pttl(salt));
    expect(Math.abs(behindMs)).toBeLessThan(minuteMs);
    await redis.server.admin.unlink(salt, clients); // a day passes
    const next = await store.salt(nowMs + dayMs, dayMs);
    await store.add(prints(next.era, [4]), nowMs + dayMs);
    const [arc] = contentOf(await loaded(store, nowMs + dayMs)).graphs[0]?.get('/a') ?? [];
    expect(arc).toMatchObject({ count: 2, clients: [4], seen: 3 });
    expect(await kept('seen')).toEqual({ '/b': '3' });
  });

  test('those of an era that is over already stay for a minute', async () => {
    const place = newPlace();
    const store = opened(place);
    await store.salt(nowMs, dayMs);
    const late = { from: '/a', to: '/b', count: 1, clients: [7] };
    await store.add(deltaOf({ era: 5, graphs: [[late]] }), nowMs);
    expect(await redis.server.admin.pttl(`{${place}}:clients:5:0:/a`)).toBeLessThanOrEqual(
      minuteMs,
    );
  });
});
