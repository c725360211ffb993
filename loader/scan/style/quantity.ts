// Computes the numbers, lengths, resolutions and ratios of media queries, sizes and image-set(), with calc(), min(),
// max() and clamp() (CSS Values 4, 6 and 10). Font-relative units refer to the initial font.

import { type CssNode, childrenOf, nameOf, splitAtCommas } from './css-tree.ts';
import { initialFontPx, type Screen } from './environment.ts';

/** A length in CSS pixels, a resolution in device pixels per CSS pixel, or a plain number. */
export interface Quantity {
  readonly type: 'number' | 'length' | 'resolution';
  readonly value: number;
}

export const isMathFunction = ({ type, name }: CssNode): boolean =>
  type === 'Function' && /^(?:calc|min|max|clamp|-webkit-calc)$/i.test(name);

/** Computes the quantity of a node. @returns null if the node is no quantity, or its unit is unknown */
export function quantityOf(node: CssNode, screen: Screen): Quantity | null {
  if (node.type === 'Number') return { type: 'number', value: Number(node.value) };
  if (node.type === 'Dimension') return measured(Number(node.value), nameOf(node.unit), screen);
  if (node.type === 'Parentheses') return computed(childrenOf(node), screen);
  if (node.type === 'Ratio') {
    const { left, right } = node as unknown as { left: CssNode; right: CssNode | null };
    const [over, under] = [left, right].map((each) => each && quantityOf(each, screen));
    return right === null ? (over ?? null) : combined(over, '/', under);
  }
  return isMathFunction(node) ? called(node, screen) : null;
}

const perInch = 96;
const pxPer: Readonly<Record<string, number>> = {
  px: 1,
  in: perInch,
  cm: perInch / 2.54,
  mm: perInch / 25.4,
  q: perInch / 101.6,
  pt: perInch / 72,
  pc: perInch / 6,
  em: initialFontPx,
  rem: initialFontPx,
  // These units are half an em where the font is not known (CSS Values 4, 6.1.2).
  ex: initialFontPx / 2,
  ch: initialFontPx / 2,
};
const dppxPer: Readonly<Record<string, number>> = {
  dppx: 1,
  x: 1,
  dpi: 1 / perInch,
  dpcm: 2.54 / perInch,
};

function measured(value: number, unit: string, { width, height }: Screen): Quantity | null {
  const sides = { w: width, i: width, h: height, b: height };
  const [smaller, larger] = [Math.min(width, height), Math.max(width, height)];
  // The small, large and dynamic viewports have the same size here.
  const [, of] = /^[sld]?v(min|max|[wihb])$/.exec(unit) ?? [];
  const side = { ...sides, min: smaller, max: larger }[of ?? ''];
  const px = side === undefined ? pxPer[unit] : side / 100;
  if (px !== undefined) return { type: 'length', value: value * px };
  const dppx = dppxPer[unit];
  return dppx === undefined ? null : { type: 'resolution', value: value * dppx };
}

function called(node: CssNode, screen: Screen): Quantity | null {
  const parts = splitAtCommas(childrenOf(node)).map((part) => computed(part, screen));
  const type = parts[0]?.type;
  const numbers = parts.filter((part) => part?.type === type).map((part) => part?.value ?? 0);
  if (type === undefined || numbers.length < parts.length) return null;
  const [low = 0, middle = 0, high = 0] = numbers;
  switch (node.name.toLowerCase()) {
    case 'min':
      return { type, value: Math.min(...numbers) };
    case 'max':
      return { type, value: Math.max(...numbers) };
    case 'clamp':
      if (numbers.length !== 3) return null;
      return { type, value: Math.max(low, Math.min(middle, high)) };
    default:
      return numbers.length === 1 ? { type, value: low } : null;
  }
}

/** Computes a sum or a product of quantities. @returns null if it is invalid */
function computed(nodes: readonly CssNode[], screen: Screen): Quantity | null {
  for (const operators of ['+-', '*/']) {
    // Of operators of equal rank, the last is applied last, so the value is split there.
    const at = nodes.findLastIndex(
      ({ type, value }) => type === 'Operator' && operators.includes(value.trim()),
    );
    if (at === -1) continue;
    const left = computed(nodes.slice(0, at), screen);
    const right = computed(nodes.slice(at + 1), screen);
    return combined(left, nodes[at]?.value.trim(), right);
  }
  const [only, ...others] = nodes;
  return only === undefined || others.length > 0 ? null : quantityOf(only, screen);
}

function combined(
  left: Quantity | null | undefined,
  operator: string | undefined,
  right: Quantity | null | undefined,
): Quantity | null {
  if (!left || !right) return null;
  const [a, b] = [left.value, right.value];
  const [isPlain, isAlike] = [right.type === 'number', left.type === right.type];
  if (operator === '*' && isPlain) return { type: left.type, value: a * b };
  if (operator === '*') return left.type === 'number' ? { type: right.type, value: a * b } : null;
  if (operator === '/' && isAlike) return { type: 'number', value: a / b };
  if (operator === '/') return isPlain ? { type: left.type, value: a / b } : null;
  return isAlike ? { type: left.type, value: operator === '+' ? a + b : a - b } : null;
}
