// The graph in memory and its store: whatever the store does, nothing that was learned is lost and nothing
// counts twice. Stores are real ones; a faulty one in front says when they fail. Time comes from the test
// and steps are taken by flush(), so nothing here waits.

import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { createPrefetchd, type Prefetchd } from '../../../prefetchd/engine/prefetchd.ts';
import type { PrefetchdOptions } from '../../../prefetchd/engine/prefetchd-options.ts';
import type { GraphDelta } from '../../../prefetchd/model/delta/graph-delta.ts';
import type { GraphStore } from '../../../prefetchd/store/graph-store.ts';
import { RedisStore } from '../../../prefetchd/store/redis/redis-store.ts';
import { SqliteGraphStore } from '../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { contentOf, deltaOf, loaded } from '../../support/graph-deltas.ts';
import { MemoryContent, MemoryGraphStore } from '../../support/memory-graph-store.ts';
import fc from '../../support/property.ts';
import { RedisServer, whyNoRedis } from '../../support/redis.ts';
import { tellingLog } from '../../support/telling-log.ts';
import { FaultyStore } from '../faults/faulty-store.ts';

const t0 = Date.UTC(2026, 0, 1, 12);
const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

const folder = folderOfTests();
const redis = whyNoRedis === '' ? await RedisServer.start() : undefined;
afterAll(() => redis?.[Symbol.asyncDispose]());

let clockMs = t0;
let places = 0;
const open: Array<Prefetchd | GraphStore> = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
  clockMs = t0;
});

interface Node {
  prefetchd: Prefetchd;
  notices: { level: string; message: string }[];
}

function started(store: GraphStore, options: PrefetchdOptions = {}): Node {
  const notices: Node['notices'] = [];
  const prefetchd = createPrefetchd({
    store,
    minClients: 1,
    halfLifeMs: null,
    flushIntervalMs: hourMs, // never: the test flushes
    now: () => clockMs,
    load: () => 0,
    log: tellingLog((message, _, level) => notices.push({ level, message })),
    ...options,
  });
  open.push(prefetchd);
  return { prefetchd, notices };
}

let visitors = 0;
/** Somebody new walks the path. */
function walk(prefetchd: Prefetchd, ...path: string[]): void {
  walkAs(prefetchd, `visitor-${++visitors}`, ...path);
}

function walkAs(prefetchd: Prefetchd, client: string, ...path: string[]): void {
  for (const url of path) {
    const page = { kind: 'document', status: 200, bytes: 0, prefetch: false } as const;
    expect(prefetchd.observe({ client, url, timeMs: clockMs, ...page })).toBeNull();
  }
}

/** `/a 3, /a > /b 2`: what is kept, as another sees it. */
async function keptIn(store: GraphStore): Promise<string> {
  const { nodes, graphs } = contentOf(await loaded(store, clockMs));
  return [
    ...[...nodes].map(([url, { accesses }]) => `${url} ${accesses}`),
    ...[...(graphs[0] ?? [])].flatMap(([from, arcs]) =>
      arcs.map(({ to, count }) => `${from} > ${to} ${count}`),
    ),
  ]
    .sort()
    .join(', ');
}

const hinted = (prefetchd: Prefetchd, url: string) =>
  prefetchd
    .hints({ url, threshold: 0, limit: null })
    .map((hint) => `${hint.url} ${Number(hint.probability.toFixed(6))}`);

/** Opens one place again and again. */
const kinds: Record<string, () => () => GraphStore> = {
  memory: () => {
    const content = new MemoryContent();
    return () => new MemoryGraphStore({ content });
  },
  sqlite: () => {
    const path = join(folder, `${++places}.db`);
    return () => new SqliteGraphStore(path);
  },
};

const redisPlace = () => {
  const url = redis?.url(`place-${++places}`) ?? '';
  return () => new RedisStore(url, {});
};

function reader(open_: () => GraphStore): GraphStore {
  const store = open_();
  open.push(store);
  return store;
}

describe.each(Object.keys(kinds))('%s', (kind) => {
  const place = () => (kinds[kind] as () => () => GraphStore)();

  test('what is kept comes in at the start, and adds up with what was learned meanwhile', async () => {
    const at = place();
    const before = started(at());
    walk(before.prefetchd, '/a', '/b');
    await before.prefetchd.close();
    const store = new FaultyStore(at());
    const release = store.hold('load');
    const { prefetchd } = started(store);
    walk(prefetchd, '/a', '/c');
    expect(hinted(prefetchd, '/a')).toEqual(['/c 1']);
    const flushed = prefetchd.flush();
    walk(prefetchd, '/a', '/c');
    release();
    await prefetchd.ready;
    expect(hinted(prefetchd, '/a')).toEqual(['/c 0.666667', '/b 0.333333']);
    await flushed;
    await prefetchd.flush();
    expect(store.calls.filter((call) => call === 'load')).toEqual(['load']);
    expect(hinted(prefetchd, '/a')).toEqual(['/c 0.666667', '/b 0.333333']);
    expect(await keptIn(reader(at))).toBe('/a 3, /a > /b 1, /a > /c 2, /b 1, /c 2');
  });

  test('flush: what was learned before it is kept when it resolves, whatever ran already', async () => {
    const at = place();
    const store = new FaultyStore(at());
    const { prefetchd } = started(store);
    await prefetchd.ready;
    const other = reader(at);
    walk(prefetchd, '/a', '/b');
    const release = store.hold('add');
    const first = prefetchd.flush();
    walk(prefetchd, '/a', '/b');
    const [second, third] = [prefetchd.flush(), prefetchd.flush()];
    release();
    await Promise.all([first, second, third]);
    expect(await keptIn(other)).toBe('/a 2, /a > /b 2, /b 2');
    // After an outage too, in which some was taken and some came later.
    store.faults.add = 'before';
    walk(prefetchd, '/a', '/b');
    await expect(prefetchd.flush()).rejects.toMatchObject({ code: 'store-unwritable' });
    walk(prefetchd, '/a', '/b');
    delete store.faults.add;
    await prefetchd.flush();
    expect(await keptIn(other)).toBe('/a 4, /a > /b 4, /b 4');
  });

  test('a store that fails at any moment loses nothing and counts nothing twice', async () => {
    const step = fc.constantFrom(
      ...(['walk /a /b', 'walk /b /c', 'flush', 'flush', 'era', 'restart'] as const),
      ...(['fails', 'loses answers', 'works'] as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        clockMs = t0;
        const at = place();
        const inner: GraphStore[] = [];
        const faulty = () => {
          inner.push(at());
          return new FaultyStore(inner.at(-1) as GraphStore);
        };
        let store = faulty();
        let { prefetchd } = started(store);
        const walked = { a: 0, b: 0 };
        for (const each of steps) {
          if (each === 'fails') store.fail('before');
          else if (each === 'loses answers') store.fail('after');
          else if (each === 'works') store.fail(null);
          else if (each === 'era') clockMs += dayMs;
          else if (each === 'flush') await prefetchd.flush().catch(() => {});
          else if (each === 'restart') {
            store.fail(null);
            await prefetchd.close();
            store = faulty();
            ({ prefetchd } = started(store));
          } else {
            const isFirst = each === 'walk /a /b';
            walk(prefetchd, ...(isFirst ? ['/a', '/b'] : ['/b', '/c']));
            walked[isFirst ? 'a' : 'b']++;
          }
        }
        store.fail(null);
        await prefetchd.flush();
        const { a, b } = walked;
        const expected = { '/a': a, '/b': a + b, '/c': b, '/a > /b': a, '/b > /c': b };
        const other = at();
        const walks = Object.entries(expected).filter(([, count]) => count > 0);
        expect((await keptIn(other)).split(', ')).toEqual(
          walks.length === 0 ? [''] : walks.map((pair) => pair.join(' ')).sort(),
        );
        const weight = Number((b / (a + b)).toFixed(6));
        expect(hinted(prefetchd, '/b')).toEqual(b > 0 ? [`/c ${weight}`] : []);
        await Promise.all([prefetchd.close(), other.close()]);
      }),
      { numRuns: kind === 'memory' ? 50 : 10 },
    );
  });

  test('an outage is told once, and its end once', async () => {
    const store = new FaultyStore(place()());
    const { prefetchd, notices } = started(store);
    await prefetchd.ready;
    for (const outage of [1, 2]) {
      store.fail('before');
      for (let n = 0; n < 3; n++) {
        walk(prefetchd, '/a', '/b');
        await expect(prefetchd.flush()).rejects.toThrow('made to fail');
        const failures = 3 * outage - 2 + n;
        expect(prefetchd.stats().store).toMatchObject({ isHealthy: false, failures });
      }
      expect(hinted(prefetchd, '/a')).toEqual(['/b 1']); // from memory
      store.fail(null);
      for (let n = 0; n < 3; n++) await prefetchd.flush();
      expect(prefetchd.stats().store).toMatchObject({ isHealthy: true, lastError: null });
      expect(notices.splice(0).map(({ level, message }) => `${level}: ${message}`)).toEqual([
        expect.stringMatching(/^error: .*made to fail; hints continue from memory$/),
        expect.stringMatching(/^info: .*works again$/),
      ]);
    }
  });

  test('clients of two eras are not added up, though the era ended in an outage', async () => {
    const at = place();
    const store = new FaultyStore(at());
    const { prefetchd } = started(store, { minClients: 3 });
    await prefetchd.ready;
    const clients = (from: number, to: number, path: string[]) => {
      for (let n = from; n < to; n++) walkAs(prefetchd, `192.0.2.${n}`, ...path);
    };
    clients(0, 2, ['/private', '/diary']);
    // More than three: now and then two have the same fingerprint (model/client-sets.ts).
    clients(10, 16, ['/public', '/news']);
    store.fail('before');
    await expect(prefetchd.flush()).rejects.toThrow();
    clockMs += dayMs; // at this flush the old salt goes, though the store is away
    await expect(prefetchd.flush()).rejects.toThrow();
    clients(0, 2, ['/private', '/diary']);
    store.fail(null);
    await prefetchd.flush(); // and here the salt of the store comes
    clients(0, 2, ['/private', '/diary']);
    await prefetchd.flush();
    const expectKnown = (engine: Prefetchd) => {
      expect(hinted(engine, '/private')).toEqual([]);
      expect(hinted(engine, '/public')).toEqual(['/news 1']);
    };
    expectKnown(prefetchd);
    const { graphs } = contentOf(await loaded(reader(at), clockMs));
    const [arc] = graphs[0]?.get('/private') ?? [];
    expect(arc?.count).toBe(6);
    expect(Math.max(arc?.seen ?? 9, arc?.clients.length ?? 9)).toBeLessThanOrEqual(2);
    const next = started(at(), { minClients: 3 });
    await next.prefetchd.ready;
    expectKnown(next.prefetchd);
    clients(20, 26, ['/private', '/diary']); // more in one era
    await prefetchd.flush();
    expect(hinted(prefetchd, '/private')).toEqual(['/diary 1']);
  });

  test.each(['add', 'close', 'salt'] as const)(
    'close ends in its time though %s of the store hangs',
    async (call) => {
      const store = new FaultyStore(place()());
      const atStart = call === 'salt' ? store.hold(call) : null;
      const { prefetchd, notices } = started(store, withConstants({ closeTimeoutMs: 20 }));
      if (atStart === null) await prefetchd.flush();
      const letGo = atStart ?? store.hold(call);
      if (call === 'add') walk(prefetchd, '/a', '/b');
      const closing = prefetchd.close();
      expect(prefetchd.close()).toBe(closing);
      await closing;
      const what = call === 'close' ? 'close' : 'take the last flush';
      const message = `${store.name} did not ${what} in 20 ms`;
      expect(notices).toMatchObject([{ level: 'error', message }]);
      expect(store.calls).toContain('close');
      letGo();
    },
  );

  test('a flush ends although what others learned evicts what waits', async () => {
    const others = deltaOf({
      predictor: 'double-graph',
      nodes: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`/${n}`, { accesses: 5 }])),
      graphs: [[], []],
    });
    const kept = new MemoryGraphStore();
    const store = Object.assign(kept, {
      mostAtOnce: 10,
      add: async (delta: GraphDelta, nowMs: number) => {
        const isFirst = (await kept.identity()) === null;
        await MemoryGraphStore.prototype.add.call(kept, delta, nowMs);
        return isFirst ? [others] : [];
      },
    });
    const { prefetchd } = started(store, withConstants({ maxNodes: 100 }));
    for (let n = 0; n < 100; n++) walk(prefetchd, `/page-${n}`);
    await prefetchd.flush();
    expect(prefetchd.stats()).toMatchObject({ nodes: 100, store: { isHealthy: true } });
  });
});

/** Keeps what is given, a little at a time, and notes how much came at once. */
class SlowStore extends MemoryGraphStore {
  readonly mostAtOnce = 8;
  readonly given: Array<{ urls: number; arcs: number }> = [];
  /** Each addition waits for it. */
  ready = Promise.resolve();
  asked = 0;

  override async add(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]> {
    this.asked++;
    await this.ready;
    const urls = delta.urls.filter(({ accesses }) => accesses > 0).length;
    this.given.push({ urls, arcs: delta.graphs.flat().length });
    return super.add(delta, nowMs);
  }
}

test('a store slower than learning: what waits is bounded, and comes in small pieces', async () => {
  const store = new SlowStore();
  const { prefetchd } = started(store, withConstants({ maxNodes: 40, maxArcs: 60 }));
  await prefetchd.ready;
  const { promise, resolve } = Promise.withResolvers<void>();
  store.ready = promise;
  walk(prefetchd, '/a', '/b', '/c');
  const first = prefetchd.flush();
  while (store.asked === 0) await new Promise(setImmediate);
  for (let n = 0; n < 3000; n++) walk(prefetchd, `/${n % 100}`, `/${(n * 7) % 100}`, '/a', '/b');
  resolve();
  await first;
  expect(store.given).toHaveLength(1); // for what waited when the flush began
  store.given.length = 0;
  await prefetchd.flush();
  const rows = (of: 'urls' | 'arcs') => store.given.map((piece) => piece[of]);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  expect(Math.max(...rows('urls'), ...rows('arcs'))).toBeLessThanOrEqual(8);
  expect(sum(rows('urls'))).toBeLessThanOrEqual(40);
  expect(sum(rows('arcs'))).toBeLessThanOrEqual(60);
  const { nodes } = contentOf(await loaded(store, clockMs));
  expect(nodes.get('/b')?.accesses).toBe(3001);
});

test('a store that turns out to be damaged after some parts: they are dropped, what was learned stays', async () => {
  const store = new MemoryGraphStore();
  const load = store.load.bind(store);
  const before = started(store);
  walk(before.prefetchd, '/a', '/b');
  await before.prefetchd.flush();
  store.load = async (...given) => !(await load(...given));
  const { prefetchd } = started(store);
  walk(prefetchd, '/c', '/d');
  await prefetchd.ready;
  expect([hinted(prefetchd, '/a'), hinted(prefetchd, '/c')]).toEqual([[], ['/d 1']]);
});

test('a graph of another w is taken in, and told', async () => {
  const content = new MemoryContent();
  const before = started(new MemoryGraphStore({ content }), { window: 2 });
  walk(before.prefetchd, '/a', '/b');
  await before.prefetchd.close();
  const { prefetchd, notices } = started(new MemoryGraphStore({ content }));
  await prefetchd.ready;
  expect(hinted(prefetchd, '/a')).toEqual(['/b 1']);
  expect(notices).toMatchObject([{ level: 'warn', message: expect.stringContaining('w 2') }]);
});

describe.skipIf(whyNoRedis !== '')(`engines that share a Redis ${whyNoRedis}`, () => {
  const flushAll = async () => {
    await redis?.admin.flushall();
  };
  const pair = async (at: () => GraphStore, options: PrefetchdOptions = {}) => {
    const stores = [new FaultyStore(at()), new FaultyStore(at())] as const;
    const nodes = [started(stores[0], options), started(stores[1], options)] as const;
    for (const { prefetchd } of nodes) await prefetchd.ready;
    return { stores, nodes, engines: nodes.map(({ prefetchd }) => prefetchd) };
  };
  /** Each hears of the others: twice, since the first round may only tell what is needed. */
  const settle = async (engines: Prefetchd[]) => {
    for (let round = 0; round < 3; round++) for (const engine of engines) await engine.flush();
  };

  test('hear of each other at each flush, and count clients together', async () => {
    const at = redisPlace();
    const { engines } = await pair(at, { minClients: 2 });
    const [one, other] = engines as [Prefetchd, Prefetchd];
    walkAs(one, '192.0.2.1', '/a', '/b');
    walkAs(other, '192.0.2.1', '/a', '/b');
    await settle(engines);
    for (const engine of engines) expect(hinted(engine, '/a')).toEqual([]); // one client
    for (let n = 2; n < 6; n++) walkAs(other, `192.0.2.${n}`, '/a', '/b');
    await settle(engines);
    for (const engine of engines) expect(hinted(engine, '/a')).toEqual(['/b 1']);
    // Each page counts its clients in an arc to itself.
    expect(await keptIn(reader(at))).toBe('/a 6, /a > /a 6, /a > /b 6, /b 6, /b > /b 6');
  });

  test.each([0, 1])(
    'Redis is emptied: both give what they know, node %i first, and both and Redis hold the sum',
    async (first) => {
      const at = redisPlace();
      const { engines, stores } = await pair(at);
      const [giver, other] = [engines[first], engines[1 - first]] as [Prefetchd, Prefetchd];
      walk(giver, '/a', '/b');
      walk(other, '/a', '/c');
      await settle(engines);
      await flushAll();
      // News of both, that nobody heard of yet.
      walk(giver, '/a', '/b');
      walk(other, '/a', '/d');
      await giver.flush();
      expect(stores[first]?.calls).toContain('restore');
      await settle(engines);
      for (const engine of engines) {
        expect(hinted(engine, '/a').toSorted()).toEqual(['/b 0.5', '/c 0.25', '/d 0.25']);
      }
      const kept = '/a 4, /a > /b 2, /a > /c 1, /a > /d 1, /b 2, /c 1, /d 1';
      expect(await keptIn(reader(at))).toBe(kept);
    },
  );

  test('Redis is emptied, and fails while the whole is given, and the era ends meanwhile', async () => {
    const at = redisPlace();
    const { engines, stores } = await pair(at);
    const [giver] = engines as [Prefetchd];
    const [store] = stores;
    walk(giver, '/a', '/b');
    await settle(engines);
    await flushAll();
    store.faults.restore = 'before';
    walk(giver, '/a', '/c');
    await expect(giver.flush()).rejects.toThrow('made to fail');
    walk(giver, '/a', '/c'); // is not in the whole that waits
    clockMs += dayMs;
    await expect(giver.flush()).rejects.toThrow('made to fail');
    walk(giver, '/a', '/d');
    delete store.faults.restore;
    await giver.flush();
    const kept = '/a 4, /a > /b 1, /a > /c 2, /a > /d 1, /b 1, /c 2, /d 1';
    expect(await keptIn(reader(at))).toBe(kept);
    await settle(engines);
    for (const engine of engines) {
      expect(hinted(engine, '/a').toSorted()).toEqual(['/b 0.25', '/c 0.5', '/d 0.25']);
    }
  });

  /** Two of which one is too far behind, and loads everything at its next flush. */
  const farBehind = async (at: () => GraphStore) => {
    const { engines, stores } = await pair(at);
    const [one, behind] = engines as [Prefetchd, Prefetchd];
    walk(behind, '/a', '/b');
    await settle(engines);
    for (let n = 0; n < 300; n++) {
      walk(one, '/a', '/c');
      await one.flush();
    }
    await redis?.admin.unlink(`{place-${places}}:news`); // it expired
    const loads = () => stores[1].calls.filter((call) => call === 'load').length;
    const loading = async (meanwhile: () => unknown) => {
      const release = stores[1].hold('load');
      const flushed = behind.flush();
      while (loads() < 2) await new Promise(setImmediate);
      await meanwhile();
      release();
      await flushed;
    };
    return { engines, one, behind, loads, loading };
  };

  test('one that is too far behind loads everything in place of what it knows', async () => {
    const at = redisPlace();
    const { engines, behind, loads, loading } = await farBehind(at);
    walk(behind, '/a', '/b');
    expect(loads()).toBe(1);
    await loading(() => walk(behind, '/a', '/d'));
    const weights = [`/c ${(300 / 303).toFixed(6)}`, '/b 0.006601', '/d 0.0033'];
    expect(hinted(behind, '/a')).toEqual(weights);
    await settle(engines);
    for (const engine of engines) expect(hinted(engine, '/a')).toEqual(weights);
    const kept = '/a 303, /a > /b 2, /a > /c 300, /a > /d 1, /b 2, /c 300, /d 1';
    expect(await keptIn(reader(at))).toBe(kept);
    expect(loads()).toBe(2);
  });

  test('one that is too far behind, and Redis is empty when it loads: it keeps what it knows', async () => {
    const { engines, one, behind, loading } = await farBehind(redisPlace());
    await loading(flushAll);
    expect(hinted(behind, '/a')).toEqual(['/b 1']);
    await one.flush();
    await settle(engines);
    expect(hinted(one, '/a')).toContain(`/c ${(300 / 301).toFixed(6)}`);
  });
});
