// How busy a thread is: processor time it used, of what it could have had. The figures of the table were read from a
// paced process on a two-core machine, in stretches of a quarter of a second.

import { expect, test } from 'vitest';
import {
  calm,
  lastingLoad,
  loadBetween,
  overload,
  thresholdUnderLoad,
} from '../../process/thread-load.ts';

const start = { nowMs: 1000, ranMs: 70, idledMs: 300 };

function loadOf({ tookMs, ranMs, idledMs }: { tookMs: number; ranMs: number; idledMs: number }) {
  return loadBetween(start, {
    nowMs: start.nowMs + tookMs,
    ranMs: start.ranMs + ranMs,
    idledMs: start.idledMs + idledMs,
  });
}

test.each([
  ['alone, at a third of a core', { tookMs: 250, ranMs: 83, idledMs: 165 }],
  ['four busy processes beside it, a tenth of a core', { tookMs: 270, ranMs: 30, idledMs: 130 }],
  ['the same, its loop at work for 84 %', { tookMs: 262, ranMs: 45, idledMs: 42 }],
  ['the same, its loop at work for 88 %', { tookMs: 252, ranMs: 45, idledMs: 30 }],
  ['half a core by quota, four fifths of it used', { tookMs: 304, ranMs: 128, idledMs: 128 }],
  ['half a core by quota, some of it used', { tookMs: 304, ranMs: 94, idledMs: 207 }],
])('calm: %s', (_name, stretch) => {
  expect(loadOf(stretch)).toBeLessThan(calm);
});

test.each([
  ['alone, all of a core', { tookMs: 250, ranMs: 248, idledMs: 1 }],
  ['alone, nine tenths of a core', { tookMs: 250, ranMs: 225, idledMs: 25 }],
  [
    'four busy processes beside it, all of the fifth that is left',
    { tookMs: 260, ranMs: 52, idledMs: 0 },
  ],
  ['all of half a core by quota', { tookMs: 301, ranMs: 153, idledMs: 0 }],
])('overload: %s', (_name, stretch) => {
  expect(loadOf(stretch)).toBeGreaterThan(overload);
});

test('is a share, whatever the clocks say', () => {
  for (const [ranMs, idledMs] of [
    [0, 0],
    [0, 250],
    [-1, 250],
    // Other threads ran, too: at most what the loop was at work.
    [700, 50],
    [10, 900],
    [10, -5],
  ] as const) {
    const load = loadOf({ tookMs: 250, ranMs, idledMs });
    expect([ranMs, idledMs, load >= 0 && load <= 1]).toEqual([ranMs, idledMs, true]);
  }
  expect(loadOf({ tookMs: 250, ranMs: 0, idledMs: 0 })).toBe(0);
  expect(loadOf({ tookMs: 250, ranMs: 700, idledMs: 50 })).toBe(200 / 250);
});

/** A thread that is let run for a share of the time, and what its load is said to be. */
function thread() {
  const clock = { nowMs: 0, ranMs: 0, idledMs: 0 };
  const load = lastingLoad(
    () => ({ ...clock }),
    () => clock.nowMs,
  );
  return {
    load,
    /** Work without a pause. @returns the loads that were read meanwhile, every 10 ms */
    work(ms: number, letRun = 1): number[] {
      return pass(ms, () => {
        clock.ranMs += 10 * letRun;
      });
    },
    idle(ms: number): number[] {
      return pass(ms, () => {
        clock.idledMs += 10;
      });
    },
  };
  function pass(ms: number, step: () => void): number[] {
    const loads: number[] = [];
    for (let passed = 0; passed < ms; passed += 10) {
      clock.nowMs += 10;
      step();
      loads.push(load());
    }
    return loads;
  }
}

test('what passes is no load: the start of a process, or work of less than three quarters of a second', () => {
  const { work, idle } = thread();
  expect(Math.max(...work(740), ...idle(510), ...work(740), ...idle(500))).toBe(0);
});

test('the same on a machine where a start takes four times as long', () => {
  const { work } = thread();
  expect(Math.max(...work(1550, 1 / 4))).toBe(0);
  expect(work(500, 1 / 4).at(-1)).toBe(1);
});

test('work for a second is load, and ends within a quarter of a second of idling', () => {
  const { work, idle } = thread();
  expect(work(1000).at(-1)).toBe(1);
  expect(idle(250).at(-1)).toBe(0);
});

test('p rises with the load until nothing is probable enough', () => {
  expect(thresholdUnderLoad(0.5, calm)).toBe(0.5);
  expect(thresholdUnderLoad(0.5, 1)).toBe(1);
  const between = thresholdUnderLoad(0.5, overload);
  expect(between > 0.5 && between < 1).toBe(true);
});
