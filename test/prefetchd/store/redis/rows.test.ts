// How arcs lie in Redis: in a row for each URL, of bounded length; and a graph that an older version wrote, an arc a
// field, becomes such rows while nodes go on.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  RedisStore,
  type RedisStoreOptions,
} from '../../../../prefetchd/store/redis/redis-store.ts';
import { recordBytes } from '../../../../prefetchd/store/redis/values.ts';
import { arcsOf, deltaOf } from '../../../support/graph-deltas.ts';
import { RedisServer, whyNoRedis } from '../../../support/redis.ts';
import { step } from '../../../support/redis-nodes.ts';

const nowMs = Date.UTC(2024, 1, 29, 12);
const hourMs = 60 * 60 * 1000;

describe.skipIf(whyNoRedis !== '')(`rows of arcs in Redis ${whyNoRedis}`, () => {
  let server: RedisServer;
  let places = 0;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const newPlace = () => `rows-${++places}`;
  const opened = (place: string, options: RedisStoreOptions = {}) => {
    const store = new RedisStore(server.url(place), options);
    onTestFinished(() => store.close());
    return store;
  };
  const arcsIn = async (place: string) =>
    (await server.admin.hvalsBuffer(`{${place}}:rows`)).reduce(
      (sum, { length }) => sum + length / recordBytes,
      0,
    );
  const countedIn = async (place: string) =>
    Number(await server.admin.hget(`{${place}}:meta`, 'arcs'));

  test('a URL has at most twice as many arcs as it may; the weakest went, and of equals the older', async () => {
    const place = newPlace();
    const store = opened(place, { maxArcsPerUrl: 4, halfLifeMs: hourMs });
    const arcs = (names: string, count: number) =>
      deltaOf({ graphs: [[...names].map((to) => ({ from: '/', to, count }))] });
    await store.add(arcs('abc', 2), nowMs);
    await store.add(arcs('defgh', 1), nowMs + hourMs);
    expect([await arcsIn(place), await countedIn(place)]).toEqual([8, 8]);
    await store.add(arcs('i', 9), nowMs + hourMs);
    expect([await arcsIn(place), await countedIn(place)]).toEqual([4, 4]);
    const found = await opened(place).load(nowMs + hourMs);
    expect(arcsOf(found, '/')).toEqual(['i 9', 'd 1', 'e 1', 'f 1']);
  });

  test('their number is counted on, whatever is forgotten or added again', async () => {
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

  test('of a format that is not ours are refused, and left as they are', async () => {
    const place = newPlace();
    const store = opened(place);
    await store.add(deltaOf({ nodes: { '/1': { accesses: 5 } } }), nowMs);
    await server.admin.hset(`{${place}}:meta`, 'format', '1');
    const message = /its format is 1; this prefetchd knows 2/;
    await expect(opened(place).load(nowMs)).rejects.toThrow(message);
    await expect(store.add(deltaOf({ nodes: { '/2': {} } }), nowMs)).rejects.toThrow(message);
    expect(await server.admin.hkeys(`{${place}}:nodes`)).toEqual(['/1']);
  });
});
