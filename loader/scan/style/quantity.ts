// Computes the numbers, lengths, resolutions and ratios of media queries and sizes, with calc(), min(), max() and
// clamp() (CSS Values 4, 6 and 10). Font-relative units refer to the initial font.

import {
  type ComponentValue,
  isFunctionNode,
  isSimpleBlockNode,
  isTokenNode,
  isWhiteSpaceOrCommentNode,
} from '@csstools/css-parser-algorithms';
import { type CSSToken, TokenType } from '@csstools/css-tokenizer';
import { initialFontPx, type Screen } from './environment.ts';

/** A length in CSS pixels, a resolution in device pixels per CSS pixel, or a plain number. */
export interface Quantity {
  type: 'number' | 'length' | 'resolution';
  value: number;
}

const mathFunctions = new Set(['calc', 'min', 'max', 'clamp', '-webkit-calc']);

export const isMathFunction = (name: string) => mathFunctions.has(name.toLowerCase());

/** @returns null if the value is no quantity, or its unit is unknown */
export function quantityOf(value: ComponentValue, screen: Screen, depth = 0): Quantity | null {
  if (isTokenNode(value)) return quantityOfToken(value.value, screen);
  if (isFunctionNode(value) && isMathFunction(value.getName())) {
    return called(
      value.getName().toLowerCase().replace('-webkit-', ''),
      value.value,
      screen,
      depth,
    );
  }
  const isGroup = isSimpleBlockNode(value) && value.startToken[0] === TokenType.OpenParen;
  return isGroup && depth > 0 ? sum(value.value, screen, depth) : null;
}

function quantityOfToken(token: CSSToken, screen: Screen): Quantity | null {
  if (token[0] === TokenType.Number) return { type: 'number', value: token[4].value };
  if (token[0] !== TokenType.Dimension) return null;
  const { value, unit } = token[4];
  const name = unit.toLowerCase();
  const px = pixelsPer(name, screen);
  if (px !== null) return { type: 'length', value: value * px };
  const dppx = dppxPer[name];
  return dppx === undefined ? null : { type: 'resolution', value: value * dppx };
}

const perInch = 96;
const absolute: Record<string, number> = {
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

const dppxPer: Record<string, number> = {
  dppx: 1,
  x: 1,
  dpi: 1 / perInch,
  dpcm: 2.54 / perInch,
};

function pixelsPer(unit: string, { width, height }: Screen): number | null {
  const known = absolute[unit];
  if (known !== undefined) return known;
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
      return null;
  }
}

function called(
  name: string,
  content: readonly ComponentValue[],
  screen: Screen,
  depth: number,
): Quantity | null {
  const parts = splitBy(content, TokenType.Comma).map((part) => sum(part, screen, depth + 1));
  const values = parts.filter((part) => part !== null);
  const [first] = values;
  if (first === undefined || values.length < parts.length) return null;
  if (values.some(({ type }) => type !== first.type)) return null;
  const { type } = first;
  const numbers = values.map(({ value }) => value);
  if (name === 'min') return { type, value: Math.min(...numbers) };
  if (name === 'max') return { type, value: Math.max(...numbers) };
  if (name === 'calc') return numbers.length === 1 ? first : null;
  const [low = 0, middle = 0, high = 0] = numbers;
  return numbers.length === 3 ? { type, value: Math.max(low, Math.min(middle, high)) } : null;
}

/** Computes a sum of products. + and - need white space on both sides, so they are tokens of their own. */
function sum(content: readonly ComponentValue[], screen: Screen, depth: number): Quantity | null {
  let total: Quantity | null = null;
  let sign = 1;
  let pending: ComponentValue[] = [];
  const add = (): boolean => {
    const term = product(pending, screen, depth);
    pending = [];
    if (term === null || (total !== null && total.type !== term.type)) return false;
    total = { type: term.type, value: (total?.value ?? 0) + sign * term.value };
    return true;
  };
  for (const value of content) {
    const operator = delimOf(value);
    if (operator !== '+' && operator !== '-') {
      pending.push(value);
      continue;
    }
    if (!add()) return null;
    sign = operator === '+' ? 1 : -1;
  }
  return add() ? total : null;
}

function product(
  content: readonly ComponentValue[],
  screen: Screen,
  depth: number,
): Quantity | null {
  let result: Quantity | null = null;
  let operator: string | null = null;
  for (const value of content) {
    if (isWhiteSpaceOrCommentNode(value)) continue;
    const delim = delimOf(value);
    if (delim === '*' || delim === '/') {
      if (result === null || operator !== null) return null;
      operator = delim;
      continue;
    }
    const factor = quantityOf(value, screen, depth + 1);
    if (factor === null) return null;
    if (result === null) result = factor;
    else if (operator === '*') result = times(result, factor);
    else if (operator === '/') result = over(result, factor);
    else return null;
    if (result === null) return null;
    operator = null;
  }
  return operator === null ? result : null;
}

function times(left: Quantity, right: Quantity): Quantity | null {
  if (left.type !== 'number' && right.type !== 'number') return null;
  const type = left.type === 'number' ? right.type : left.type;
  return { type, value: left.value * right.value };
}

function over(left: Quantity, right: Quantity): Quantity | null {
  if (left.type === right.type) return { type: 'number', value: left.value / right.value };
  return right.type === 'number' ? { type: left.type, value: left.value / right.value } : null;
}

/** Computes a ratio: one number, or two numbers with a slash between them (Media Queries 4, 4.2). */
export function ratioOf(content: readonly ComponentValue[], screen: Screen): number | null {
  const parts = content.filter((value) => !isWhiteSpaceOrCommentNode(value));
  const [first, slash, second] = parts;
  const left = first === undefined ? null : quantityOf(first, screen);
  if (left?.type !== 'number') return null;
  if (parts.length === 1) return left.value;
  const right = second === undefined ? null : quantityOf(second, screen);
  const isRatio = parts.length === 3 && slash !== undefined && delimOf(slash) === '/';
  return isRatio && right?.type === 'number' ? left.value / right.value : null;
}

export function splitBy(
  content: readonly ComponentValue[],
  type: TokenType.Comma,
): ComponentValue[][] {
  const parts: ComponentValue[][] = [[]];
  for (const value of content) {
    if (isTokenNode(value) && value.value[0] === type) parts.push([]);
    else parts.at(-1)?.push(value);
  }
  return parts;
}

function delimOf(value: ComponentValue): string | null {
  return isTokenNode(value) && value.value[0] === TokenType.Delim ? value.value[4].value : null;
}
