// How long the visitor of `loadahead browse` stays on a page, by --think.

import { expect, test } from 'vitest';
import { thinkTime } from '../../../cli/loadahead/browse-pages.ts';

test.each<[think: string, told: number | null, thinkMs: number]>([
  ['recorded', 30, 30],
  ['recorded', 0, 0],
  ['recorded', null, 1_000],
  ['none', null, 0],
  ['40', 30, 40],
  ['2.5s', null, 2_500],
  ['x0.5', 30, 15],
  ['x.5', null, 500],
])('--think %s where %s ms are told: %d ms', (think, told, thinkMs) => {
  expect(thinkTime(think)(told)).toBe(thinkMs);
});
