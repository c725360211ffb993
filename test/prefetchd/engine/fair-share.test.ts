import { expect, test } from 'vitest';
import { FairShare, type FairShareOptions } from '../../../prefetchd/engine/fair-share.ts';

const t0 = Date.UTC(2026, 0, 1, 12);
const dayMs = 24 * 3_600_000;

function fairShare(options: Partial<FairShareOptions>): FairShare {
  const base = { maxRepeatsPerDay: 255, maxAccessesPerDay: 1_000_000 };
  return new FairShare({ ...base, ...options });
}

const judge = (fair: FairShare, address: string, page: number, timeMs: number) =>
  fair.judge(address, page, timeMs);

test('a page of one address counts so often a day, for other addresses and URLs nothing changes', () => {
  const fair = fairShare({ maxRepeatsPerDay: 3, maxAccessesPerDay: 1000 });
  const verdicts = Array.from({ length: 5 }, (_, n) => judge(fair, 'a', 1, t0 + n));
  expect(verdicts).toEqual([null, null, null, 'repeat', 'repeat']);
  expect(judge(fair, 'a', 2, t0)).toBeNull();
  expect(judge(fair, 'b', 1, t0)).toBeNull();
});

test('after a day it counts again', () => {
  const fair = fairShare({ maxRepeatsPerDay: 1, maxAccessesPerDay: 1000 });
  expect(judge(fair, 'a', 1, t0)).toBeNull();
  expect(judge(fair, 'a', 1, t0 + dayMs - 1000)).toBe('repeat');
  expect(judge(fair, 'a', 1, t0 + dayMs)).toBeNull();
});

test('asking for much else in between makes no URL count more often', () => {
  const fair = fairShare({ maxRepeatsPerDay: 2, maxAccessesPerDay: 1_000_000 });
  let counted = 0;
  for (let n = 0; n < 10_000; n++) {
    if (n % 50 === 0 && judge(fair, 'a', 1, t0) === null) counted++;
    judge(fair, 'a', 1000 + n, t0);
  }
  expect(counted).toBe(2);
});

test('so many accesses a day are learned, whatever their URLs', () => {
  const fair = fairShare({ maxRepeatsPerDay: 8, maxAccessesPerDay: 10 });
  const verdicts = Array.from({ length: 12 }, (_, n) => judge(fair, 'a', n, t0));
  expect(verdicts.filter((verdict) => verdict === 'flood')).toHaveLength(2);
  expect(judge(fair, 'b', 0, t0)).toBeNull();
  expect(judge(fair, 'a', 99, t0 + dayMs)).toBeNull();
});

test('an access that comes late, from before the first, does not begin the day anew', () => {
  const fair = fairShare({ maxRepeatsPerDay: 1, maxAccessesPerDay: 100 });
  expect(judge(fair, 'a', 1, t0)).toBeNull();
  expect(judge(fair, 'b', 1, t0 - 1000)).toBeNull();
  expect(judge(fair, 'a', 1, t0)).toBe('repeat');
});

test.each([86_400_000, -86_400_000])('a clock that jumps by %i ms locks nobody out', (jumpMs) => {
  const fair = fairShare({ maxRepeatsPerDay: 1, maxAccessesPerDay: 2 });
  judge(fair, 'a', 1, t0);
  judge(fair, 'a', 1, t0);
  expect(judge(fair, 'a', 1, t0)).toBe('flood');
  expect(judge(fair, 'a', 1, t0 + jumpMs)).toBeNull();
});

test('objects count as accesses alone', () => {
  const fair = fairShare({ maxRepeatsPerDay: 1, maxAccessesPerDay: 5 });
  const verdicts = Array.from({ length: 6 }, () => fair.judge('a', null, t0));
  expect(verdicts).toEqual([null, null, null, null, null, 'flood']);
});

test('pseudonyms that change begin a new day', () => {
  const fair = fairShare({ maxRepeatsPerDay: 1 });
  expect([judge(fair, 'a', 1, t0), judge(fair, 'a', 1, t0)]).toEqual([null, 'repeat']);
  fair.clear();
  expect(judge(fair, 'b', 1, t0)).toBeNull();
});
