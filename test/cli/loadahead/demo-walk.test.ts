// What the demo says of its walks: the first page does not count, and of several walks the median and how far they
// are apart.

import { expect, it } from 'vitest';
import { gainLines } from '../../../cli/loadahead/demo-walk.ts';
import type { WalkRecord } from '../../../loader/walk/walk-record.ts';

const walk = (...times: number[]) =>
  ({ pages: times.map((timeMs) => ({ load: { timeMs } })) }) as unknown as WalkRecord;

it('counts the pages after the first, as median, least and most', () => {
  const rounds = [
    { without: walk(1, 100, 100), with: walk(5000, 50, 50) },
    { without: walk(1, 150, 150), with: walk(5000, 60, 60) },
    { without: walk(1, 90, 110), with: walk(5000, 110, 100) },
  ];
  expect(gainLines(rounds)).toEqual([
    'time of the 2 pages after the first, 3 walks of each kind in turns:',
    'without  200 ms (median; 200 ms to 300 ms)',
    'with     120 ms (median; 100 ms to 210 ms)',
    'saved    50 % (median; -5 % to 60 %)',
  ]);
});
