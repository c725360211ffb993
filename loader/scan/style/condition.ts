// Conditions with `not`, `and` and `or`, as media queries and @supports have them (Media Queries 5, 3; CSS Conditional 4,
// 2). What cannot be evaluated is unknown, and so is its contrary.

import { type Value, wordOf } from './component-values.ts';

/** true, false, or null for unknown (three-valued logic). */
export type Truth = boolean | null;

export const not = (truth: Truth): Truth => (truth === null ? null : !truth);

export function every(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

/**
 * Evaluates a condition; an invalid one is unknown.
 * @param test Evaluates what stands in parentheses, or a function; undefined: it is a condition itself
 */
export function conditionOf(
  values: readonly Value[],
  test: (operand: Value) => Truth | undefined,
): Truth {
  const truthOf = (operand: Value | undefined): Truth => {
    if (operand?.type !== 'block' && operand?.type !== 'function') return null;
    const truth = test(operand);
    return truth === undefined ? conditionOf(operand.content, test) : truth;
  };
  const [first, second] = values;
  if (wordOf(first) === 'not') return values.length === 2 ? not(truthOf(second)) : null;
  const operands = values.filter((_, index) => index % 2 === 0);
  const joints = values.filter((_, index) => index % 2 === 1).map(wordOf);
  if (operands.length === joints.length) return null;
  const truths = operands.map(truthOf);
  if (joints.every((each) => each === 'and')) return every(truths);
  return joints.every((each) => each === 'or') ? not(every(truths.map(not))) : null;
}
