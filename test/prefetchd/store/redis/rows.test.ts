// How arcs lie in Redis: in a row for each URL, of bounded length; and a graph that an older version wrote, an arc a
// field, becomes such rows while nodes go on.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  RedisStore,
  type RedisStoreOptions,
} from '../../../../prefetchd/store/redis/redis-store.ts';
import { recordBytes } from '../../../../prefetchd/store/redis/values.ts';
import { arcsOf, contentOf, deltaOf } from '../../../support/graph-deltas.ts';
import { RedisServer, whyNoRedis } from '../../../support/redis.ts';
import { step, totals } from '../../../support/redis-nodes.ts';

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

  describe('that an older version wrote', () => {
    const before = deltaOf({
      era: 7,
      nodes: { '/1': { accesses: 5 } },
      graphs: [0, 1].map((graph) =>
        Array.from({ length: 2000 }, (_, at) => ({
          from: `/${at % 300}`,
          to: `/to ${at}`,
          count: 1 + (at % 7) + graph,
          clients: Array.from({ length: at % 7 }, (_, n) => 1 + ((at + n) % 1023)),
          seen: at % 5,
        })),
      ),
    });

    /** Lays rows as format 1 had them: graph, from, to -> counter and fingerprints. */
    async function layAsBefore(place: string, isWhole: boolean) {
      const { admin } = server;
      const names = await admin.hkeysBuffer(`{${place}}:rows`);
      const some = isWhole ? names : names.slice(100);
      for (const name of some) {
        const row = (await admin.hgetBuffer(`{${place}}:rows`, name)) as Buffer;
        for (let at = 0; at < row.length; at += recordBytes) {
          let end = at + recordBytes;
          while (end > at + 27 && row.readUInt16LE(end - 2) === 0) end -= 2;
          const field = Buffer.concat([name, row.subarray(at, at + 4)]);
          await admin.hset(`{${place}}:arcs`, field, row.subarray(at + 4, end));
        }
        await admin.hdel(`{${place}}:rows`, name);
      }
      if (isWhole) {
        await admin.hset(`{${place}}:meta`, 'format', '1');
        await admin.hdel(`{${place}}:meta`, 'arcs');
      } else {
        await admin.hset(`{${place}}:meta`, 'converting', '1');
        await admin.hset(`{${place}}:meta`, 'arcs', await arcsIn(place));
      }
    }

    async function writtenBefore(isWhole = true) {
      const place = newPlace();
      const store = opened(place);
      await store.add(before, nowMs);
      const content = contentOf(await store.load(nowMs));
      await layAsBefore(place, isWhole);
      return { place, content };
    }

    const isInRows = async (place: string) => {
      const { admin } = server;
      expect(await admin.exists(`{${place}}:arcs`)).toBe(0);
      expect(await admin.hmget(`{${place}}:meta`, 'format', 'converting')).toEqual(['2', null]);
      expect([await arcsIn(place), await countedIn(place)]).toEqual([4000, 4000]);
    };

    test.each([
      ['whole', true],
      ['and that a node which is gone began with', false],
    ])('is taken over by who loads it, %s', async (_, isWhole) => {
      const { place, content } = await writtenBefore(isWhole);
      const store = opened(place);
      expect(await store.identity()).toEqual({ predictor: 'test', window: 4 });
      expect(contentOf(await store.load(nowMs))).toEqual(content);
      await isInRows(place);
    });

    test.each([
      ['all of it', true],
      ['some of it', false],
    ])('%s by several at once, after one added to it: all counts once', async (_, isWhole) => {
      const { place } = await writtenBefore(isWhole);
      await opened(place).add(before, nowMs);
      expect(await server.admin.exists(`{${place}}:arcs`)).toBe(isWhole ? 0 : 1);
      const loading = [opened(place), opened(place), opened(place)];
      await Promise.all(loading.map((store) => store.load(nowMs)));
      await isInRows(place);
      const one = opened(newPlace());
      await one.add(before, nowMs);
      await one.add(before, nowMs);
      const found = await opened(place).load(nowMs);
      expect(totals(found)).toEqual(totals(await one.load(nowMs)));
      expect(contentOf(found)).toEqual(contentOf(await one.load(nowMs)));
    });

    test('by who forgets of it', async () => {
      const { place, content } = await writtenBefore();
      expect(await opened(place).forget('/to 7')).toBe(1);
      expect(await server.admin.exists(`{${place}}:arcs`)).toBe(0);
      const found = contentOf(await opened(place).load(nowMs));
      expect(found.nodes.size).toBe(content.nodes.size - 1);
      expect(await arcsIn(place)).toBe(3998);
    });
  });
});
