// A node as an engine runs it, as far as a store can tell: it loads, gives deltas, takes in what comes back,
// and does what the store needs. Its model is the deltas it holds.

import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { GraphDelta } from '../../prefetchd/model/delta/graph-delta.ts';
import { RedisStore, type RedisStoreOptions } from '../../prefetchd/store/redis/redis-store.ts';
import { eventually } from './eventually.ts';
import { contentOf, deltaOf, loaded } from './graph-deltas.ts';
import { RedisServer } from './redis.ts';

export class TestNode {
  readonly store: RedisStore;
  model: GraphDelta[] = [];

  private constructor(store: RedisStore) {
    this.store = store;
  }

  static async start(store: RedisStore, nowMs: number): Promise<TestNode> {
    const node = new TestNode(store);
    const kept = await loaded(store, nowMs);
    if (kept !== null) node.model.push(kept);
    return node;
  }

  /** @returns what others added */
  async learn(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]> {
    this.model.push(delta);
    return this.give(delta, nowMs);
  }

  /** What was learned already. */
  async give(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]> {
    const others = await this.store.add(delta, nowMs);
    this.model.push(...others);
    if (this.store.need === 'whole') await this.store.restore(this.whole(), nowMs, [delta]);
    if (this.store.need === 'load' || this.store.need === 'forget') {
      const kept = await loaded(this.store, nowMs);
      this.model = kept === null ? [] : [kept];
    }
    return others;
  }

  whole(): GraphDelta {
    const arcs = Object.entries(totals(...this.model)).map(([name, count]) => {
      const [, from = '', to = ''] = name.split(' ');
      return { from, to, count };
    });
    return deltaOf({ graphs: [arcs] });
  }
}

/** By `graph from to`: the sum of the counts. */
export function totals(...deltas: (GraphDelta | null)[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const delta of deltas) {
    contentOf(delta).graphs.forEach((rows, graph) => {
      for (const [from, arcs] of rows) {
        for (const { to, count } of arcs) {
          const name = `${graph} ${from} ${to}`;
          sums.set(name, (sums.get(name) ?? 0) + count);
        }
      }
    });
  }
  return Object.fromEntries([...sums].filter(([, count]) => count !== 0).sort());
}

export function step(from: string, to: string, count: number): GraphDelta {
  return deltaOf({ graphs: [[{ from, to, count }]] });
}

/** Resolves when the store has a connection again. */
export async function connected(store: RedisStore): Promise<void> {
  const isThere = () =>
    store.identity().then(
      () => true,
      () => false,
    );
  await eventually(isThere, 'connects again');
}

/** A Redis for the tests of a `describe`, each of which has a place of its own in it. */
export function redisOfTests() {
  let server: RedisServer;
  let places = 0;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  return {
    get server() {
      return server;
    },
    newPlace: () => `place-${++places}`,
    opened(place: string, options: RedisStoreOptions = {}): RedisStore {
      const store = new RedisStore(server.url(place), options);
      onTestFinished(() => store.close());
      return store;
    },
  };
}
