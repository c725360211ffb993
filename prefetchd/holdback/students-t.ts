// Student's t distribution: the number of standard deviations that contain 95 % of it, two-sided.

/** The value for the normal distribution. */
const z = 1.959964;

/** @param freedom Degrees of freedom, from 5 on; the result is accurate to 0.004 (Abramowitz and Stegun 26.7.5) */
export function studentsT(freedom: number): number {
  const [z3, z5, z7] = [z ** 3, z ** 5, z ** 7];
  return (
    z +
    (z3 + z) / (4 * freedom) +
    (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom ** 2) +
    (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom ** 3)
  );
}
