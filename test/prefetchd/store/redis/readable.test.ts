// What a person finds with redis-cli, how many arcs a URL has, and what becomes of another format.

import { describe, expect, test } from 'vitest';
import { arcsOf, deltaOf, loaded } from '../../../support/graph-deltas.ts';
import { whyNoRedis } from '../../../support/redis.ts';
import { redisOfTests, step } from '../../../support/redis-nodes.ts';

const nowMs = Date.UTC(2024, 1, 29, 12);
const hourMs = 60 * 60 * 1000;

describe.skipIf(whyNoRedis !== '')(`a graph in Redis ${whyNoRedis}`, () => {
  const redis = redisOfTests();
  const { opened, newPlace } = redis;
  const arcsIn = async (place: string) => {
    const keys = await redis.server.admin.keys(`{${place}}:arc:*`);
    const sizes = await Promise.all(keys.map((key) => redis.server.admin.zcard(key)));
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  const countedIn = async (place: string) =>
    Number(await redis.server.admin.hget(`{${place}}:meta`, 'arcs'));

  test('ZREVRANGE shows the strongest arcs of a URL, and the URLs with most accesses', async () => {
    const place = newPlace();
    const store = opened(place);
    const nodes = { '/': { accesses: 5 }, '/b.gif': { kind: 'object' as const, accesses: 2 } };
    const arcs = [
      { from: '/', to: '/a', count: 2, clients: [7, 1023], seen: 3 },
      { from: '/', to: '/b.gif', count: 3.5 },
    ];
    await store.add(deltaOf({ era: 9, nodes, graphs: [arcs] }), nowMs);
    const { admin } = redis.server;
    const key = (name: string) => `{${place}}:${name}`;
    const most = (name: string) => admin.zrevrange(key(name), 0, 9, 'WITHSCORES');
    expect(await most('arc:0:/')).toEqual(['/b.gif', '3.5', '/a', '2']);
    expect(await most('url')).toEqual(['/', '5', '/b.gif', '2', '/a', '0']);
    expect(await admin.hgetall(key('kind'))).toEqual({ '/': '0', '/b.gif': '1', '/a': '0' });
    expect(await admin.hgetall(key('seen:0:/'))).toEqual({ '/a': '3', '/b.gif': '0' });
    expect(await admin.hgetall(key('clients:9:0:/'))).toEqual({ '/a': '[7,1023]' });
    expect(await admin.hmget(key('meta'), 'format', 'predictor', 'window')).toEqual([
      ...['4', 'test', '4'],
    ]);
  });

  test('a URL has at most as many arcs as it may; the weakest went', async () => {
    const place = newPlace();
    const store = opened(place, { maxArcsPerUrl: 4, halfLifeMs: hourMs });
    const arcs = (names: string, count: number) =>
      deltaOf({ graphs: [[...names].map((to) => ({ from: '/', to, count }))] });
    await store.add(arcs('abcd', 1), nowMs);
    await store.add(arcs('efg', 1), nowMs + hourMs);
    await store.add(arcs('i', 9), nowMs + hourMs);
    expect([await arcsIn(place), await countedIn(place)]).toEqual([4, 4]);
    const found = await loaded(opened(place), nowMs + hourMs);
    expect(arcsOf(found, '/')).toEqual(['i 9', 'g 1', 'f 1', 'e 1']);
    expect(await redis.server.admin.hlen(`{${place}}:seen:0:/`)).toBe(4);
  });

  test('arcs are counted on, whatever is forgotten or added again', async () => {
    const place = newPlace();
    const store = opened(place);
    await store.add(step('/a', '/b', 1), nowMs);
    await store.add(step('/a', '/b', 1), nowMs);
    await store.add(step('/b', '/c', 1), nowMs);
    await store.add(step('/c', '/a', 1), nowMs);
    expect([await arcsIn(place), await countedIn(place)]).toEqual([3, 3]);
    expect(await store.forget('/b')).toBe(1);
    expect([await arcsIn(place), await countedIn(place)]).toEqual([1, 1]);
  });

  test('one of another format is refused with what to do, and left as it is', async () => {
    const place = newPlace();
    await redis.server.admin.hset(`{${place}}:meta`, 'format', '3', 'generation', 'x');
    const before = await redis.server.admin.keys(`{${place}}*`);
    const message = new RegExp(`prefix=${place} cannot be .*its format is 3.*name another prefix`);
    await expect(loaded(opened(place), nowMs)).rejects.toThrow(message);
    await expect(opened(place).add(step('/a', '/b', 1), nowMs)).rejects.toThrow(message);
    await expect(opened(place).forget('/a')).rejects.toThrow(message);
    expect(await redis.server.admin.keys(`{${place}}*`)).toEqual(before);
    expect(await redis.server.admin.hlen(`{${place}}:meta`)).toBe(2);
  });
});
