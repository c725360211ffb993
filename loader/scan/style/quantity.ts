// Computes the numbers, lengths, resolutions and ratios of media queries, sizes and image-set(), with calc(), min(),
// max() and clamp() (CSS Values 4, 6 and 10). Font-relative units refer to the initial font. Which kind of unit stands
// where is not checked.

import { type CssNode, childrenOf, nameOf, splitAtCommas } from './css-tree.ts';
import type { Screen } from './environment.ts';

const functions = new Map<string, (...values: number[]) => number>([
  ['calc', (value = Number.NaN) => value],
  ['-webkit-calc', (value = Number.NaN) => value],
  ['min', Math.min],
  ['max', Math.max],
  ['clamp', (low = 0, middle = 0, high = 0) => Math.max(low, Math.min(middle, high))],
]);

export const isMathFunction = ({ type, name }: CssNode): boolean =>
  type === 'Function' && functions.has(nameOf(name));

/** Whether a value has no unit, which only a length of 0 may. */
export const isBare = ({ type, value }: CssNode): boolean =>
  type === 'Number' && Number(value) !== 0;

/** Limit on the values and operators in one bracket of a calculation such as `calc()`. */
const mostTerms = 1000;

/** Computes a value in CSS pixels, device pixels per CSS pixel or without a unit. @returns NaN if it is none of them */
export function quantityOf(node: CssNode, screen: Screen): number {
  const { type, value, left, right } = node;
  if (type === 'Number') return Number(value);
  if (type === 'Dimension') return Number(value) * unitOf(nameOf(node.unit), screen);
  if (type === 'Ratio') return quantityOf(left, screen) / (right ? quantityOf(right, screen) : 1);
  const isBracket = type === 'Parentheses';
  if (!isBracket && !isMathFunction(node)) return Number.NaN;
  const nodes = childrenOf(node);
  const compute = functions.get(isBracket ? 'calc' : nameOf(node.name));
  if (compute === undefined || nodes.length > mostTerms) return Number.NaN;
  return compute(...splitAtCommas(nodes).map((part) => computed(part, screen)));
}

/** Font size that em and rem refer to in media queries and sizes (Media Queries 4, 1.3), CSS pixels. */
const em = 16;
/** ex and ch are half an em, since the font is unknown (CSS Values 4, 6.1.2). */
const units = new Map(
  Object.entries({
    ...{ px: 1, in: 96, cm: 96 / 2.54, mm: 96 / 25.4, q: 96 / 101.6, pt: 96 / 72, pc: 16 },
    ...{ em, rem: em, ex: em / 2, ch: em / 2, dppx: 1, x: 1, dpi: 1 / 96, dpcm: 2.54 / 96 },
  }),
);

function unitOf(unit: string, { width, height }: Screen): number {
  // The small, large and dynamic viewports have the same size here.
  const [, side] = /^[sld]?v(w|i|h|b|min|max)$/.exec(unit) ?? [];
  if (side === undefined) return units.get(unit) ?? Number.NaN;
  if (side.startsWith('m')) return Math[side as 'min' | 'max'](width, height) / 100;
  return (/[wi]/.test(side) ? width : height) / 100;
}

/** Computes a sum or a product of at most `mostTerms` values and operators. */
function computed(nodes: readonly CssNode[], screen: Screen): number {
  for (const operators of ['+-', '*/']) {
    // Of operators of equal rank, the last is applied last, so the value is split there.
    const at = nodes.findLastIndex(
      ({ type, value }) => type === 'Operator' && operators.includes(value.trim()),
    );
    if (at === -1) continue;
    const [left, right] = [nodes.slice(0, at), nodes.slice(at + 1)];
    const [a, b] = [computed(left, screen), computed(right, screen)];
    return { '+': a + b, '-': a - b, '*': a * b }[nodes[at]?.value.trim() ?? ''] ?? a / b;
  }
  const [only] = nodes;
  return only === undefined || nodes.length > 1 ? Number.NaN : quantityOf(only, screen);
}
