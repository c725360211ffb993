// What became of what was prefetched: the mark in the rows of pages, the sums, and the room it may take.

import { describe, expect, test } from 'vitest';
import { createFetch, createHttpCache, createMemoryStore } from '../../../loader/index.ts';
import { response } from '../../support/raw-server.ts';
import { fresh, hinting, link, visited } from './site.ts';

const bytes = '<p>/next'.length;

describe('the first use of what a prefetch brought', () => {
  test('may be through a 304', async () => {
    const clock = { now: Date.now() };
    const cache = createHttpCache(createMemoryStore(), { now: () => clock.now });
    const site = await visited(
      link('/next'),
      ({ path, headers }) => {
        if (path !== '/next') return undefined;
        if (headers['if-none-match'] === '"1"') {
          return 'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\nCache-Control: max-age=600\r\n\r\n';
        }
        return response('<p>/next', { ...fresh, ETag: '"1"' });
      },
      { cache },
    );
    clock.now += 3_600_000;
    for (const prefetched of [true, false]) {
      const load = await site.load('/next');
      expect(load.resources[0]).toMatchObject({ fromCache: true, prefetched });
    }
    expect(site.stats()).toMatchObject({ used: 1, usedBytes: bytes, wasted: 0 });
  });
});

describe('wasted is what was kept and', () => {
  const store = () => createHttpCache(createMemoryStore());

  test('is unused when the loader closes, also after its cache', async () => {
    for (const first of ['loader', 'cache']) {
      const cache = store();
      const site = await visited(link('/next', '/other'), undefined, { cache });
      await site.load('/next');
      if (first === 'cache') cache.close();
      await site.loader.close();
      const wastedBytes = '<p>/other'.length;
      expect(site.stats()).toMatchObject({ kept: 2, used: 1, wasted: 1, wastedBytes });
    }
  });

  test('was replaced, for a page that wanted it new', async () => {
    const site = await visited(link('/next'));
    const load = await site.load('/next', { cacheMode: 'reload' });
    expect(load.resources[0]?.prefetched).toBe(false);
    expect(site.stats()).toMatchObject({ used: 0, wasted: 1, wastedBytes: bytes });
  });

  test('was forgotten', async () => {
    const cache = store();
    const site = await visited(link('/next'), undefined, { cache });
    await using fetch = createFetch({ cache });
    await fetch(`${site.server.origin}/next`, { method: 'POST' });
    expect(site.stats()).toMatchObject({ used: 0, wasted: 1 });
  });

  test('expired, with nothing to ask by', async () => {
    const clock = { now: Date.now() };
    const cache = createHttpCache(createMemoryStore(), { now: () => clock.now });
    const site = await visited(link('/next'), undefined, { cache });
    clock.now += 3_600_000;
    expect(site.stats()).toMatchObject({ used: 0, wasted: 1 });
    const load = await site.load('/next');
    expect(load.resources[0]?.prefetched).toBe(false);
  });

  test('each is counted once, whatever happens later', async () => {
    const site = await visited(link('/next'));
    for (let turn = 0; turn < 3; turn++) {
      await site.load('/next');
      await site.load('/', { cacheMode: 'reload' });
      await site.loader.idle();
    }
    await site.loader.close();
    expect(site.stats()).toMatchObject({ kept: 1, used: 1, wasted: 0 });
  });
});

describe('room', () => {
  const body = 'x'.repeat(10_000);
  const urls = Array.from({ length: 16 }, (_, n) => `/${n}`);

  test('behind one page no more is prefetched than a quarter of the cache', async () => {
    const cache = createHttpCache(createMemoryStore({ maxBytes: 100_000 }));
    const site = await visited(
      link(...urls),
      ({ path }) => (path === '/' ? undefined : response(body, fresh)),
      { cache },
    );
    expect(site.stats().kept).toBe(2);
    expect(site.prefetched().length).toBe(3);
  });

  test('behind all pages together: the oldest goes, what was used stays', async () => {
    const store = createMemoryStore({ maxBytes: 100_000 });
    const cache = createHttpCache(store);
    const site = await hinting(
      {},
      ({ path }) => {
        const [, page] = /^\/page(\d+)$/.exec(path) ?? [];
        return response(body, { ...fresh, ...(page && link(`/a${page}`, `/b${page}`)) });
      },
      { cache },
    );
    await site.load('/used');
    for (const page of [1, 2, 3, 4, 5, 6]) {
      await site.load(`/page${page}`);
      await site.loader.idle();
    }
    expect(site.prefetched().length).toBe(12);
    const waits = (path: string) => store.find(`${site.server.origin}${path}`).length > 0;
    expect(['/a4', '/b5', '/a6', '/b6'].map(waits)).toEqual([false, false, true, true]);
    expect(waits('/used')).toBe(true);
    expect(site.stats()).toMatchObject({ kept: 12, wasted: 10, wastedBytes: 100_000 });
  });

  test('what was there before and only asked about is not removed', async () => {
    const clock = { now: Date.now() };
    const store = createMemoryStore({ maxBytes: 100_000 });
    const cache = createHttpCache(store, { now: () => clock.now });
    const site = await hinting(
      {},
      ({ path, headers }) => {
        if (headers['if-none-match']) {
          return 'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\nCache-Control: max-age=9000\r\n\r\n';
        }
        const hints = { '/': link('/old'), '/2': link('/a', '/b'), '/3': link('/c', '/d') }[path];
        return response(body, { ...fresh, ...hints, ETag: '"1"' });
      },
      { cache },
    );
    await site.load('/old');
    clock.now += 3_600_000;
    for (const path of ['/', '/2', '/3']) {
      await site.load(`${path}`);
      await site.loader.idle();
    }
    expect(store.find(`${site.server.origin}/old`).length).toBe(1);
    expect(store.find(`${site.server.origin}/a`).length).toBe(0);
    expect(site.stats()).toMatchObject({ kept: 5, used: 0, wasted: 2 });
  });
});
