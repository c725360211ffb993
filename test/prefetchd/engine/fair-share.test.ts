import { describe, expect, test } from 'vitest';
import { FairShare, type FairShareOptions } from '../../../prefetchd/engine/fair-share.ts';

const t0 = Date.UTC(2026, 0, 1, 12);
const hourMs = 3_600_000;

/** With k = 1, unless it says otherwise: nobody else has to ask in between. */
function fairShare(options: Partial<FairShareOptions>): FairShare {
  const base = { maxRepeatsPerHour: 255, maxAccessesPerHour: 1_000_000 };
  return new FairShare({ ...base, minClients: 1, ...options });
}

/** @param url stands for its hash and its id */
function judge(fair: FairShare, address: string, url: number, timeMs: number) {
  return fair.judge(address, Math.imul(url, 0x9e3779b1) >>> 0, url, timeMs);
}

test('a URL of one address counts so often an hour, for other addresses and URLs nothing changes', () => {
  const fair = fairShare({ maxRepeatsPerHour: 3, maxAccessesPerHour: 1000 });
  const verdicts = Array.from({ length: 5 }, (_, n) => judge(fair, 'a', 1, t0 + n));
  expect(verdicts).toEqual([null, null, null, 'repeat', 'repeat']);
  expect(judge(fair, 'a', 2, t0)).toBeNull();
  expect(judge(fair, 'b', 1, t0)).toBeNull();
});

test('after an hour it counts again', () => {
  const fair = fairShare({ maxRepeatsPerHour: 1, maxAccessesPerHour: 1000 });
  expect(judge(fair, 'a', 1, t0)).toBeNull();
  expect(judge(fair, 'a', 1, t0 + hourMs - 1000)).toBe('repeat');
  expect(judge(fair, 'a', 1, t0 + hourMs)).toBeNull();
});

test('asking for much else in between makes no URL count more often', () => {
  const fair = fairShare({ maxRepeatsPerHour: 2, maxAccessesPerHour: 1_000_000 });
  let counted = 0;
  for (let n = 0; n < 10_000; n++) {
    if (n % 50 === 0 && judge(fair, 'a', 1, t0) === null) counted++;
    judge(fair, 'a', 1000 + n, t0);
  }
  expect(counted).toBe(2);
});

test("a hundred thousand addresses hardly ever stand in each other's way", () => {
  const fair = fairShare({ maxRepeatsPerHour: 4, maxAccessesPerHour: 100 });
  let refused = 0;
  for (let n = 0; n < 100_000; n++) if (judge(fair, `address ${n}`, n % 50, t0) !== null) refused++;
  expect(refused).toBe(0);
});

test('so many accesses an hour are learned, whatever their URLs', () => {
  const fair = fairShare({ maxRepeatsPerHour: 8, maxAccessesPerHour: 10 });
  const verdicts = Array.from({ length: 12 }, (_, n) => judge(fair, 'a', n, t0));
  expect(verdicts.filter((verdict) => verdict === 'flood')).toHaveLength(2);
  expect(judge(fair, 'b', 0, t0)).toBeNull();
  expect(judge(fair, 'a', 99, t0 + hourMs)).toBeNull();
});

test('an access that comes late, from the hour before, does not begin the hour anew', () => {
  const fair = fairShare({ maxRepeatsPerHour: 1, maxAccessesPerHour: 100 });
  expect(judge(fair, 'a', 1, t0)).toBeNull();
  expect(judge(fair, 'b', 1, t0 - 1000)).toBeNull();
  expect(judge(fair, 'a', 1, t0)).toBe('repeat');
});

test.each([86_400_000, -86_400_000])('a clock that jumps by %i ms locks nobody out', (jumpMs) => {
  const fair = fairShare({ maxRepeatsPerHour: 1, maxAccessesPerHour: 2 });
  judge(fair, 'a', 1, t0);
  judge(fair, 'a', 1, t0);
  expect(judge(fair, 'a', 1, t0)).toBe('flood');
  expect(judge(fair, 'a', 1, t0 + jumpMs)).toBeNull();
});

describe('where a hint takes several clients', () => {
  test('a URL counts twice in a row for one address, and again after somebody else', () => {
    const fair = fairShare({ minClients: 3 });
    const asks = (address: string) => judge(fair, address, 1, t0) === null;
    expect(['a', 'a', 'a', 'b', 'a', 'a', 'a'].map(asks)).toEqual([
      ...[true, true, false],
      true,
      ...[true, true, false],
    ]);
  });

  test('no hour and no other URL ends the row, one that is not known yet has none', () => {
    const fair = fairShare({ minClients: 3 });
    let counted = 0;
    for (let hour = 0; hour < 48; hour++) {
      for (let url = 0; url < 1000; url++) {
        if (judge(fair, 'a', url, t0 + hour * hourMs) === null) counted++;
        if (fair.judge('a', hour * 1000 + url, -1, t0 + hour * hourMs) === null) counted++;
      }
    }
    expect(counted).toBe(2 * 1000 + 48 * 1000);
  });

  test('pseudonyms that change end it', () => {
    const fair = fairShare({ minClients: 3 });
    const asks = () => judge(fair, 'a', 1, t0) === null;
    expect([asks(), asks(), asks()]).toEqual([true, true, false]);
    fair.clear();
    expect(asks()).toBe(true);
  });
});
