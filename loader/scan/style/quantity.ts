// Computes the numbers, lengths, resolutions and ratios of media queries, sizes and image-set(), with calc(), min(),
// max() and clamp() (CSS Values 4, 6 and 10). Font-relative units refer to the initial font.

import { type CssNode, childrenOf, nameOf, splitAtCommas } from './css-tree.ts';
import type { Screen } from './environment.ts';

/** A length in CSS pixels, a resolution in device pixels per CSS pixel, or a plain number. */
export interface Quantity {
  readonly type: 'number' | 'length' | 'resolution';
  readonly value: number;
}

const functions = new Map<string, (values: readonly number[]) => number>([
  ['calc', ([value = 0]) => value],
  ['-webkit-calc', ([value = 0]) => value],
  ['min', (values) => values.reduce((a, b) => Math.min(a, b))],
  ['max', (values) => values.reduce((a, b) => Math.max(a, b))],
  ['clamp', ([low = 0, middle = 0, high = 0]) => Math.max(low, Math.min(middle, high))],
]);

export const isMathFunction = ({ type, name }: CssNode): boolean =>
  type === 'Function' && functions.has(nameOf(name));

/** Computes the quantity that a CSS node stands for. @returns null if it is no quantity, or its unit is unknown */
export function quantityOf(node: CssNode, screen: Screen): Quantity | null {
  if (node.type === 'Number') return { type: 'number', value: Number(node.value) };
  if (node.type === 'Dimension') return measured(Number(node.value), nameOf(node.unit), screen);
  if (node.type === 'Parentheses') return computed(childrenOf(node), screen);
  if (node.type === 'Ratio') {
    const over = quantityOf(node.left, screen);
    return node.right === null ? over : combined(over, '/', quantityOf(node.right, screen));
  }
  const parts = splitAtCommas(childrenOf(node)).map((part) => computed(part, screen));
  const compute = node.type === 'Function' ? functions.get(nameOf(node.name)) : undefined;
  const [first] = parts;
  if (!first || !parts.every((part) => part?.type === first.type)) return null;
  return compute ? { ...first, value: compute(parts.map((part) => part?.value ?? 0)) } : null;
}

/** Font size that em and rem refer to in media queries and sizes (Media Queries 4, 1.3), CSS pixels. */
const em = 16;
/** Units by the type of their quantity. ex and ch are half an em, since the font is unknown (CSS Values 4, 6.1.2). */
const fixed: ReadonlyArray<readonly [Quantity['type'], Readonly<Record<string, number>>]> = [
  ['resolution', { dppx: 1, x: 1, dpi: 1 / 96, dpcm: 2.54 / 96 }],
  ['length', { px: 1, em, rem: em, ex: em / 2, ch: em / 2, in: 96, cm: 96 / 2.54, mm: 96 / 25.4 }],
  ['length', { q: 96 / 101.6, pt: 96 / 72, pc: 16 }],
];

function measured(value: number, unit: string, { width, height }: Screen): Quantity | null {
  const ofBoth = { min: Math.min(width, height), max: Math.max(width, height) };
  const sides: Record<string, number> = { w: width, i: width, h: height, b: height, ...ofBoth };
  // The small, large and dynamic viewports have the same size here.
  const side = sides[/^[sld]?v(\w+)$/.exec(unit)?.[1] ?? ''];
  if (side !== undefined) return { type: 'length', value: (value * side) / 100 };
  const [type, units] = fixed.find((each) => Object.hasOwn(each[1], unit)) ?? [];
  return type && units ? { type, value: value * (units[unit] ?? 0) } : null;
}

/** Limit on the values and operators in one bracket of a calculation such as `calc()`. */
const mostTerms = 1000;

/** Computes a sum or a product of quantities. @returns null if it is invalid */
function computed(nodes: readonly CssNode[], screen: Screen): Quantity | null {
  if (nodes.length > mostTerms) return null;
  for (const operators of ['+-', '*/']) {
    // Of operators of equal rank, the last is applied last, so the value is split there.
    const at = nodes.findLastIndex(
      ({ type, value }) => type === 'Operator' && operators.includes(value.trim()),
    );
    if (at === -1) continue;
    const left = computed(nodes.slice(0, at), screen);
    return combined(left, nodes[at]?.value.trim(), computed(nodes.slice(at + 1), screen));
  }
  const [only] = nodes;
  return only === undefined || nodes.length > 1 ? null : quantityOf(only, screen);
}

function combined(left: Quantity | null, operator = '', right: Quantity | null): Quantity | null {
  if (left === null || right === null) return null;
  const [a, b, isAlike] = [left.value, right.value, left.type === right.type];
  if (operator === '*' && left.type === 'number') return { ...right, value: a * b };
  if (right.type === 'number' && operator === '*') return { ...left, value: a * b };
  if (right.type === 'number' && operator === '/') return { ...left, value: a / b };
  if (operator === '/') return isAlike ? { type: 'number', value: a / b } : null;
  return isAlike ? { ...left, value: operator === '+' ? a + b : a - b } : null;
}
