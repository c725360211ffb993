// Computes the numbers, lengths, resolutions and ratios of media queries and sizes, with calc(), min(), max() and
// clamp() (CSS Values 4, 6 and 10). Font-relative units refer to the initial font.

import { splitAtCommas, type Value } from './component-values.ts';
import { initialFontPx, type Screen } from './environment.ts';

/** A length in CSS pixels, a resolution in device pixels per CSS pixel, or a plain number. */
export interface Quantity {
  type: 'number' | 'length' | 'resolution';
  value: number;
}

export const isMathFunction = ({ type, text }: Value): boolean =>
  type === 'function' && /^(?:calc|min|max|clamp|-webkit-calc)$/.test(text);

/** @returns null if the value is no quantity, or its unit is unknown */
export function quantityOf(value: Value, screen: Screen): Quantity | null {
  if (value.type === 'number') return quantityOfNumber(value.text, screen);
  return isMathFunction(value) ? called(value, screen) : null;
}

const perInch = 96;
const pxPer: Readonly<Record<string, number>> = {
  ...{ px: 1, in: perInch, cm: perInch / 2.54, mm: perInch / 25.4, q: perInch / 101.6 },
  ...{ pt: perInch / 72, pc: perInch / 6, em: initialFontPx, rem: initialFontPx },
  // These units are half an em where the font is not known (CSS Values 4, 6.1.2).
  ...{ ex: initialFontPx / 2, ch: initialFontPx / 2 },
};
const dppxPer: Readonly<Record<string, number>> = {
  ...{ dppx: 1, x: 1, dpi: 1 / perInch, dpcm: 2.54 / perInch },
};
const numberWithUnit = /^([-+.\d]+(?:e[-+]?\d+)?)([a-z]*)$/i;

function quantityOfNumber(text: string, screen: Screen): Quantity | null {
  const [, number, unit = ''] = numberWithUnit.exec(text.toLowerCase()) ?? [];
  const value = Number(number);
  if (number === undefined || unit === '') return number ? { type: 'number', value } : null;
  const px = pxPer[unit] ?? pxPerViewportUnit(unit, screen);
  if (px !== undefined) return { type: 'length', value: value * px };
  const dppx = dppxPer[unit];
  return dppx === undefined ? null : { type: 'resolution', value: value * dppx };
}

function pxPerViewportUnit(unit: string, { width, height }: Screen): number | undefined {
  // The small, large and dynamic viewports have the same size here.
  switch (unit.replace(/^[sld](?=v)/, '')) {
    case 'vw':
    case 'vi':
      return width / 100;
    case 'vh':
    case 'vb':
      return height / 100;
    case 'vmin':
      return Math.min(width, height) / 100;
    case 'vmax':
      return Math.max(width, height) / 100;
    default:
      return undefined;
  }
}

function called({ text: name, content }: Value, screen: Screen): Quantity | null {
  const parts = splitAtCommas(content).map((part) => computed(part, screen));
  const values = parts.filter((part) => part !== null);
  const [first] = values;
  if (first === undefined || values.length < parts.length) return null;
  const { type } = first;
  if (values.some((each) => each.type !== type)) return null;
  const numbers = values.map(({ value }) => value);
  if (name === 'min') return { type, value: Math.min(...numbers) };
  if (name === 'max') return { type, value: Math.max(...numbers) };
  if (name !== 'clamp') return numbers.length === 1 ? first : null;
  const [low = 0, middle = 0, high = 0] = numbers;
  return numbers.length === 3 ? { type, value: Math.max(low, Math.min(middle, high)) } : null;
}

/** Computes sums and products, such as the ratio 16/9. The operators + and - have white space around them. */
export function computed(values: readonly Value[], screen: Screen): Quantity | null {
  for (const operators of ['+-', '*/']) {
    // Of operators of one rank, the last is applied last.
    const at = values.findLastIndex(
      ({ type, text }) => type === 'mark' && operators.includes(text),
    );
    if (at === -1) continue;
    const left = computed(values.slice(0, at), screen);
    const right = computed(values.slice(at + 1), screen);
    return left && right && combined(left, values[at]?.text ?? '', right);
  }
  const [only, ...others] = values;
  if (only === undefined || others.length > 0) return null;
  const isGroup = only.type === 'block' && only.text === '(';
  return isGroup ? computed(only.content, screen) : quantityOf(only, screen);
}

function combined(left: Quantity, operator: string, right: Quantity): Quantity | null {
  const [a, b] = [left.value, right.value];
  if (operator === '*') {
    const type = left.type === 'number' ? right.type : left.type;
    return left.type === 'number' || right.type === 'number' ? { type, value: a * b } : null;
  }
  if (operator === '/') {
    if (left.type === right.type) return { type: 'number', value: a / b };
    return right.type === 'number' ? { type: left.type, value: a / b } : null;
  }
  return left.type === right.type
    ? { type: left.type, value: operator === '+' ? a + b : a - b }
    : null;
}
