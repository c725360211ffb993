import { expect, test } from 'vitest';
import { FairShare } from '../../prefetchd/fair-share.ts';

const t0 = Date.UTC(2026, 0, 1, 12);
const hourMs = 3_600_000;

test('a URL of one party counts so often an hour, for other parties and URLs nothing changes', () => {
  const fair = new FairShare({ maxRepeatsPerHour: 3, maxAccessesPerHour: 1000 });
  const verdicts = Array.from({ length: 5 }, (_, n) => fair.judge('a', 1, t0 + n));
  expect(verdicts).toEqual([null, null, null, 'repeat', 'repeat']);
  expect(fair.judge('a', 2, t0)).toBeNull();
  expect(fair.judge('b', 1, t0)).toBeNull();
});

test('after an hour it counts again', () => {
  const fair = new FairShare({ maxRepeatsPerHour: 1, maxAccessesPerHour: 1000 });
  expect(fair.judge('a', 1, t0)).toBeNull();
  expect(fair.judge('a', 1, t0 + hourMs - 1000)).toBe('repeat');
  expect(fair.judge('a', 1, t0 + hourMs)).toBeNull();
});

test('asking for much else in between makes no URL count more often', () => {
  const fair = new FairShare({ maxRepeatsPerHour: 2, maxAccessesPerHour: 1_000_000 });
  let counted = 0;
  for (let n = 0; n < 10_000; n++) {
    if (n % 50 === 0 && fair.judge('a', 1, t0) === null) counted++;
    fair.judge('a', 1000 + n, t0);
  }
  expect(counted).toBe(2);
});

test("a hundred thousand parties hardly ever stand in each other's way", () => {
  const fair = new FairShare({ maxRepeatsPerHour: 4, maxAccessesPerHour: 100 });
  let refused = 0;
  for (let n = 0; n < 100_000; n++) if (fair.judge(`party ${n}`, n % 50, t0) !== null) refused++;
  expect(refused).toBe(0);
});

test('so many accesses an hour are learned, whatever their URLs', () => {
  const fair = new FairShare({ maxRepeatsPerHour: 8, maxAccessesPerHour: 10 });
  const verdicts = Array.from({ length: 12 }, (_, n) => fair.judge('a', n, t0));
  expect(verdicts.filter((verdict) => verdict === 'flood')).toHaveLength(2);
  expect(fair.judge('b', 0, t0)).toBeNull();
  expect(fair.judge('a', 99, t0 + hourMs)).toBeNull();
});

test('an access that comes late, from the hour before, does not begin the hour anew', () => {
  const fair = new FairShare({ maxRepeatsPerHour: 1, maxAccessesPerHour: 100 });
  expect(fair.judge('a', 1, t0)).toBeNull();
  expect(fair.judge('b', 1, t0 - 1000)).toBeNull();
  expect(fair.judge('a', 1, t0)).toBe('repeat');
});

test.each([86_400_000, -86_400_000])('a clock that jumps by %i ms locks nobody out', (jumpMs) => {
  const fair = new FairShare({ maxRepeatsPerHour: 1, maxAccessesPerHour: 2 });
  fair.judge('a', 1, t0);
  fair.judge('a', 1, t0);
  expect(fair.judge('a', 1, t0)).toBe('flood');
  expect(fair.judge('a', 1, t0 + jumpMs)).toBeNull();
});
