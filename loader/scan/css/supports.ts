// @supports (CSS Conditional 4): a property is supported if MDN's data have it, or if it has WebKit's
// prefix. The value is ignored, since a page that tests a value wants to use it.

import { createRequire } from 'node:module';
import { truthOfCondition, unknown } from '../style/condition.ts';
import { type CssNode, nameOf, parsed, partsOf } from '../style/css-tree.ts';

/** Properties that MDN's data have, and Chromium 156 does not support, by which sheets tell browsers apart. */
const notChromium = new RegExp(
  '^(?:-webkit-(?:backdrop-filter|hyphens|initial-letter|overflow-scrolling|touch-callout)|font-smooth|' +
    'hanging-punctuation|initial-letter-align|line-clamp|margin-trim|masonry-auto-flow|text-decoration-skip)$',
);
let known: object | null = null;

export function isSupported(condition: string): boolean {
  const whole = parsed(partsOf(condition), { context: 'condition', kind: 'supports' });
  return whole !== null && truthOf(whole) === 1;
}

function truthOf(node: CssNode): number {
  if (node.type === 'Condition') return truthOfCondition(node, truthOf);
  if (node.type === 'FeatureFunction') return Number(!isOfOthers(node));
  if (node.type !== 'SupportsDeclaration') return unknown;
  const name = nameOf(node.declaration.property);
  if (notChromium.test(name) || isOfOthers(node)) return 0;
  known ??= createRequire(import.meta.url)('mdn-data/css/properties.json') as object;
  return Number(/^--|^-webkit-/.test(name) || Object.hasOwn(known, name));
}

/** Whether there is another browser's prefix in a part of the syntax tree. */
const isOfOthers = (node: CssNode): boolean =>
  /(?<![-\w])-(?:moz|ms|o|khtml)-/i.test(JSON.stringify(node));
