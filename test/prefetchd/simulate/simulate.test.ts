// Worked examples. The log of them all: two visits teach that after /a.html comes /b.gif or /c.gif, then a
// client makes the same visit. When it asks for /a.html that is the third access to it, and /b.gif and
// /c.gif have followed once each: both arcs weigh 1/3. /c.gif followed later and is the better of equals.
//
// file     bytes   blocks  fetch time, 1130 ms + 0.0536 ms per byte
// a.html  10,000        2  1666.0
// b.gif    8,000        1  1558.8
// c.gif   20,000        3  2202.0

import { describe, expect, it } from 'vitest';
import type { Access } from '../../../prefetchd/access.ts';
import { type SimulationPoint, simulate } from '../../../prefetchd/simulate/simulate.ts';
import {
  type PointSpec,
  paperTrain,
  type SimulateOptions,
} from '../../../prefetchd/simulate/simulate-options.ts';
import { type Trace, traceOf } from '../../../prefetchd/simulate/trace.ts';
import { handLog } from './hand-log.ts';

const lessons = `
  t1  0  /a.html 10000
  t1  5  /b.gif   8000
  t2 20  /a.html 10000
  t2 25  /c.gif  20000`;

type Changes = Partial<PointSpec> & SimulateOptions;

/** One point of the paper's predictor; the first four accesses teach. */
function simulated(trace: Trace, changes: Changes = {}) {
  const { model = 'simple', threshold = 0.3, limit = null, ...options } = changes;
  const { baseline, points } = simulate(trace, {
    ...{ predictor: 'dependency-graph', window: 2, train: 4 },
    points: [{ model, threshold, limit }],
    ...options,
  });
  return { baseline, point: points[0] as SimulationPoint };
}

function visit(secondsOfB: number, changes: Changes = {}) {
  const trace = handLog(`${lessons}
    me 100 /a.html 10000
    me ${secondsOfB} /b.gif 8000`);
  return simulated(trace, changes);
}

describe('simple model (Padmanabhan 1995, 8.1)', () => {
  it('without prefetching every first access misses', () => {
    const { baseline } = visit(110);
    expect(baseline).toMatchObject({ accesses: 2, missRate: 1, requests: 2, bytes: 18_000 });
    expect(baseline.averageAccessTimeMs).toBeCloseTo((1666 + 1558.8) / 2, 9);
    expect(baseline.documents).toMatchObject({ accesses: 1, bytes: 10_000 });
    expect(baseline.documents.averageAccessTimeMs).toBeCloseTo(1666, 9);
  });

  it('a prefetch is there at once, and counts as traffic once', () => {
    // Fetched: a.html on demand, b.gif and c.gif ahead. b.gif is used. 38,000 bytes in place of 18,000.
    const { point } = visit(110);
    expect(point.missRate).toBeCloseTo(2 / 3, 12);
    expect(point.averageAccessTimeMs).toBeCloseTo(1666 / 2, 9);
    expect(point.trafficIncrease).toBeCloseTo(38 / 18 - 1, 12);
    expect(point.requestIncrease).toBeCloseTo(3 / 2 - 1, 12);
    expect(point).toMatchObject({ prefetches: 2, precision: 1 / 2, recall: 1 / 2 });
  });

  it('documents and objects are told apart', () => {
    const { documents, objects } = visit(110).point;
    const none = { trafficIncrease: 0, prefetches: 0, precision: null, recall: 0 };
    expect(documents).toMatchObject({ missRate: 1, ...none });
    expect(documents.averageAccessTimeMs).toBeCloseTo(1666, 9);
    expect(objects).toEqual({
      ...{ missRate: 0, averageAccessTimeMs: 0, trafficIncrease: 28 / 8 - 1, requestIncrease: 1 },
      ...{ prefetches: 2, precision: 1 / 2, recall: 1 },
    });
  });

  it('a file or a call of a script that follows a page is no click; its hint is not in vain', () => {
    const visitors = Array.from({ length: 12 }, (_, visit) => visit * 100);
    const accesses = visitors.flatMap((start, visit) =>
      ['/a.html', '/style.css', '/paper.pdf', '/b.html'].map((url, at) => ({
        ...{ client: `10.0.0.${visit}`, url, timeMs: (start + 10 * at) * 1000, status: 200 },
        ...{ kind: at === 1 ? 'object' : 'document', bytes: 1000, prefetch: false },
      })),
    ) as Access[];
    const point = { model: 'simple', threshold: 0.2, limit: 3 } as const;
    const { points } = simulate(traceOf(accesses), {
      ...{ predictor: 'double-graph', window: 4, rules: 'service', train: 24 },
      points: [point],
    });
    expect(points[0]?.pages).toMatchObject({ clicks: 6, hintedClicks: 6, unusedHints: 0 });
  });

  it('what the cache holds is not prefetched', () => {
    const trace = handLog(`${lessons}
      me 100 /b.gif   8000
      me 110 /a.html 10000
      me 120 /c.gif  20000`);
    const { point } = simulated(trace);
    expect(point).toMatchObject({ prefetches: 1, precision: 1, trafficIncrease: 0 });
  });

  it('a file that no cache can hold is not prefetched', () => {
    // Two blocks hold a.html, and b.gif in its place; c.gif has three.
    const { point } = visit(110, { cacheBytes: 2 * 8192 });
    expect(point).toMatchObject({ prefetches: 1, precision: 1 });
  });

  it('saves no more than the lead: what the page asks for in the same second is no win', () => {
    const timeOfB = (seconds: number, options: SimulateOptions = {}) =>
      visit(seconds, options).point.objects.averageAccessTimeMs;
    expect(timeOfB(100)).toBeCloseTo(1558.8, 9);
    expect(timeOfB(101)).toBeCloseTo(558.8, 9);
    expect(timeOfB(102)).toBe(0);
    expect(timeOfB(100, { capByLead: false })).toBe(0);
  });
});

describe('timed model (Padmanabhan 1995, 8.2)', () => {
  // The line: a.html until 101.666 s, then c.gif until 103.868 s, then b.gif until 105.4268 s.
  const timed = (seconds: number) => visit(seconds, { model: 'timed' }).point;

  it('a prefetch that has arrived is a hit', () => {
    expect(timed(110)).toMatchObject({ prefetches: 2, precision: 1 / 2, recall: 1 / 2 });
    expect(timed(110).missRate).toBeCloseTo(2 / 3, 12);
    expect(timed(110).averageAccessTimeMs).toBeCloseTo(1666 / 2, 9);
  });

  it('one under way saves the part that is done, misses, and is not fetched twice', () => {
    const point = timed(105);
    expect(point.missRate).toBe(1);
    expect(point.averageAccessTimeMs).toBeCloseTo((1666 + 426.8) / 2, 9);
    expect(point.trafficIncrease).toBeCloseTo(38 / 18 - 1, 12);
    expect(point).toMatchObject({ prefetches: 2, precision: 1 / 2, recall: 1 / 2 });
  });

  it('one that still waits saves nothing and is never sent', () => {
    const point = timed(103);
    expect(point.averageAccessTimeMs).toBeCloseTo((1666 + 1558.8) / 2, 9);
    expect(point).toMatchObject({ prefetches: 1, precision: 0, recall: 0 });
    expect(point.trafficIncrease).toBeCloseTo(20 / 18, 12);
  });

  it('nothing starts before the page is there', () => {
    // b.gif is asked for at 101 s; c.gif starts when it is there, and is fetched to the end.
    expect(timed(101)).toMatchObject({ prefetches: 1, precision: 0 });
  });
});

describe('training prefix (Padmanabhan 1995, 8)', () => {
  const trace = handLog(`${lessons}
    me 100 /a.html 10000
    me 110 /b.gif   8000`);
  const accesses = (options: SimulateOptions) => simulated(trace, options).baseline.accesses;

  it('is a count or a share; what follows is a count, a share, or all', () => {
    expect(accesses({ train: 4 })).toBe(2);
    expect(accesses({ train: 0.5 })).toBe(3);
    expect(accesses({ train: 0 })).toBe(6);
    expect(accesses({ train: 1, simulate: 3 })).toBe(3);
    expect(accesses({ train: 0, simulate: 0.5 })).toBe(3);
  });

  it('the paper: 50,000 of 120,000', () => {
    expect(accesses({ train: paperTrain })).toBe(6 - Math.round((6 * 5) / 12));
  });

  it('teaches but fills no cache', () => {
    // t1 comes back for what it had: it misses.
    const again = handLog(`${lessons}
      t1 100 /a.html 10000`);
    const { baseline } = simulated(again, { threshold: 1.1 });
    expect(baseline.missRate).toBe(1);
  });

  it('learning goes on behind it', () => {
    // Nothing is taught; the second visit profits from the first.
    const trace = handLog(`
      x  0 /a.html 10000
      x  5 /b.gif   8000
      y 20 /a.html 10000
      y 30 /b.gif   8000`);
    const { point } = simulated(trace, { train: 0, threshold: 0.4 });
    expect(point).toMatchObject({ prefetches: 1, precision: 1, recall: 1 / 4 });
  });
});

describe('the graph that is simulated', () => {
  /** A page that `count` visitors leave to a page of their own, then one more visitor. */
  const star = (count: number) => {
    const visit = (at: number) =>
      `v${at} ${at * 100} /hub.html 100\nv${at} ${at * 100 + 9} /${at}.html 100\n`;
    const visits = Array.from({ length: count }, (_, at) => visit(at)).join('');
    return handLog(`${visits}me ${count * 100} /hub.html 100`);
  };

  it('keeps every arc: at p = 0 without limit a page with 300 successors advises them all', () => {
    // The service keeps 128 arcs a page unless told otherwise.
    expect(simulated(star(300), { train: 600, threshold: 0 }).point.prefetches).toBe(300);
  });

  it('does not hint documents with a query, as the service; the paper did', () => {
    const trace = handLog(`
      t1  0 /a.html     10000
      t1  5 /b?id=1     8000
      t2 20 /a.html     10000
      t2 25 /c.gif?v=3  8000
      me 40 /a.html     10000`);
    // A path without extension is a document in a log; in the hand log .html alone is one.
    for (const file of trace.files) file.isDocument ||= file.url === '/b?id=1';
    const prefetches = (options: SimulateOptions) => simulated(trace, options).point.prefetches;
    expect(prefetches({})).toBe(1);
    expect(prefetches({ hintQueries: true })).toBe(2);
  });
});
