// Redis under two running services: stalled, killed, full, emptied. Each request is answered from memory in its
// time, health and metrics say how the store is, and what was learned meanwhile reaches the other node.

import { describe, expect, test } from 'vitest';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { RedisServer, whyNoRedis } from '../../support/redis.ts';
import { Load, mostTook, type Served, serve, until } from './served.ts';
import { visitsIn } from './visits.ts';

/** How long the store waits for Redis. If answers did, half of them would take longer. */
const redisTimeoutMs = 1000;

const folder = folderOfTests();

/** Busy services hint less (thread-load.ts), and here hints are looked at while it goes on. */
const gently = { workers: 1 };

const visit = (client: string, ...urls: string[]) =>
  urls.map((url) => ({ client, url, kind: 'document' }));

async function fill(redis: RedisServer): Promise<void> {
  await redis.admin.config('SET', 'maxmemory-policy', 'noeviction');
  await redis.admin.config('SET', 'maxmemory', '1');
}

/** How Redis fails, and how it is well again. */
const faults: Record<string, [(redis: RedisServer) => unknown, (redis: RedisServer) => unknown]> = {
  'is stalled': [(redis) => redis.stall(), (redis) => redis.resume()],
  'is killed, and comes back empty': [(redis) => redis.kill(), (redis) => redis.start()],
  'is full': [fill, (redis) => redis.admin.config('SET', 'maxmemory', '0')],
};

describe.skipIf(whyNoRedis !== '')(`two services whose Redis ${whyNoRedis}`, () => {
  async function started() {
    const redis = await RedisServer.start();
    const store = redis.url('faults');
    const nodes = await Promise.all([serve(folder, store), serve(folder, store)]);
    const [one, other] = nodes as [Served, Served];
    await one.post('/v1/accesses', visit('before x', '/before', '/known'));
    await until(async () => (await other.hints('/before')).includes('/known'));
    return {
      ...{ redis, store, one, other },
      async [Symbol.asyncDispose]() {
        for (const node of nodes) await node[Symbol.asyncDispose]();
        await redis[Symbol.asyncDispose]();
      },
    };
  }

  test.each(Object.entries(faults))('%s', { timeout: 60_000 }, async (_, [fail, repair]) => {
    await using nodes = await started();
    const { redis, store, one, other } = nodes;
    const loads = [new Load(one.port, gently), new Load(other.port, gently)];
    await Promise.all(loads.map((load) => load.answered(50)));
    await fail(redis);
    for (const node of [one, other]) {
      await until(async () => (await node.health()) === 'degraded');
      expect(await node.metric('prefetchd_store_healthy')).toBe(0);
      await until(async () => (await node.hints('/before')).includes('/known'));
      const n = node === one ? 1 : 2;
      await node.post('/v1/accesses', visit(`meanwhile${n} x`, '/meanwhile', `/news-${n}`));
      await until(async () => (await node.hints('/meanwhile')).includes(`/news-${n}`));
    }
    await Promise.all(loads.map((load) => load.answered(50)));
    await repair(redis);
    for (const [node, news] of [
      [one, '/news-2'],
      [other, '/news-1'],
    ] as const) {
      await until(async () => (await node.hints('/meanwhile')).includes(news));
      await until(async () => (await node.health()) === 'ok');
      expect(await node.metric('prefetchd_store_healthy')).toBe(1);
      // Told once a fault, however often it was tried; on a busy machine a fault may follow the repair.
      const told = node.log().match(/hints continue from memory|works again/g) ?? [];
      expect(told).toEqual(
        told.map((_, at) => ['hints continue from memory', 'works again'][at % 2]),
      );
      expect(told.length).toBeLessThanOrEqual(4);
    }
    const answers = (await Promise.all(loads.map((load) => load.stop()))).flat();
    expect(answers.every(({ status, isBroken }) => status === 200 && !isBroken)).toBe(true);
    expect(mostTook(answers)).toBeLessThan(redisTimeoutMs);
    for (const node of [one, other]) expect(await node.kill('SIGTERM')).toBe(0);
    const learned = loads.reduce((sum, load) => sum + load.learned, 0);
    const isExact = !/empty/.test(expect.getState().currentTestName ?? '');
    const kept = await visitsIn(store, isExact);
    // Never twice; of one that comes back empty, what was given in its last second may be missing.
    expect(kept).toBeLessThanOrEqual(learned);
    expect(kept).toBeGreaterThanOrEqual(isExact ? learned : 0.5 * learned);
    await using third = await serve(folder, store);
    for (const [page, count] of [
      ['/meanwhile', 2],
      ['/before', 1],
    ] as const) {
      await until(async () => (await third.hints(page)).length === count);
    }
  });
});
