// Several nodes on one Redis: each knows in the end what one node would know that saw everything.

import { describe, expect, test } from 'vitest';
import { type GraphDelta, neverNext } from '../../../../prefetchd/model/delta/graph-delta.ts';
import type { RedisStoreOptions } from '../../../../prefetchd/store/redis/redis-store.ts';
import { contentOf, deltaOf, loaded } from '../../../support/graph-deltas.ts';
import { MemoryGraphStore } from '../../../support/memory-graph-store.ts';
import fc from '../../../support/property.ts';
import { whyNoRedis } from '../../../support/redis.ts';
import { redisOfTests, step, TestNode, totals } from '../../../support/redis-nodes.ts';

const nowMs = Date.UTC(2024, 1, 29, 12);
const nothing = deltaOf({ graphs: [[]] });

/** By arc: its count, and how many clients it is known to have. */
function knownOf(delta: GraphDelta | null) {
  const { nodes, graphs } = contentOf(delta);
  const arcs = graphs.map(
    (rows) =>
      new Map(
        [...rows].flatMap(([from, list]) =>
          list.map(({ to, count, clients, seen }) => [
            `${from} ${to}`,
            [count, Math.max(clients.length, seen % neverNext), seen >= neverNext],
          ]),
        ),
      ),
  );
  return { nodes, arcs };
}

describe.skipIf(whyNoRedis !== '')(`nodes that share a Redis ${whyNoRedis}`, () => {
  const redis = redisOfTests();
  let place = '';
  const opener = (options: RedisStoreOptions = {}) => {
    place = redis.newPlace();
    const own = place;
    return () => redis.opened(own, options);
  };
  const nodes = async (count: number, options: RedisStoreOptions = {}) => {
    const open = opener(options);
    const list = Array.from({ length: count }, () => TestNode.start(open(), nowMs));
    return (await Promise.all(list)) as [TestNode, TestNode, TestNode];
  };

  test('learn the same as one that saw everything, whoever sees what', async () => {
    const arc = fc.record({
      from: fc.constantFrom('/a', '/b', '/c', '/d'),
      to: fc.constantFrom('/a', '/b', '/e', '/f'),
      count: fc.integer({ min: 1, max: 9 }),
      clients: fc.uniqueArray(fc.integer({ min: 1, max: 1023 }), { maxLength: 6 }),
    });
    const arcs = fc.uniqueArray(arc, { maxLength: 6, selector: ({ from, to }) => `${from} ${to}` });
    const flush = fc.record({
      node: fc.nat({ max: 2 }),
      era: fc.constantFrom(7, 8),
      graphs: fc.tuple(arcs, arcs),
      accesses: fc.nat({ max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(flush, { maxLength: 25 }), async (flushes) => {
        const all = await nodes(3);
        const one = new MemoryGraphStore();
        // Another store has only the latest era's clients as such.
        const inOrder = flushes.toSorted((one, other) => one.era - other.era);
        for (const { node, era, graphs, accesses } of inOrder) {
          const delta = deltaOf({ era, graphs, nodes: { '/a': { accesses } } });
          await one.add(delta, nowMs);
          await all[node]?.learn(delta, nowMs);
        }
        for (const node of all) {
          await node.learn(deltaOf({ graphs: [[], []] }), nowMs);
          const truth = totals(await loaded(one, nowMs));
          expect(totals(...node.model)).toEqual(truth);
          if (flushes.length > 0) {
            const kept = await loaded(node.store, nowMs);
            expect(knownOf(kept)).toEqual(knownOf(await loaded(one, nowMs)));
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  test('hear of each other’s additions aged to the moment at which they hear', async () => {
    const [one, other] = await nodes(2, { halfLifeMs: 1000 });
    await one.learn(step('/a', '/b', 4), nowMs);
    const [heard] = await other.store.add(nothing, nowMs + 2000);
    expect(contentOf(heard as GraphDelta).graphs[0]?.get('/a')).toMatchObject([{ count: 1 }]);
  });

  test('whose clocks differ do not age what others gave', async () => {
    const hourMs = 60 * 60 * 1000;
    const [one, late] = await nodes(2, { halfLifeMs: hourMs });
    for (let i = 0; i < 5; i++) {
      await one.learn(step('/a', '/b', 1), nowMs);
      await late.learn(step('/a', '/b', 1), nowMs - 2 * hourMs);
    }
    expect(totals(await loaded(one.store, nowMs))).toEqual({ '0 /a /b': 10 });
    expect(totals(await loaded(late.store, nowMs + hourMs))).toEqual({ '0 /a /b': 5 });
  });

  test('need one round trip for an addition, whatever its size', async () => {
    const [one, other] = await nodes(2);
    const many = Array.from({ length: 5500 }, (_, at) => ({
      from: `/${at % 100}`,
      to: `/to ${at}`,
      count: 1,
    }));
    await one.learn(step('/a', '/b', 1), nowMs);
    await one.store.salt(nowMs, 1000);
    const before = redis.server.relay.trips;
    redis.server.relay.holdAnswers();
    const adding = one.learn(deltaOf({ graphs: [many] }), nowMs);
    // All of it is there before any answer is.
    while (Number(await redis.server.admin.hget(`{${place}}:meta`, 'arcs')) < 5501) {}
    redis.server.relay.releaseAnswers();
    await adding;
    expect(redis.server.relay.trips - before).toBe(1);
    await one.store.salt(nowMs, 1000); // the addition read it
    await one.learn(nothing, nowMs);
    expect(redis.server.relay.trips - before).toBe(2);
    await other.learn(step('/a', '/b', 1), nowMs);
    expect(redis.server.relay.trips - before).toBe(3);
    expect(Object.keys(totals(...other.model))).toHaveLength(5501);
  });

  test('load exactly what was added up to a moment, while others add', async () => {
    const open = opener({ timeoutMs: 10_000 });
    const writers = await Promise.all([0, 1].map(() => TestNode.start(open(), nowMs)));
    let additions = 0;
    const burst = () => {
      const turn = additions++;
      const arcs = Array.from({ length: 300 }, (_, at) => ({
        from: `/${(at * 7 + turn * 13) % 200}`,
        to: `/${(at * 11 + turn) % 120}`,
        count: 1 + (turn % 3),
        clients: [1 + ((turn * at) % 1000)],
      }));
      return deltaOf({ era: 3, graphs: [arcs], nodes: { '/1': { accesses: 1 } } });
    };
    for (let i = 0; i < 10; i++) for (const { store } of writers) await store.add(burst(), nowMs);
    for (let round = 0; round < 2; round++) {
      let isLoaded = false;
      const hammering = writers.map(async ({ store }) => {
        while (!isLoaded) await store.add(burst(), nowMs);
      });
      const before = additions;
      const reader = await TestNode.start(open(), nowMs);
      expect(additions).toBeGreaterThan(before + 1); // they went on meanwhile
      isLoaded = true;
      await Promise.all(hammering);
      while ((await reader.learn(nothing, nowMs)).length > 0) {}
      const truth = await loaded(reader.store, nowMs);
      expect(reader.store.need).toBeNull();
      expect(totals(...reader.model)).toEqual(totals(truth));
      const accesses = (delta: GraphDelta | null) =>
        contentOf(delta).nodes.get('/1')?.accesses ?? 0;
      expect(accesses(truth)).toBe(additions);
      expect(reader.model.reduce((sum, delta) => sum + accesses(delta), 0)).toBe(additions);
    }
  });

  test('drop the URLs with the fewest accesses when there is too much', async () => {
    const store = opener({ maxArcs: 30, maxNodes: 20 })();
    for (let n = 0; n < 50; n++) {
      const nodes = {
        '/top': { accesses: 99 },
        '/next': { accesses: 98 },
        [`/${n}`]: { accesses: 1 + n },
      };
      const arcs = [
        { from: '/top', to: '/next', count: 1 },
        ...['/top', '/next'].map((to) => ({ from: `/${n}`, to, count: 1 })),
      ];
      await store.add(deltaOf({ nodes, graphs: [arcs] }), nowMs);
      const found = contentOf(await loaded(store, nowMs));
      const sizes = [...(found.graphs[0]?.values() ?? [])].map((row) => row.length);
      expect(found.nodes.size).toBeLessThanOrEqual(20);
      expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(30);
    }
    const found = contentOf(await loaded(store, nowMs));
    expect(found.nodes.get('/top')?.accesses).toBe(50 * 99);
    expect(found.graphs[0]?.get('/top')).toMatchObject([{ to: '/next', count: 50 }]);
    expect(found.nodes.has('/49')).toBe(true);
    expect(found.nodes.has('/1')).toBe(false);
  });
});
