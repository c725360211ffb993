// What it takes before a page is learned and hinted: a client that is a browser, and pages that are public and worth
// their bytes. All settings are the defaults, but for those named.

import { describe, expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import type { Access } from '../../../prefetchd/access.ts';
import type { Engine } from '../../../prefetchd/engine/engine.ts';
import type { PrefetchdOptions } from '../../../prefetchd/engine/prefetchd-options.ts';
import { started } from './visits.ts';

const dayMs = 24 * 60 * 60_000;
let clockMs = Date.UTC(2026, 0, 1, 12);

const made = (options: PrefetchdOptions = {}): Engine =>
  started({ now: () => clockMs, ...options });

function access(client: string, url: string, change: Partial<Access> = {}): Access {
  const kind = url.endsWith('.png') ? 'object' : 'document';
  const page = { status: 200, bytes: 1000, prefetch: false };
  return { client, url, timeMs: clockMs, kind, ...page, ...change };
}

/** So many clients, each with an address of its own, walk the path. */
function walk(engine: Engine, path: readonly string[], clients: number, from = 0): void {
  for (let n = from; n < from + clients; n++) {
    for (const url of path) engine.observe(access(`192.0.2.${n} Browser`, url));
  }
}

const hinted = (engine: Engine, url: string) => engine.hints({ url }).map((hint) => hint.url);

describe('a client is a browser', () => {
  const taught = (options: PrefetchdOptions = {}) => {
    const engine = made(options);
    walk(engine, ['/a', '/a.png', '/b'], 3);
    return engine;
  };

  test('robots read pages and no objects: they teach nothing', () => {
    const engine = taught();
    walk(engine, ['/a', '/c'], 20, 100);
    expect(hinted(engine, '/a')).toEqual(['/b', '/a.png']);
    expect(engine.stats().learned.document).toBe(6);
  });

  test('what a client read before its first object is learned then, in its order', () => {
    const engine = taught();
    for (let n = 100; n < 110; n++) {
      walk(engine, ['/a', '/c'], 1, n);
      walk(engine, ['/c.png'], 1, n);
    }
    expect(engine.stats().learned).toEqual({ document: 6 + 20, object: 3 + 10 });
    expect(hinted(engine, '/a')[0]).toBe('/c');
  });

  test('a browser that says somebody clicked needs no object', () => {
    const engine = taught();
    engine.observe(access('192.0.2.99 Browser', '/a'));
    expect(engine.stats().learned.document).toBe(6);
    engine.observe(access('192.0.2.99 Browser', '/c', { userActivated: true }));
    expect(engine.stats().learned.document).toBe(8);
  });

  test('who reads on and on without an object is dropped, and said so', () => {
    const engine = taught();
    const pages = Array.from({ length: 40 }, (_, n) => `/page-${n}`);
    walk(engine, ['/a', ...pages], 1, 99);
    expect(engine.stats().notLearned).toEqual({ unproven: 41 });
    expect(engine.stats().learned.document).toBe(6);
    // Images now prove a browser, but what was dropped is gone.
    walk(engine, ['/a.png', '/b'], 1, 99);
    expect(engine.stats().learned.document).toBe(7);
  });

  test('what waits when pseudonyms end is dropped', () => {
    const engine = taught();
    walk(engine, ['/a', '/c'], 1, 99);
    clockMs += dayMs;
    engine.tick();
    expect(engine.stats().notLearned).toEqual({ unproven: 2 });
  });
});

test.each([
  ['a query', '/index.php?view=article&id=7'],
  ['an id in its path', '/watch/dQw4w9WgXcQ'],
])('a page with %s is public once five clients fetched it', (_, page) => {
  const engine = made();
  walk(engine, ['/', page], 4);
  expect(hinted(engine, '/')).toEqual([]);
  walk(engine, ['/', page], 1, 4);
  expect(hinted(engine, '/')).toEqual([page]);
});

describe('a page is worth its bytes', () => {
  /** One of so many visitors of / goes on to the page. */
  const oneOf = (visitors: number, bytes: number, options: PrefetchdOptions = {}) => {
    const engine = made(options);
    for (let n = 0; n < 12; n++) {
      engine.observe(access(`192.0.2.${n} Browser`, '/'));
      if (n % visitors === 0) engine.observe(access(`192.0.2.${n} Browser`, '/page', { bytes }));
    }
    return hinted(engine, '/');
  };

  test('the larger it is, the likelier it must be', () => {
    expect(oneOf(4, 29_000)).toEqual(['/page']);
    expect(oneOf(4, 31_000)).toEqual([]);
    expect(oneOf(2, 89_000)).toEqual(['/page']);
    expect(oneOf(2, 91_000)).toEqual([]);
    expect(oneOf(1, 99_000)).toEqual(['/page']);
    expect(oneOf(1, 101_000)).toEqual([]);
  });

  test('one client, and then another who gets less, make it no larger; two in a row do, and one makes it smaller', () => {
    const engine = made();
    walk(engine, ['/', '/page'], 3);
    let client = 10;
    const answered = (bytes: number, visitor = client++) => {
      engine.observe(access(`192.0.2.${visitor} Browser`, '/page', { bytes }));
      return hinted(engine, '/').length;
    };
    expect([answered(300_000), answered(1_000), answered(300_000)]).toEqual([1, 1, 1]);
    expect([answered(300_000, client - 1), answered(300_000, client - 1)]).toEqual([1, 1]);
    expect([answered(300_000), answered(300_000), answered(1_000)]).toEqual([0, 0, 1]);
  });
});

describe('p by kind', () => {
  /** A third of the visitors of / go to /b, which embeds an image; / embeds one a third have cached. */
  const taught = (options: PrefetchdOptions = {}) => {
    const engine = made({ ...withConstants({ requireObjects: false }), ...options });
    for (let n = 0; n < 9; n++) {
      walk(engine, n % 3 === 0 ? ['/', '/a.png', '/b'] : ['/'], 1, n);
    }
    return engine;
  };

  test('pages above 0.2, objects above 0.5', () => {
    expect(hinted(taught(), '/')).toEqual(['/b']);
  });

  test('another threshold is that of both, also for one question and while running', () => {
    expect(hinted(taught({ threshold: 0.3 }), '/')).toEqual(['/b', '/a.png']);
    const engine = taught();
    expect(engine.hints({ url: '/', threshold: 0.3 })).toHaveLength(2);
    engine.tune({ threshold: 0.3 });
    expect(hinted(engine, '/')).toEqual(['/b', '/a.png']);
    engine.tune({ threshold: 0.2 });
    expect(hinted(engine, '/')).toEqual(['/b']);
  });
});

test('of equals the next page comes first, then the latest', () => {
  const engine = made();
  walk(engine, ['/p1', '/p2', '/p3', '/p4'], 3);
  expect(hinted(engine, '/p1')).toEqual(['/p2', '/p4', '/p3']);
  expect(engine.hints({ url: '/p1', limit: 1 }).map(({ url }) => url)).toEqual(['/p2']);
});
