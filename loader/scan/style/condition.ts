// Conditions with `not`, `and` and `or`, as media queries and @supports have them (Media Queries 5, 3; CSS Conditional
// 4, 2), and those of @supports. Their truth is 1, or 0 for false; what cannot be evaluated is unknown, and so is its
// negation.

import { createRequire } from 'node:module';
import { type CssNode, childrenOf, nameOf, parsed, wordOf } from './css-tree.ts';

export const unknown = 0.5;

/** Evaluates a condition. @param ofOperand Evaluates an operand; returns `unknown` for a word in a wrong place */
export function truthOf(node: CssNode, ofOperand: (operand: CssNode) => number): number {
  if (node.type !== 'Condition') return ofOperand(node);
  const nodes = childrenOf(node);
  const [first, second] = nodes;
  const isNegated = wordOf(first) === 'not' && nodes.length === 2;
  if (isNegated && second) return 1 - truthOf(second, ofOperand);
  const isJoint = (at: number) => at % 2 === 1;
  const joints = nodes.filter((_, at) => isJoint(at)).map(wordOf);
  const truths = nodes.filter((_, at) => !isJoint(at)).map((each) => truthOf(each, ofOperand));
  if (joints.length === truths.length) return unknown;
  if (joints.every((each) => each === 'and')) return truths.reduce((a, b) => Math.min(a, b));
  return joints.every((each) => each === 'or') ? truths.reduce((a, b) => Math.max(a, b)) : unknown;
}

/** Properties that MDN's data (css-tree has them) list, and Chromium 156 does not support, by which sheets tell browsers apart. */
const notChromium = new RegExp(
  '^(?:-webkit-(?:backdrop-filter|hyphens|initial-letter|overflow-scrolling|touch-callout)|font-smooth|' +
    'hanging-punctuation|initial-letter-align|line-clamp|margin-trim|masonry-auto-flow|text-decoration-skip)$',
);
let known: object | null = null;

/** Whether the condition of @supports holds. A property is supported if MDN's data have it, or if it has WebKit's prefix.
 *  The value is ignored, since a page that tests a value wants to use it. */
export function isSupported(condition: string): boolean {
  const whole = parsed(condition, { context: 'condition', kind: 'supports' });
  return whole !== null && truthOf(whole, ofSupport) === 1;
}

function ofSupport(node: CssNode): number {
  const isOfOthers = /(?<![-\w])-(?:moz|ms|o|khtml)-/i.test(JSON.stringify(node));
  if (node.type === 'FeatureFunction') return Number(!isOfOthers);
  if (node.type !== 'SupportsDeclaration') return unknown;
  const name = nameOf(node.declaration.property);
  if (notChromium.test(name) || isOfOthers) return 0;
  known ??= createRequire(import.meta.url)('mdn-data/css/properties.json') as object;
  return Number(/^--|^-webkit-/.test(name) || Object.hasOwn(known, name));
}
