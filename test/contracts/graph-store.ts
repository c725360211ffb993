// What every store of a graph holds (prefetchd/store/graph-store.ts). A store calls this in three lines:
//
//   graphStoreContract('name', (place, { halfLifeMs }) => new MyStore(place, { halfLifeMs }));
//
// `open` is given a place that is new in each test; opened again at the same place, also while the first
// is open, it is the same store. `skip` is why the store cannot be tried here; `hasCreditOrder` is false for
// stores that do not know which of equal arcs was credited last.
//
// The era of now is that of the salt that is kept; where none is, of the last addition that had one.

import { afterEach, describe, expect, test } from 'vitest';
import { neverNext } from '../../prefetchd/model/delta/graph-delta.ts';
import { newSalt } from '../../prefetchd/model/salt.ts';
import type { GraphStore } from '../../prefetchd/store/graph-store.ts';
import { type ArcSketch, arcsOf, contentOf, deltaOf, loaded } from '../support/graph-deltas.ts';

const dayMs = 24 * 60 * 60 * 1000;
const nowMs = Date.UTC(2024, 1, 29, 12);

export interface ContractOptions {
  /** Null: nothing ages. */
  halfLifeMs: number | null;
}

type Open = (place: string, options: ContractOptions) => GraphStore | Promise<GraphStore>;

const usual = { skip: '', hasCreditOrder: true };

export function graphStoreContract(name: string, open: Open, options: Partial<typeof usual> = {}) {
  const { skip, hasCreditOrder } = { ...usual, ...options };
  const reason = skip === '' ? '' : ` (skipped: ${skip})`;
  describe.skipIf(skip !== '')(`${name} keeps the contract of a graph store${reason}`, () => {
    let places = 0;
    let stores: GraphStore[] = [];
    const newPlace = () => `${name} ${++places}`;
    const opened = async (place = newPlace(), halfLifeMs: number | null = null) => {
      const store = await open(place, { halfLifeMs });
      stores.push(store);
      return store;
    };
    afterEach(async () => {
      await Promise.all(stores.map((store) => store.close()));
      stores = [];
    });
    const arcs = (...list: ArcSketch[]) => deltaOf({ graphs: [list] });
    const graphs = [[{ from: '/a', to: '/b', count: 1 }]];
    const one = deltaOf({ nodes: { '/a': { accesses: 1 } }, graphs });
    const prints = (era: number, clients: number[], seen = 0) =>
      deltaOf({ era, graphs: [[{ from: '/a', to: '/b', count: 1, clients, seen }]] });
    const clientsIn = async (store: GraphStore) => {
      const [arc] = contentOf(await loaded(store, nowMs)).graphs[0]?.get('/a') ?? [];
      return { clients: arc?.clients, seen: arc?.seen };
    };

    describe('what is kept', () => {
      test('is nothing at first, but for a salt, under a name that tells where it is', async () => {
        const store = await opened();
        for (let turn = 0; turn < 2; turn++) {
          expect(await store.identity()).toBeNull();
          expect(await loaded(store, nowMs)).toBeNull();
          await store.salt(nowMs, dayMs);
        }
        expect(store.name).toMatch(/^(memory|sqlite:.+|rediss?:\/\/[^@]+)$/);
      });

      test('comes out as it went in, whoever asks', async () => {
        const place = newPlace();
        const store = await opened(place);
        const given = deltaOf({
          predictor: 'double',
          window: 7,
          era: 4_294_967_295,
          nodes: {
            '/': { kind: 'document', accesses: 0.1 + 0.2 },
            '/a.gif': { kind: 'object', accesses: 2 ** 40 + 0.5 },
            '/alone': { accesses: 1 },
          },
          graphs: [
            [
              { from: '/', to: '/a.gif', count: 1e50, clients: [1023, 1, 512, 7, 8], seen: 6 },
              { from: '/a.gif', to: '/never asked for', count: 1 / 3 },
            ],
            [{ from: '/a.gif', to: '/', count: 5e-300, clients: [3], seen: 2 }],
          ],
        });
        expect(await store.add(given, nowMs)).toEqual([]);
        for (const reader of [store, await opened(place)]) {
          const found = await loaded(reader, nowMs + 5 * dayMs);
          expect(found).toMatchObject({ predictor: 'double', window: 7, era: 4_294_967_295 });
          expect(contentOf(found)).toEqual(contentOf(given));
          expect(await reader.identity()).toEqual({ predictor: 'double', window: 7 });
        }
      });

      test('may have any URL', async () => {
        const store = await opened();
        const long = `/${'x'.repeat(8000)}`;
        const odd = ['/\u00e9', '/\u{1f600}', '/\'"\\ \n\t%', ''];
        const urls = ['__proto__', 'constructor', long, ...odd];
        const ring = urls.map((from, at) => {
          return { from, to: urls[(at + 1) % urls.length] as string, count: at + 1 };
        });
        await store.add(arcs(...ring), nowMs);
        await store.add(arcs(...ring.toReversed()), nowMs);
        const found = contentOf(await loaded(store, nowMs));
        expect([...found.nodes.keys()].toSorted()).toEqual(urls.toSorted());
        for (const { from, to, count } of ring) {
          expect(found.graphs[0]?.get(from)).toMatchObject([{ to, count: 2 * count }]);
        }
      });

      test('may be empty of arcs, or of everything but a name', async () => {
        const store = await opened();
        await store.add(deltaOf({ graphs: [[], []] }), nowMs);
        await store.add(deltaOf({ nodes: { '/': { accesses: 3 } }, graphs: [[], []] }), nowMs);
        const found = contentOf(await loaded(store, nowMs));
        expect(found.nodes).toEqual(new Map([['/', { kind: 'document', accesses: 3 }]]));
        expect(found.graphs).toEqual([new Map(), new Map()]);
      });
    });

    describe('additions', () => {
      test('add up, in each graph for itself; the last kind holds', async () => {
        const store = await opened();
        const arc = { from: '/a', to: '/b' };
        for (const kind of ['object', 'document', 'object'] as const) {
          const nodes = { '/a': { kind, accesses: 2.5 } };
          const graphs = [1, 10].map((count) => [{ ...arc, count }]);
          await store.add(deltaOf({ nodes, graphs }), nowMs);
        }
        const found = await loaded(store, nowMs);
        expect(contentOf(found).nodes.get('/a')).toEqual({ kind: 'object', accesses: 7.5 });
        expect([arcsOf(found, '/a', 0), arcsOf(found, '/a', 1)]).toEqual([['/b 3'], ['/b 30']]);
      });

      test('leave the caller’s delta as it was', async () => {
        const store = await opened();
        const given = prints(5, [1, 2]);
        const before = contentOf(given);
        await store.add(given, nowMs);
        await store.add(given, nowMs);
        expect(contentOf(given)).toEqual(before);
        expect(arcsOf(await loaded(store, nowMs), '/a')).toEqual(['/b 2']);
      });

      test('of two at once are both there', async () => {
        const place = newPlace();
        const both = [await opened(place), await opened(place)];
        const adding = both.flatMap((store) => Array.from(Array(25), () => store.add(one, nowMs)));
        await Promise.all(adding);
        const found = await loaded(both[0] as GraphStore, nowMs);
        expect(contentOf(found).nodes.get('/a')?.accesses).toBe(50);
        expect(arcsOf(found, '/a')).toEqual(['/b 50']);
      });

      test('of another predictor are refused, and nothing of them is kept', async () => {
        const store = await opened();
        await store.add(deltaOf({ predictor: 'one', nodes: { '/a': { accesses: 1 } } }), nowMs);
        const other = deltaOf({ predictor: 'other', nodes: { '/b': { accesses: 1 } } });
        await expect(store.add(other, nowMs)).rejects.toMatchObject({
          name: 'PrefetchdError',
          code: 'store-mismatch',
          message: expect.stringMatching(/\bone\b.*\bother\b/s),
        });
        expect([...contentOf(await loaded(store, nowMs)).nodes.keys()]).toEqual(['/a']);
        expect(await store.identity()).toEqual({ predictor: 'one', window: 4 });
      });

      test('with another w are taken: the last one is told', async () => {
        const store = await opened();
        await store.add(deltaOf({ window: 4 }), nowMs);
        await store.add(deltaOf({ window: 9 }), nowMs);
        expect(await store.identity()).toEqual({ predictor: 'test', window: 9 });
        expect(await loaded(store, nowMs)).toMatchObject({ window: 9 });
      });
    });

    describe('the arcs of a URL', () => {
      const to = (url: string, count: number) => ({ from: '/a', to: url, count });
      const order = async (store: GraphStore) => arcsOf(await loaded(store, nowMs), '/a');

      test('stand strongest first', async () => {
        const store = await opened();
        await store.add(arcs(to('/b', 3), to('/c', 2), to('/d', 1)), nowMs);
        await store.add(arcs(to('/d', 4), to('/e', 0.5)), nowMs);
        expect(await order(store)).toEqual(['/d 5', '/b 3', '/c 2', '/e 0.5']);
      });

      test.runIf(hasCreditOrder)('and among equals those that were credited last', async () => {
        const store = await opened();
        await store.add(arcs(to('/b', 1), to('/c', 1)), nowMs);
        await store.add(arcs(to('/d', 1), to('/e', 1)), nowMs);
        expect(await order(store)).toEqual(['/d 1', '/e 1', '/b 1', '/c 1']);
        await store.add(arcs(to('/c', 1), to('/b', 1)), nowMs);
        expect(await order(store)).toEqual(['/c 2', '/b 2', '/d 1', '/e 1']);
      });
    });

    describe('clients', () => {
      test.each<
        [title: string, ...steps: [era: number, prints: number[], seen: number, kept: object][]]
      >([
        [
          'of one era add up by union, up to six, in their order',
          [5, [7, 1023, 3], 0, { clients: [7, 1023, 3], seen: 0 }],
          [5, [3, 9, 7, 1, 2, 4], 0, { clients: [7, 1023, 3, 9, 1, 2], seen: 0 }],
        ],
        [
          'of an earlier era are a number; the greatest of an era holds',
          [5, [7, 8, 9], 0, { clients: [7, 8, 9], seen: 0 }],
          [6, [1], 0, { clients: [1], seen: 3 }],
          [7, [2, 3], 0, { clients: [2, 3], seen: 3 }],
          [7, [], 5, { clients: [2, 3], seen: 5 }],
          [7, [], 1, { clients: [2, 3], seen: 5 }],
        ],
        [
          'that are not told change none',
          [5, [7, 8], 0, { clients: [7, 8], seen: 0 }],
          [0, [], 0, { clients: [7, 8], seen: 0 }],
        ],
        [
          'make an arc one that was never next as long as all parts say so, whatever their eras',
          [1, [1, 2], neverNext, { clients: [1, 2], seen: neverNext }],
          [2, [3], neverNext + 1, { clients: [3], seen: neverNext + 2 }],
          [0, [], neverNext, { clients: [3], seen: neverNext + 2 }],
          [0, [], 0, { clients: [3], seen: 2 }],
          [3, [4], neverNext, { clients: [4], seen: 2 }],
        ],
      ])('%s', async (_, ...steps) => {
        const place = newPlace();
        const store = await opened(place);
        for (const [era, clients, seen, kept] of steps) {
          await store.add(prints(era, clients, seen), nowMs);
          for (const reader of [store, await opened(place)]) {
            expect(await clientsIn(reader)).toEqual(kept);
          }
        }
      });

      test('come out as fingerprints only if they are of the era of now', async () => {
        const store = await opened();
        await store.add(prints(5, [7, 8]), nowMs);
        const other = { from: '/x', to: '/y', count: 1, clients: [4] };
        await store.add(deltaOf({ era: 6, graphs: [[other]] }), nowMs);
        expect(await clientsIn(store)).toEqual({ clients: [], seen: 2 });
        expect((await loaded(store, nowMs))?.era).toBe(6);
        const salt = await store.salt(nowMs, dayMs);
        const found = await loaded(store, nowMs);
        expect(contentOf(found).graphs[0]?.get('/x')).toMatchObject([{ clients: [], seen: 1 }]);
        await store.add(prints(salt.era, [1]), nowMs);
        expect((await loaded(store, nowMs))?.era).toBe(salt.era);
        expect(await clientsIn(store)).toEqual({ clients: [1], seen: 2 });
      });
    });

    test('a page is short-lived as the last addition says', async () => {
      const place = newPlace();
      const store = await opened(place);
      const page = deltaOf({ nodes: { '/a': { accesses: 1 } } });
      for (const kind of [2, 0, 2]) {
        await store.add({ ...page, urls: page.urls.map((url) => ({ ...url, kind })) }, nowMs);
        const found = await loaded(await opened(place), nowMs);
        expect(found?.urls.map((url) => url.kind)).toEqual([kind]);
      }
    });

    describe('ageing', () => {
      const countsIn = async (store: GraphStore, atMs: number) => {
        const { nodes, graphs } = contentOf(await loaded(store, atMs));
        return [nodes.get('/a')?.accesses, graphs[0]?.get('/a')?.[0]?.count];
      };
      const near = (count: number) => [expect.closeTo(count, 9), expect.closeTo(count, 9)];

      test('halves all counts in a half life', async () => {
        const store = await opened(newPlace(), dayMs);
        await store.add(one, nowMs);
        expect(await countsIn(store, nowMs + dayMs)).toEqual(near(0.5));
        await store.add(one, nowMs + dayMs);
        expect(await countsIn(store, nowMs + dayMs)).toEqual(near(1.5));
        await store.add(one, nowMs + 2 * dayMs);
        expect(await countsIn(store, nowMs + 3 * dayMs)).toEqual(near(0.875));
      });

      test('goes on after it was closed, with the half life given then', async () => {
        const place = newPlace();
        const store = await opened(place, dayMs);
        await store.add(one, nowMs);
        await store.add(one, nowMs + dayMs);
        await store.close();
        const later = await opened(place, 2 * dayMs);
        expect(await countsIn(later, nowMs + dayMs)).toEqual(near(1.5));
        expect(await countsIn(later, nowMs + 3 * dayMs)).toEqual(near(0.75));
        await later.add(one, nowMs + 3 * dayMs);
        expect(await countsIn(later, nowMs + 3 * dayMs)).toEqual(near(1.75));
        await later.close();
        const ageless = await opened(place, null);
        expect(await countsIn(ageless, nowMs + 30 * dayMs)).toEqual(near(1.75));
      });

      test('stays exact for thousands of half lives', async () => {
        const store = await opened(newPlace(), 1000);
        let atMs = nowMs;
        for (let flush = 0; flush < 40; flush++) {
          atMs += 150_000;
          await store.add(one, atMs);
          await store.add(one, atMs + 1000);
          expect(await countsIn(store, atMs + 1000)).toEqual(near(1.5));
        }
        const [accesses, count] = await countsIn(store, atMs + 10_000 * dayMs);
        for (const left of [accesses ?? 0, count ?? 0]) {
          expect(left).toBeGreaterThanOrEqual(0);
          expect(left).toBeLessThan(1e-9);
        }
      });

      test('a clock set back makes no count more than was added', async () => {
        const store = await opened(newPlace(), 60_000);
        await store.add(one, nowMs);
        expect(await countsIn(store, nowMs - 365 * dayMs)).toEqual(near(1));
        await store.add(one, nowMs - 365 * dayMs);
        expect(await countsIn(store, nowMs - 365 * dayMs)).toEqual(near(2));
        expect(await countsIn(store, nowMs - 365 * dayMs + 60_000)).toEqual(near(1));
      });
    });

    describe('the salt', () => {
      const textOf = ({ bytes, era, madeMs }: Awaited<ReturnType<GraphStore['salt']>>) =>
        `${Buffer.from(bytes).toString('hex')} ${era} ${madeMs}`;

      test('is the same for all who share the store, and lives on after them', async () => {
        const place = newPlace();
        const [one, other] = [await opened(place), await opened(place)];
        const asking = [one, other, other, one].map((store) => store.salt(nowMs, dayMs));
        const salts = await Promise.all(asking);
        expect(salts[0]?.bytes.length).toBe(16);
        await Promise.all([one.close(), other.close()]);
        salts.push(await (await opened(place)).salt(nowMs + dayMs - 1, dayMs));
        expect(new Set(salts.map(textOf)).size).toBe(1);
      });

      test('is another one after its life, for both, whoever asks first', async () => {
        const place = newPlace();
        const [one, other] = [await opened(place), await opened(place)];
        const seen = new Set([textOf(await one.salt(nowMs, dayMs))]);
        let atMs = nowMs;
        for (const [first, second] of [[one, other] as const, [other, one] as const]) {
          atMs += dayMs;
          const salt = textOf(await first.salt(atMs, dayMs));
          expect(textOf(await second.salt(atMs, dayMs))).toBe(salt);
          seen.add(salt);
        }
        expect(seen.size).toBe(3);
      });

      test('a clock that jumps back a day keeps it; two days, and it is another', async () => {
        const place = newPlace();
        const [one, other] = [await opened(place), await opened(place)];
        const salt = textOf(await one.salt(nowMs, dayMs));
        expect(textOf(await other.salt(nowMs - dayMs, dayMs))).toBe(salt);
        const earlier = await other.salt(nowMs - 2 * dayMs, dayMs);
        expect(textOf(earlier)).not.toBe(salt);
        expect(earlier.madeMs).toBe(nowMs - 2 * dayMs);
        expect(textOf(await one.salt(nowMs - 2 * dayMs, dayMs))).toBe(textOf(earlier));
      });

      test('of one’s own is kept where there is none, and not longer than it would have been', async () => {
        const place = newPlace();
        const [one, other] = [await opened(place), await opened(place)];
        const own = newSalt(nowMs - dayMs / 2);
        expect(textOf(await one.salt(nowMs, dayMs, own))).toBe(textOf(own));
        expect(textOf(await other.salt(nowMs, dayMs))).toBe(textOf(own));
        expect(textOf(await other.salt(nowMs, dayMs, newSalt(nowMs)))).toBe(textOf(own));
        const next = await one.salt(nowMs + dayMs / 2, dayMs);
        expect(textOf(next)).not.toBe(textOf(own));
      });
    });

    describe('closing', () => {
      test('waits for the additions that were begun', async () => {
        const place = newPlace();
        const store = await opened(place);
        const begun = Array.from(Array(5), () => store.add(one, nowMs));
        await store.close();
        await Promise.all(begun);
        expect(arcsOf(await loaded(await opened(place), nowMs), '/a')).toEqual(['/b 5']);
      });

      test('twice does no harm, and a store that is closed says so', async () => {
        const store = await opened();
        await store.identity();
        await Promise.all([store.close(), store.close()]);
        await store.close();
        for (const [code, call] of [
          ['store-unreadable', () => store.identity()],
          ['store-unreadable', () => loaded(store, nowMs)],
          ['store-unwritable', () => store.add(deltaOf({}), nowMs)],
          ['store-unwritable', () => store.salt(nowMs, dayMs)],
        ] as const) {
          const message = expect.stringContaining('closed');
          await expect(call()).rejects.toMatchObject({ code, message });
        }
      });
    });
  });
}
