// Conditions with `not`, `and` and `or`, as media queries and @supports have them (Media Queries 5, 3; CSS Conditional
// 4, 2). What cannot be evaluated is unknown, and so is its negation.

import { type CssNode, childrenOf, wordOf } from './css-tree.ts';

/** true, false, or null for unknown (three-valued logic). */
export type Truth = boolean | null;

export const not = (truth: Truth): Truth => (truth === null ? null : !truth);

export function every(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

/**
 * Evaluates a node of type `Condition`; an invalid one is unknown.
 * @param truthOf Evaluates an operand, which may be a condition itself; a misplaced word is unknown
 */
export function conditionOf(condition: CssNode, truthOf: (operand: CssNode) => Truth): Truth {
  const nodes = childrenOf(condition);
  const [first, second] = nodes;
  if (wordOf(first) === 'not') return nodes.length === 2 && second ? not(truthOf(second)) : null;
  if (nodes.length % 2 === 0) return null;
  const truths = nodes.filter((_, index) => index % 2 === 0).map(truthOf);
  const joints = nodes.filter((_, index) => index % 2 === 1).map(wordOf);
  if (joints.every((each) => each === 'and')) return every(truths);
  return joints.every((each) => each === 'or') ? not(every(truths.map(not))) : null;
}
