// The time that lines are held for follows the load (Hauck 1994, 4).

import { expect, it } from 'vitest';
import { HoldTime } from '../../../server/hold-line/hold-line.ts';

const options = { maxSeconds: 20, minSeconds: 2, threshold: 10, minimum: 5, most: 20 };
const held = (lines: number, oldestSeconds = 0) => ({ held: lines, oldestSeconds });

it('is decreased above the threshold, down to the shortest, and increased below the minimum', () => {
  const time = new HoldTime(options);
  const loaded = Array.from({ length: 100 }, () => time.grant(held(11), null));
  expect(loaded.slice(0, 3)).toEqual([18, 16, 14]);
  expect(loaded.at(-1)).toBe(2);
  for (let grants = 0; grants < 10; grants++) expect(time.grant(held(7), null)).toBe(2);
  const quiet = Array.from({ length: 100 }, () => time.grant(held(4), null));
  expect(quiet.at(-1)).toBe(20);
  expect(quiet).toEqual(quiet.toSorted((a, b) => (a ?? 0) - (b ?? 0)));
});

it('is not granted when too many are held', () => {
  const time = new HoldTime(options);
  expect([
    time.grant(held(19), null),
    time.grant(held(20), null),
    time.grant(held(2_000), null),
  ]).toEqual([expect.any(Number), null, null]);
});
