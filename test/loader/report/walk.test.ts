// Reports of walks: what they say, in what width, and that nothing in a record can break them.

import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { renderWalks, toWalkJson } from '../../../loader/report/index.ts';
import type { WalkedPage, WalkPair, WalkRecord } from '../../../loader/walk/index.ts';
import { walkTotals } from '../../../loader/walk/walk-costs.ts';
import fc from '../../support/property.ts';

const usual = {
  ...{ url: 'http://a.example/', timeMs: 100 as number | null, bytes: 1000, thinkMs: 500 },
  ...{ prefetched: 0, wasted: 0, used: 0, connections: 0, error: null as string | null },
};
type Told = Partial<typeof usual & { networkMs: number }>;

function pageOf(told: Told, startedAtMs: number): WalkedPage {
  const { url, timeMs, bytes, thinkMs, prefetched, wasted, used, connections, error } = {
    ...usual,
    ...told,
  };
  const networkMs = told.networkMs ?? timeMs ?? 0;
  const wanted = bytes + used;
  return {
    url,
    startedAtMs,
    thinkMs,
    load: {
      ...{ timeMs, networkMs, requests: 1, bytes, hits: used > 0 ? 1 : 0, notModified: 0 },
      ...{ errors: error === null ? 0 : 1, connections },
      error: error === null ? null : { code: 'connection-lost', message: error },
    },
    prefetch: {
      requests: prefetched > 0 ? 1 : 0,
      bytes: prefetched,
      wastedBytes: wasted,
      connections: prefetched > 0 ? 1 : 0,
      timeMs: prefetched > 0 ? 90 : 0,
    },
    used: { resources: used > 0 ? 1 : 0, bytes: used },
    addedTraffic: wanted === 0 ? null : wasted / wanted,
  };
}

function recordOf(pages: readonly Told[], prefetched: boolean): WalkRecord {
  const walked: WalkedPage[] = [];
  let atMs = 0;
  for (const told of pages) {
    const page = pageOf(told, atMs);
    walked.push(page);
    atMs += (page.load.timeMs ?? 0) + page.thinkMs;
  }
  const totals = walkTotals(walked);
  return { prefetched, startedAtMs: 0, pages: walked, totals, endedBy: null };
}

/** 300 ms and 3,000 bytes without; 120 ms and 3,600 bytes with, of which 600 in vain. */
const pair: WalkPair = {
  name: '',
  without: recordOf(
    [{ connections: 1 }, { url: 'http://a.example/b' }, { url: 'http://a.example/c' }],
    false,
  ),
  with: recordOf(
    [
      { prefetched: 1600, wasted: 600, connections: 2 },
      { url: 'http://a.example/b', timeMs: 10, networkMs: 0, bytes: 0, used: 1000 },
      { url: 'http://a.example/c', timeMs: 10, networkMs: 0, bytes: 1000 },
    ],
    true,
  ),
};

const plain = { columns: 120, color: false };

describe('renderWalks', () => {
  test('says what was saved beside what it cost', () => {
    const text = renderWalks([pair], plain);
    expect(text).toContain('Waited 120 ms instead of 300 ms: 60 % less.');
    expect(text).toContain('Traffic 3.6 kB instead of 3.0 kB: 20 % more.');
    expect(text).toContain('Prefetched 1.6 kB in 1 request: 1.0 kB were used, 600 B were wasted.');
    expect(text).toMatch(/^2 +\/b .*100 ms .* 10\.0 ms .*90 %/m);
  });

  test('says per page and in sum all that a walk costs, in two tables', () => {
    const text = renderWalks([pair], { columns: 80, color: false });
    // # page | time and saved | network | hits | stay prefetched used wasted added | connections
    const rowsOf = (start: RegExp) =>
      text
        .split('\n')
        .filter((line) => start.test(line))
        .map((line) => line.replace(start, '').trim().split(/ {2,}/).join(', '));
    expect(rowsOf(/^1 {2}\//)).toEqual([
      '100 ms, 100 ms, 0 %, 100 ms, 100 ms, 0, 0',
      '500 ms, 1.6 kB, 0 B, 600 B, 60 %, 1, 3',
    ]);
    expect(rowsOf(/^2 {2}\/b/)).toEqual([
      '100 ms, 10.0 ms, 90 %, 100 ms, 0.00 ms, 0, 1',
      '500 ms, 0 B, 1.0 kB, 0 B, 0 %, 0, 0',
    ]);
    expect(rowsOf(/^ +sum/)).toEqual([
      '300 ms, 120 ms, 60 %, 300 ms, 100 ms, 0, 1',
      '1.50 s, 1.6 kB, 1.0 kB, 600 B, 20 %, 1, 3',
    ]);
    expect(text.match(/^ *# {2}page/gm)).toHaveLength(2);
    for (const meaning of ['network', 'hits', 'wasted', 'added', 'connections']) {
      expect(text).toMatch(new RegExp(`^${meaning}: `, 'm'));
    }
  });

  test('of one walk alone each figure has one column', () => {
    const text = renderWalks([{ ...pair, without: null }], { columns: 80, color: false });
    expect(text).toMatch(/^# {2}page +time +network +hits$/m);
    expect(text).toMatch(/^# {2}page +stay +prefetched +used +wasted +added +connections$/m);
    expect(text).not.toMatch(/ with( |$)|^with:|saved/m);
    expect(text).toContain('Waited 120 ms; 3.6 kB came.');
  });

  test.each([
    ['lost time', 120, '120 ms: 150 % more'],
    ['changed nothing', 300, '300 ms: as much'],
  ])('says so when prefetching %s', (_, timeMs, words) => {
    const slower = recordOf([{ timeMs: 300, prefetched: 100 }], true);
    const walked = { ...pair, without: recordOf([{ timeMs }], false), with: slower };
    expect(renderWalks([walked], plain)).toContain(`Waited 300 ms instead of ${words}.`);
  });

  test('takes no difference for a saving where nothing was prefetched', () => {
    const faster = recordOf([{ timeMs: 60 }], true);
    const chance = { ...pair, without: recordOf([{ timeMs: 120 }], false), with: faster };
    const text = renderWalks([chance], plain);
    expect(text).toContain('Waited 60.0 ms instead of 120 ms.\n');
    expect(text).toContain(
      'Nothing was prefetched: no page hinted at another. What differs is chance.',
    );
    expect(text).not.toMatch(/%|saved/);
  });

  test('a page that failed has no time, and no share of it', () => {
    const failed = recordOf([{ timeMs: null, error: 'gone', prefetched: 100 }], true);
    const text = renderWalks([{ name: '', without: recordOf([{}], false), with: failed }], plain);
    expect(text).toMatch(/^1 .*100 ms .*failed .* - /m);
  });

  test('a page that failed in one walk is in no sum of times, and that is said', () => {
    const without = recordOf([{}, { timeMs: 5, error: 'gone' }, { timeMs: 7 }], false);
    const with_ = recordOf([{ timeMs: 40 }, { timeMs: 900 }, { timeMs: 9, prefetched: 1 }], true);
    const text = renderWalks([{ name: '', without, with: with_ }], plain);
    expect(text).toMatch(/^2 .*failed +900 ms .* - +900 ms /m);
    expect(text).toMatch(/^ +sum +107 ms +49\.0 ms +54 % +107 ms +49\.0 ms /m);
    expect(text).toContain('Waited 49.0 ms instead of 107 ms: 54 % less.');
    expect(text).toContain(
      '1 page did not load in both walks: it is left out of the sums of times.',
    );
    expect(toWalkJson([{ name: '', without, with: with_ }])).toMatchObject({
      saved: { time: 1 - 49 / 107 },
      totals: { without: { timeMs: 107 }, with: { timeMs: 49 }, leftOut: 1 },
      walks: [{ with: { totals: { timeMs: 949 } } }],
    });
    const alone = renderWalks([{ name: '', without, with: null }], plain);
    expect(alone).toContain('1 page did not load: it is left out of the sums of times.');
    expect(text).not.toContain('Infinity');
  });

  test('of several clients a row each, and the sum of all', () => {
    const clients = ['192.0.2.1', '192.0.2.2'].map((name) => ({ ...pair, name }));
    const text = renderWalks(clients, plain);
    expect(text).toMatch(/^1 +192\.0\.2\.1 \(3 pages\) .*300 ms .*120 ms/m);
    expect(text).toMatch(/^ +sum .*600 ms .*240 ms/m);
    expect(text).toContain('Waited 240 ms instead of 600 ms');
    // Prefetched, used, wasted, added, and connections without and with.
    expect(text).toMatch(/^1 .* 1\.6 kB +1\.0 kB +600 B +20 % +1 +3$/m);
    expect(text).toMatch(/^ +sum .* 3\.2 kB +2\.0 kB +1\.2 kB +20 % +2 +6$/m);
  });

  test('no line of ordinary figures is wider than asked for, and all of it is printable', () => {
    fc.assert(
      fc.property(anyPairs, fc.integer({ min: 80, max: 200 }), (pairs, columns) => {
        for (const color of [false, true]) {
          const text = stripVTControlCharacters(renderWalks(pairs, { columns, color }));
          for (const line of text.split('\n')) {
            expect(line.length).toBeLessThanOrEqual(columns);
            expect(line).toMatch(/^[\x20-\x7e\u2026]*$/);
          }
        }
      }),
    );
  });
});

test('toWalkJson tells the sums of all walks', () => {
  const { totals } = toWalkJson([pair, { ...pair, without: null }, pair]);
  expect(totals.without).toMatchObject({ connections: 2, timeMs: 600, trafficBytes: 6000 });
  expect(totals.with).toMatchObject({ connections: 9, timeMs: 360, wastedBytes: 1800 });
  expect(totals.with?.addedTraffic).toBe(0.2);
  expect(toWalkJson([{ ...pair, with: null }]).totals.with).toBe(null);
});

test('toWalkJson tells what was saved, with times to 0.001 ms', () => {
  const odd = { ...pair, without: recordOf([{ timeMs: 1 / 3 }], false) };
  const { walks, saved } = toWalkJson([odd]);
  expect(walks[0]?.without?.pages[0]?.load.timeMs).toBe(0.333);
  expect(saved.traffic).toBeCloseTo(2.6);
  const none = { ...pair, without: recordOf([{ timeMs: 5e-324, bytes: 0 }], false) };
  expect(toWalkJson([none]).saved).toEqual({ time: null, traffic: null });
  expect(toWalkJson([{ ...pair, with: null }]).saved).toEqual({ time: null, traffic: null });
});

const anyTold: fc.Arbitrary<Told> = fc.record({
  url: fc.string({ unit: 'binary' }).map((path) => `http://a.example/${path}`),
  timeMs: fc.option(fc.double({ min: 0, max: 1e7, noNaN: true }), { nil: null }),
  networkMs: fc.double({ min: 0, max: 1e7, noNaN: true }),
  bytes: fc.nat(1e9),
  prefetched: fc.nat(1e9),
  wasted: fc.nat(1e9),
  used: fc.nat(1e9),
  connections: fc.nat(1e3),
  thinkMs: fc.double({ min: 0, max: 1e7, noNaN: true }),
  error: fc.option(fc.string({ unit: 'binary' }), { nil: null }),
});

const anyPairs: fc.Arbitrary<WalkPair[]> = fc.array(
  fc
    .record({
      name: fc.string({ unit: 'binary' }),
      pages: fc.array(anyTold, { maxLength: 12 }),
      which: fc.constantFrom('both', 'without', 'with'),
    })
    .map(({ name, pages, which }) => ({
      name,
      without: which === 'with' ? null : recordOf(pages, false),
      with: which === 'without' ? null : recordOf(pages, true),
    })),
  { minLength: 1, maxLength: 4 },
);
