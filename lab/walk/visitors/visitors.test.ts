// The parts of the bench of visitors that need no browser: the site and the walks are the same for the same seed, a
// link takes its round trips, and the table says what was measured.

import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { reachedBy } from './best-lists.ts';
import { holdbackTables } from './holdback-table.ts';
import { VisitorLink } from './link.ts';
import { addressOf, type Measured } from './measure.ts';
import { siteOf } from './site.ts';
import { type Outcome, tablesOf, targetsOf } from './table.ts';
import { type Variant, variants } from './variants.ts';
import type { Navigation } from './visitor.ts';
import { walksOf } from './walks.ts';

describe('site', () => {
  const { pages, byPopularity } = siteOf(1);

  test('30 pages with 8 to 15 links each, all to other pages of it', () => {
    expect(pages.size).toBe(30);
    expect(new Set(byPopularity)).toEqual(new Set(pages.keys()));
    for (const { path, links } of pages.values()) {
      expect(links.length, path).toBeGreaterThanOrEqual(8);
      expect(links.length, path).toBeLessThanOrEqual(15);
      expect(new Set(links).size).toBe(links.length);
      expect(links).not.toContain(path);
      expect(links.every((link) => pages.has(link))).toBe(true);
    }
  });

  test('the same seed gives the same', () => {
    expect(siteOf(1)).toEqual(siteOf(1));
    expect(siteOf(2)).not.toEqual(siteOf(1));
  });
});

describe('walks', () => {
  const site = siteOf(1);
  const walks = walksOf(site, { visitors: 200, clicks: 8, seed: 1 });

  test('follow links, and rest on two others', () => {
    for (const { entry, steps } of walks) {
      let path = entry;
      for (const { strays, click } of steps) {
        const links = site.pages.get(path)?.links;
        expect(links).toEqual(expect.arrayContaining([...strays, click]));
        expect(new Set([...strays, click]).size).toBe(3);
        path = click;
      }
    }
  });

  test("by Zipf's law: the first link about twice as often as the second", () => {
    const ranks = walks.flatMap(({ entry, steps }) =>
      steps.map(({ click }, at) => {
        const path = at === 0 ? entry : (steps[at - 1]?.click ?? '');
        return site.pages.get(path)?.links.indexOf(click);
      }),
    );
    const times = (rank: number) => ranks.filter((each) => each === rank).length;
    expect(times(0) / times(1)).toBeGreaterThan(1.6);
    expect(times(0) / times(1)).toBeLessThan(2.5);
  });

  test('the same seed gives the same', () => {
    expect(walksOf(site, { visitors: 200, clicks: 8, seed: 1 })).toEqual(walks);
  });
});

// Other systems have one loopback address.
test.skipIf(process.platform !== 'linux')(
  'a link takes its round trips and its rate, from an address of its own',
  async () => {
    const body = 'x'.repeat(10_000);
    await using site = await listening(body);
    const settings = { rttMs: 40, downBitsPerSecond: 1e6, upBitsPerSecond: 1e6 };
    await using link = await VisitorLink.open(site.port, '127.1.0.7', settings);
    const startedAt = performance.now();
    expect(await textOf(link.origin)).toBe(body);
    // Handshake, request and response, and 10 kB at 1 Mbit/s; timers may be a millisecond early.
    expect(performance.now() - startedAt).toBeGreaterThan(2 * 40 + 80 - 2);
    expect(link.downBytes).toBeGreaterThan(10_000);
    expect(site.addresses).toEqual(['127.1.0.7']);
  },
);

describe('table', () => {
  const at = (ttfbMs: number): Navigation => ({
    ...{ from: '/', to: '/news', ttfbMs, fcpMs: ttfbMs, lcpMs: ttfbMs },
    ...{ delivery: ttfbMs < 200 ? 'navigational-prefetch' : '', prerendered: false },
  });
  const outcome = (name: string, pages: number, ttfbs: number[]): Outcome => {
    const variant = variants.find((each) => each.name === name);
    if (variant === undefined) throw new Error(`there is no ${name}`);
    const site = { pages, prefetches: 0, refused: 0 };
    const measured: Measured = { visitors: ttfbs.map((ms) => [at(ms)]), site, bytes: 100 * pages };
    return { variant, cacheControl: null, measured };
  };
  const outcomes = [
    outcome('none', 10, [300, 300, 300]),
    outcome('document-rule', 30, [100, 90, 101]),
    outcome('learned', 15, [300, 120, 10]),
    outcome('learned-moderate', 20, [300, 90, 10]),
  ];

  test('has instant clicks by thirds of the visitors, and what is more than without hints', () => {
    const [table] = tablesOf(outcomes, siteOf(1));
    const cell = (row: number, name: string) =>
      table?.rows[row]?.[table.columns.findIndex((column) => column.name === name)];
    expect(
      ['instant 1-1 %', 'instant 2-2 %', 'instant 3-3 %'].map((name) => cell(2, name)),
    ).toEqual([0, 0, 100]);
    expect(cell(1, 'instant %')).toBeCloseTo(66.7, 1);
    expect(cell(2, 'ahead %')).toBeCloseTo(66.7, 1);
    expect(cell(2, 'extra requests %')).toBeCloseTo(50);
    expect(cell(1, 'extra bytes %')).toBeCloseTo(200);
    expect(cell(2, 'TTFB ms')).toBe(120);
    expect(cell(2, 'TTFB p75 ms')).toBe(300);
  });

  test('targets: learned alone, and with the rule against half of what the rule costs', () => {
    const targets = targetsOf(outcomes).map(({ limit, measured }) => [
      limit,
      Math.round(measured.median),
    ]);
    expect(targets).toEqual([
      [45, 33],
      [60, 50],
      [0, 100], // the last third over the first
      [67, 67],
      [100, 100],
    ]);
  });
});

describe('the best list of each page', () => {
  const site = siteOf(1);
  const walks = walksOf(site, { visitors: 40, clicks: 8, seed: 1 });

  test('none costs a request each page, and all links make each click instant', () => {
    expect(reachedBy(site, walks, 0, false)).toEqual({ instant: 0, requests: 40 * 9 });
    expect(reachedBy(site, walks, 15, false)).toEqual({ instant: 1, requests: 40 * (1 + 8 * 3) });
  });

  test('the first links are worth more than the others, and pages that are kept cost less', () => {
    const [one, two] = [1, 2].map((length) => reachedBy(site, walks, length, false));
    expect(one?.instant).toBeGreaterThan(0.3);
    expect((two?.instant ?? 0) - (one?.instant ?? 0)).toBeLessThan(one?.instant ?? 0);
    const kept = reachedBy(site, walks, 2, true);
    expect(kept.requests).toBeLessThan(two?.requests ?? 0);
    expect(kept.instant).toBeGreaterThan(two?.instant ?? 1);
  });
});

test('what the holdback reports stands beside what was measured of the same visitors', () => {
  const variant = variants.find(({ name }) => name === 'holdback');
  const navigation = (ttfbMs: number): Navigation => ({
    ...{ from: '/', to: '/news', ttfbMs, fcpMs: null, lcpMs: null },
    ...{ delivery: '', prerendered: false },
  });
  const measure = { hinted: 80, heldBack: 300, difference: -220, isEarly: false } as const;
  const ttfb = { ...measure, of: 'ttfb', interval: [-250, -190] } as const;
  const all = [{ device: 'all', navigations: { hinted: 2, heldBack: 1 }, measures: [ttfb] }];
  const holdback = { report: { all }, heldBack: [addressOf(1)] } as never;
  const [table] = holdbackTables([
    {
      variant: variant as Variant,
      cacheControl: null,
      measured: {
        visitors: [[navigation(80)], [navigation(300)], [navigation(90)]],
        site: { pages: 3, prefetches: 0, refused: 0, holdback },
        bytes: 300,
      },
    },
  ]);
  expect(table?.rows[1]).toEqual(['-', 'TTFB, mean', -220, -250, -190, 85 - 300, 'yes']);
  expect(table?.rows[0]?.slice(2)).toEqual([null, null, null, 100, 'no']);
});

async function listening(body: string) {
  const addresses: Array<string | undefined> = [];
  const server = createServer((req, res) => {
    addresses.push(req.socket.remoteAddress);
    res.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...{ addresses, port: (server.address() as AddressInfo).port },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function textOf(url: string): Promise<string> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent: false }, resolve).on('error', reject);
  });
  return (await response.setEncoding('utf8').toArray()).join('');
}
