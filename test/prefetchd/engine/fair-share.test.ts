// How often one address counts: so many times a day for a page, and for so many accesses in all.

import { expect, test } from 'vitest';
import { FairShare } from '../../../prefetchd/engine/fair-share.ts';

const t0 = Date.UTC(2026, 0, 1, 12);
const dayMs = 24 * 3_600_000;

const fairShare = (maxRepeatsPerDay: number, maxAccessesPerDay = 1000) =>
  new FairShare({ maxRepeatsPerDay, maxAccessesPerDay });

const dayLater = `@${dayMs}`;

/** Accesses as `address/page@ms verdict`: an object has no page, one at `t0` no time, one that counts no verdict. */
test.each([
  [
    'a page of one address counts so often a day; for other addresses and pages nothing changes',
    fairShare(2),
    'a/1, a/1@1, a/1@2 repeat, a/2, b/1',
  ],
  ['after a day it counts again', fairShare(1), `a/1, a/1@${dayMs - 1000} repeat, a/1${dayLater}`],
  [
    'so many accesses a day are learned, whatever their URLs; objects count as accesses alone',
    fairShare(1, 5),
    `${'a/, '.repeat(5)}a/ flood, a/ flood, b/0, a/9${dayLater}`,
  ],
  [
    'an access that comes late, from before the first, does not begin the day anew',
    fairShare(1),
    'a/1, b/1@-1000, a/1 repeat',
  ],
  ['a clock that jumps a day locks nobody out', fairShare(1, 1), `a/1, a/1 flood, a/1${dayLater}`],
  ['nor one set back a day', fairShare(1, 1), `a/1, a/1 flood, a/1@-${dayMs}`],
])('%s', (_, fair, accesses) => {
  for (const access of accesses.split(', ')) {
    const [, address = '', page, afterMs = 0, verdict = null] =
      /^(\w+)\/(\d*)(?:@(-?\d+))?(?: (\w+))?$/.exec(access) ?? [];
    const judged = fair.judge(address, page === '' ? null : Number(page), t0 + Number(afterMs));
    expect([access, judged]).toEqual([access, verdict]);
  }
});

test('asking for much else in between makes no URL count more often', () => {
  const fair = fairShare(2, 1_000_000);
  let counted = 0;
  for (let n = 0; n < 10_000; n++) {
    if (n % 50 === 0 && fair.judge('a', 1, t0) === null) counted++;
    fair.judge('a', 1000 + n, t0);
  }
  expect(counted).toBe(2);
});

test('pseudonyms that change begin a new day', () => {
  const fair = fairShare(1);
  expect([1, 2].map(() => fair.judge('a', 1, t0))).toEqual([null, 'repeat']);
  fair.clear();
  expect(fair.judge('b', 1, t0)).toBeNull();
});
