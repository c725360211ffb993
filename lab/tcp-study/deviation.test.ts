// The deviation of a sample divides by one less than its size, and the interval shrinks with the root of the size.

import { expect, test } from 'vitest';
import { deviationOf } from './deviation.ts';

test('of eight known values', () => {
  const { mean, deviation, confidence } = deviationOf([2, 4, 4, 4, 5, 5, 7, 9]);
  expect(mean).toBe(5);
  expect(deviation).toBeCloseTo(2.138, 3);
  expect(confidence).toBeCloseTo(1.482, 3);
});
