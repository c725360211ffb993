// Against the tables (NIST/SEMATECH e-Handbook 1.3.6.7.2).

import { expect, it } from 'vitest';
import { studentsT } from '../../../prefetchd/holdback/students-t.ts';

it.each([
  [5, 2.571],
  [10, 2.228],
  [30, 2.042],
  [100, 1.984],
  [199, 1.972],
])('with %d degrees of freedom it is %d', (freedom, t) => {
  expect(Math.abs(studentsT(freedom) - t)).toBeLessThan(0.004);
});
