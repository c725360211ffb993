import { describe, expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import type { Access } from '../../../prefetchd/access.ts';
import type { Engine } from '../../../prefetchd/engine/engine.ts';
import type { PrefetchdOptions } from '../../../prefetchd/engine/prefetchd-options.ts';
import { newSalt } from '../../../prefetchd/model/salt.ts';
import { randomFrom } from '../../support/random.ts';
import { started } from './visits.ts';

const t0 = Date.UTC(2026, 0, 1, 12);
const minuteMs = 60_000;

let clockMs = t0;

function made(options: PrefetchdOptions = {}): Engine {
  clockMs = t0;
  // Salts are random and change, as in use.
  return started({ now: () => clockMs, ...withConstants({ newSalt }), ...options });
}

function access(client: string, url: string, change: Partial<Access> = {}): Access {
  const page = { kind: 'document', status: 200, bytes: 1000, prefetch: false } as const;
  return { client, url, timeMs: clockMs, ...page, ...change };
}

/** So many clients, each with an address of its own, walk the path. Where three would do, tests take five:
 *  once in 340 times two of three share a fingerprint (model/client-sets.ts). */
function walk(prefetchd: Engine, path: string[], clients: number, from = 0): void {
  for (let n = from; n < from + clients; n++) {
    for (const url of path) prefetchd.observe(access(`192.0.2.${n} Browser`, url));
  }
}

const urlsOf = (hints: { url: string }[]) => hints.map(({ url }) => url);

describe('who is hinted what', () => {
  test('sixty networks of one /56 do not drown what real visitors do', () => {
    const prefetchd = made();
    walk(prefetchd, ['/a', '/b'], 5);
    for (let n = 0; n < 60; n++) {
      const network = `2001:db8:1:${(0x100 + n).toString(16)}::1`;
      prefetchd.observe(access(`${network} Browser`, '/a'));
    }
    expect(urlsOf(prefetchd.hints({ url: '/a' }))).toEqual(['/b']);
  });

  const dayMs = 24 * 60 * minuteMs;
  const nextDay = async (prefetchd: Engine, days = 1) => {
    clockMs += days * dayMs;
    await prefetchd.flush(); // salts that are over are replaced
  };

  test('a page that one person visits every day for 60 days stays that person’s', async () => {
    const prefetchd = made({ minClients: 2 });
    await prefetchd.ready;
    for (let day = 0; day < 60; day++) {
      walk(prefetchd, ['/private', '/diary'], 1);
      expect(prefetchd.hints({ url: '/private', threshold: 0 })).toEqual([]);
      await nextDay(prefetchd);
    }
  });

  test('k clients of 30 days count together, though their pseudonyms change each day', async () => {
    const prefetchd = made();
    await prefetchd.ready;
    for (let day = 0; day < 5; day++) {
      expect(prefetchd.hints({ url: '/a' })).toEqual([]);
      for (const client of day < 2 ? [day] : [day, day + 10])
        walk(prefetchd, ['/a', '/b'], 1, client);
      await nextDay(prefetchd, 5);
      if (day === 2) break;
    }
    expect(urlsOf(prefetchd.hints({ url: '/a' }))).toEqual(['/b']);
  });

  test('clients of one month and the next do not add up', async () => {
    const prefetchd = made();
    await prefetchd.ready;
    for (let month = 0; month < 6; month++) {
      walk(prefetchd, ['/a', '/b'], 1, month);
      await nextDay(prefetchd, 31);
    }
    expect(prefetchd.hints({ url: '/a', threshold: 0 })).toEqual([]);
  });

  test('the windows of a day end with it: what a visitor does tomorrow follows nothing of today', async () => {
    const prefetchd = made({ minClients: 1, ...withConstants({ idleGapMs: null }) });
    await prefetchd.ready;
    walk(prefetchd, ['/a'], 1);
    await nextDay(prefetchd);
    walk(prefetchd, ['/b'], 1);
    expect(prefetchd.hints({ url: '/a', threshold: 0 })).toEqual([]);
  });

  test('of an object nothing is hinted that depends on the page that its client shows', () => {
    const prefetchd = made({ predictor: 'double-graph', threshold: 0.2 });
    walk(prefetchd, ['/a', '/b'], 5);
    const client = '198.51.100.1 Browser';
    prefetchd.observe(access(client, '/a'));
    expect(prefetchd.hints({ url: '/i.png', urlKind: 'object', client })).toEqual([]);
  });

  test('under load p rises, up to no hints at all', () => {
    let load = 0;
    const prefetchd = made({ threshold: 0.5, load: () => load });
    walk(prefetchd, ['/a', '/b'], 9);
    walk(prefetchd, ['/a', '/c'], 5, 20);
    expect(urlsOf(prefetchd.hints({ url: '/a' }))).toEqual(['/b']);
    load = 0.9;
    expect(prefetchd.hints({ url: '/a' })).toEqual([]);
    expect(prefetchd.load).toBe(0.9);
    load = 0.5;
    expect(urlsOf(prefetchd.hints({ url: '/a' }))).toEqual(['/b']);
  });
});

describe('what is not learned', () => {
  test.each([
    ['prefetch', '/b', { prefetch: true }],
    ['status', '/b', { status: 404 }],
    ['status', '/b', { status: 302 }],
    ['denied', '/setup.exe', {}],
    ['not-page', '/paper.pdf', { status: 206 }],
    ['denied', '/logout', {}],
    ['denied', '/%6cogout', {}],
    ['query', '/search?q=me', {}],
    ['malformed', 'javascript:alert(1)', {}],
    ['malformed', `/${'a'.repeat(3000)}`, {}],
  ] as const)('%s: %s', (reason, url, change) => {
    const prefetchd = made({ minClients: 1 });
    prefetchd.observe(access('c', '/a'));
    expect(prefetchd.observe(access('c', url, change))).toBe(reason);
    expect(prefetchd.hints({ url: '/a', threshold: 0, limit: null })).toEqual([]);
    expect(prefetchd.stats().notLearned).toEqual({ [reason]: 1 });
    expect(prefetchd.stats().nodes).toBe(1);
  });

  test('queries are learned where the site says so, and of files those that are versions', () => {
    const keeps = made({ query: 'keep', minClients: 1 });
    for (const url of ['/a', '/item?id=3']) keeps.observe(access('c', url));
    expect(urlsOf(keeps.hints({ url: '/a' }))).toEqual(['/item?id=3']);
    const usual = made({ minClients: 1 });
    usual.observe(access('c', '/a'));
    expect(usual.observe(access('c', '/a.css?v=3', { kind: 'object' }))).toBeNull();
    expect(usual.observe(access('c', '/api?email=x', { kind: 'object' }))).toBe('query');
    expect(usual.stats().nodes).toBe(2);
  });
});

describe('one hostile client', () => {
  test.each([
    ['with a new user agent each time', 10, (n: number) => `Browser/${n}`],
    ['in three days', 2592, () => 'Browser'],
  ])(
    'sends 100,000 invented transitions %s: none is hinted, the real ones are',
    { timeout: 120_000 },
    async (_, everyMs, agent) => {
      const prefetchd = made(withConstants({ maxNodes: 5000, maxArcs: 20_000 }));
      const pages = Array.from({ length: 50 }, (_, n) => `/page-${n}`);
      for (let n = 0; n < 5; n++) {
        for (let page = 0; page < 49; page++) {
          prefetchd.observe(access(`192.0.2.${n} B`, pages[page] as string));
          prefetchd.observe(access(`192.0.2.${n} B`, pages[page + 1] as string));
        }
      }
      const random = randomFrom(7);
      for (let n = 0; n < 100_000; n++) {
        clockMs += everyMs;
        if (n % 5000 === 0) await prefetchd.flush(); // a day may be over
        const client = `203.0.113.66 ${agent(n)}`;
        const isReal = random() < 0.5;
        // Half of what is invented comes again and again.
        const invented = `/invented-${n % 2 === 0 ? n : n % 7}`;
        const url = isReal ? (pages[Math.floor(random() * 50)] as string) : invented;
        prefetchd.observe(access(client, url));
      }
      const after = pages.map((url) => prefetchd.hints({ url, timeMs: t0 }));
      expect(after.flat().filter(({ url }) => url.includes('invented'))).toEqual([]);
      for (let page = 0; page < 49; page++) {
        expect(urlsOf(after[page] ?? [])).toContain(pages[page + 1]);
      }
    },
  );
});

test('says what it takes for the site: nobody has to be told twice', () => {
  const own = { origin: 'https://example.org', deny: { extra: ['/private'] } };
  expect(made(own).site).toEqual({ ...own, query: 'evidence' });
});
