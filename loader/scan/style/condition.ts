// Conditions with `not`, `and` and `or`, as media queries and @supports have them (Media Queries 5, 3; CSS Conditional
// 4, 2). Their truth is 1, or 0 for false; what cannot be evaluated is unknown, and so is its negation.

import { type CssNode, childrenOf, wordOf } from './css-tree.ts';

export const unknown = 0.5;

/**
 * Evaluates a node of type `Condition`; returns `unknown` for an invalid one.
 * @param truthOf Evaluates an operand, which may be a condition itself; returns `unknown` for a word in a wrong place
 */
export function truthOfCondition(
  condition: CssNode,
  truthOf: (operand: CssNode) => number,
): number {
  const nodes = childrenOf(condition);
  const [first, second] = nodes;
  if (wordOf(first) === 'not') return nodes.length === 2 && second ? 1 - truthOf(second) : unknown;
  const truths = nodes.filter((_, index) => index % 2 === 0).map(truthOf);
  const joints = nodes.filter((_, index) => index % 2 === 1).map(wordOf);
  if (joints.length === truths.length) return unknown;
  if (joints.every((each) => each === 'and')) return truths.reduce((a, b) => Math.min(a, b));
  return joints.every((each) => each === 'or') ? truths.reduce((a, b) => Math.max(a, b)) : unknown;
}
