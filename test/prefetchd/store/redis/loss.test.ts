// Redis lost everything, and more than one node has something that the others lack: whoever gives the graph,
// and whoever was quicker, in the end all know the same, and nothing counts twice.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { GraphDelta } from '../../../../prefetchd/model/delta/graph-delta.ts';
import { RedisStore } from '../../../../prefetchd/store/redis/redis-store.ts';
import { deltaOf } from '../../../support/graph-deltas.ts';
import fc from '../../../support/property.ts';
import { RedisServer, whyNoRedis } from '../../../support/redis.ts';
import { connected, step, TestNode, totals } from '../../../support/redis-nodes.ts';

const nowMs = Date.UTC(2024, 1, 29, 12);
const nothing = () => deltaOf({ graphs: [[]] });

let server: RedisServer;
beforeAll(async () => {
  if (whyNoRedis === '') server = await RedisServer.start();
});
afterAll(() => server?.[Symbol.asyncDispose]());

async function opened(place = 'test'): Promise<TestNode> {
  const store = new RedisStore(server.url(place), { timeoutMs: 1000 });
  onTestFinished(() => store.close());
  return TestNode.start(store, nowMs);
}

/** Three nodes that know of `/a /b` 111 times. */
async function three() {
  await server.admin.flushall();
  const nodes = [await opened(), await opened(), await opened()] as const;
  for (const [at, node] of nodes.entries()) await node.learn(step('/a', '/b', 10 ** at), nowMs);
  for (const node of nodes) await node.learn(nothing(), nowMs);
  return nodes;
}

async function expectAll(nodes: readonly TestNode[], truth: Record<string, number>) {
  for (let round = 0; round < 2; round++) {
    for (const node of nodes) await node.learn(nothing(), nowMs);
  }
  for (const node of [...nodes, await opened()]) expect(totals(...node.model)).toEqual(truth);
}

/** It learned something, and Redis, which is empty, asks it for the whole. */
async function askedForWhole(node: TestNode, news: GraphDelta) {
  node.model.push(news);
  await node.store.add(news, nowMs);
  expect(node.store.need).toBe('whole');
}

describe.skipIf(whyNoRedis !== '')(`a Redis that lost everything ${whyNoRedis}`, () => {
  test.each([
    ['after it was killed: each gives what it knows', true],
    ['all at once: nothing counts twice', false],
  ])('%s', async (_, isKilled) => {
    const nodes = await three();
    if (isKilled) {
      await server.kill();
      await server.start();
      for (const { store } of nodes) await connected(store);
    } else await server.admin.flushall();
    await Promise.all(nodes.map((node, at) => node.learn(step('/c', '/d', 10 ** at), nowMs)));
    await expectAll(nodes, { '0 /a /b': 111, '0 /c /d': 111 });
  });

  test('a newcomer that founds it anew does not keep the others from giving', async () => {
    const nodes = await three();
    await server.admin.flushall();
    const newcomer = await opened();
    await newcomer.learn(step('/n', '/n2', 1), nowMs);
    await expectAll([...nodes, newcomer], { '0 /a /b': 111, '0 /n /n2': 1 });
  });

  // The name of the graph, the news and the whole go to Redis one after the other.
  test.each([null, 0, 1, 2])(
    'who gives the whole too late still gives its news, also when Redis fails after %s answers',
    async (answers) => {
      const nodes = await three();
      const [slow, quick] = nodes;
      await server.admin.flushall();
      const news = step('/c', '/d', 1);
      await askedForWhole(slow, news);
      await quick.learn(nothing(), nowMs);
      const whole = slow.whole();
      if (answers !== null) {
        server.relay.answersBeforeLoss = answers;
        await expect(slow.store.restore(whole, nowMs, [news])).rejects.toThrow();
        await connected(slow.store);
      }
      await slow.store.restore(whole, nowMs, [news]);
      expect(slow.store.need).toBe('load');
      await expectAll(nodes, { '0 /a /b': 111, '0 /c /d': 1 });
    },
  );

  test.each([
    ['who was quicker', 1],
    ['who was quicker', 2],
    ['a third one', 1],
    ['a third one', 2],
  ])('news that %s heard of already count once (%i answers)', async (who, answers) => {
    const nodes = await three();
    const [slow, quick, third] = nodes;
    await server.admin.flushall();
    const news = step('/c', '/d', 1);
    await askedForWhole(slow, news);
    const whole = slow.whole();
    server.relay.answersBeforeLoss = answers;
    await expect(slow.store.restore(whole, nowMs, [news])).rejects.toThrow();
    await connected(slow.store);
    // The end of it was lost as well: Redis is empty again, but for the news that were told.
    const meta = await server.admin.hget('{test}:meta', 'generation');
    const hearing = who === 'a third one' ? third : quick;
    for (let i = 0; i < 2; i++) await hearing.learn(nothing(), nowMs);
    expect(totals(...hearing.model)).toEqual({ '0 /a /b': 111, '0 /c /d': 1 });
    await server.admin.flushall();
    await quick.learn(nothing(), nowMs);
    expect(await server.admin.hget('{test}:meta', 'generation')).not.toBe(meta);
    await slow.store.restore(whole, nowMs, [news]);
    await expectAll(nodes, { '0 /a /b': 111, '0 /c /d': 1 });
  });

  test('an addition that arrived, its answer lost, is no news to who heard of it', async () => {
    const nodes = await three();
    const [one, other] = nodes;
    const delta = step('/c', '/d', 5);
    one.model.push(delta);
    server.relay.answersBeforeLoss = 0;
    await expect(one.store.add(delta, nowMs)).rejects.toThrow();
    await connected(one.store);
    await other.learn(nothing(), nowMs);
    expect(totals(...other.model)).toMatchObject({ '0 /c /d': 5 });
    await server.admin.flushall();
    await one.give(delta, nowMs);
    await expectAll(nodes, { '0 /a /b': 111, '0 /c /d': 5 });
  });

  test('what a node learned while it could not reach Redis is added to what the others learned', async () => {
    const nodes = await three();
    const [alone, one, other] = nodes;
    await server.admin.flushall();
    await askedForWhole(alone, step('/a', '/b', 50));
    for (const node of [one, other]) await node.learn(step('/a', '/b', 1000), nowMs);
    await alone.store.restore(alone.whole(), nowMs, [alone.model.at(-1) as GraphDelta]);
    await expectAll(nodes, { '0 /a /b': 2161 });
  });

  test('Redis that comes back with an earlier state gets back what came after it', async () => {
    const nodes = await three();
    const [one] = nodes;
    await server.admin.save();
    for (const node of nodes) await node.learn(step('/c', '/d', 1), nowMs);
    for (const node of nodes) await node.learn(nothing(), nowMs);
    await server.kill();
    await server.start();
    for (const { store } of nodes) await connected(store);
    await one.learn(nothing(), nowMs);
    await expectAll(nodes, { '0 /a /b': 111, '0 /c /d': 3 });
  });

  test('however often, with whatever learned between: all know all', {
    timeout: 60_000,
  }, async () => {
    const anyStep = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ node: fc.nat(2), count: fc.constantFrom(0, 0, 1, 2, 4) }),
      },
      { weight: 1, arbitrary: fc.constant('lost' as const) },
    );
    let places = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
        const place = `place-${++places}`;
        const nodes = [await opened(place), await opened(place), await opened(place)];
        let [learned, n] = [0, 0];
        // Who learned nothing yet knows no generation; what it misses then it has to load.
        for (const node of [...nodes, ...nodes]) await node.learn(step('/a', '/b', 0), nowMs);
        for (const each of steps) {
          if (each === 'lost') await server.admin.flushall();
          else {
            learned += each.count;
            await nodes[each.node]?.learn(step('/a', `/${++n}`, each.count), nowMs);
          }
        }
        for (let round = 0; round < 3; round++) {
          for (const node of nodes) await node.learn(step('/a', '/b', 0), nowMs);
        }
        nodes.push(await opened(place));
        const sums = nodes.map(({ model }) =>
          Object.values(totals(...model)).reduce((sum, count) => sum + count, 0),
        );
        expect(sums).toEqual(sums.map(() => learned));
      }),
      { numRuns: 60 },
    );
  });
});
