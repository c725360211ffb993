// Counts over time: what grew in each interval, in at most 60 of them.

import { expect, it } from 'vitest';
import { CountSeries, type CountTotals } from '../../../../prefetchd/engine/watch/count-series.ts';

const counts = (clicks: number): CountTotals => ({
  pages: { clicks, used: Math.floor(clicks / 2) },
});

it('each ten seconds are one point, and only what grew in them', () => {
  const series = new CountSeries(0, { pages: { clicks: 0, used: 0 } });
  series.tick(9_999, () => counts(1));
  series.tick(10_000, () => counts(4));
  series.tick(15_000, () => counts(5));
  series.tick(20_000, () => counts(10));
  expect(series.series()).toEqual({
    intervalMs: 10_000,
    toMs: 20_000,
    clicks: [4, 6],
    used: [2, 3],
  });
});

it('an hour and more is at most 60 points, whose sum is right', () => {
  const series = new CountSeries(0, { pages: { clicks: 0, used: 0 } });
  for (let n = 1; n <= 1000; n++) series.tick(n * 10_000, () => counts(n));
  const { clicks, intervalMs } = series.series();
  expect([clicks.length, intervalMs]).toEqual([60, 60_000]);
  expect(clicks).toEqual(new Array(60).fill(6));
});

it('a clock that goes back takes nothing away', () => {
  const series = new CountSeries(100_000, { pages: { clicks: 0, used: 0 } });
  series.tick(110_000, () => counts(5));
  series.tick(50_000, () => counts(7));
  series.tick(60_000, () => counts(9));
  expect(series.series().clicks).toEqual([5, 2, 2]);
});
