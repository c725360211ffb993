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

const mathFunctions = /^(?:calc|min|max|clamp|-webkit-calc)$/i;

export const isMathFunction = (value: ComponentValue): boolean =>
  isFunctionNode(value) && mathFunctions.test(value.getName());

/** @returns null if the value is no quantity, or its unit is unknown */
export function quantityOf(value: ComponentValue, screen: Screen, depth = 0): Quantity | null {
  if (isTokenNode(value)) return quantityOfToken(value.value, screen);
  if (isFunctionNode(value)) {
    const name = value.getName().toLowerCase();
    return isMathFunction(value) ? called(name, value.value, screen, depth) : null;
  }
  const isGroup = isSimpleBlockNode(value) && value.startToken[0] === TokenType.OpenParen;
  return isGroup && depth > 0 ? sum(value.value, screen, depth) : null;
}

const perInch = 96;
const pxPer = new Map(
  Object.entries({
    ...{ px: 1, in: perInch, cm: perInch / 2.54, mm: perInch / 25.4, q: perInch / 101.6 },
    ...{ pt: perInch / 72, pc: perInch / 6, em: initialFontPx, rem: initialFontPx },
    // These units are half an em where the font is not known (CSS Values 4, 6.1.2).
    ...{ ex: initialFontPx / 2, ch: initialFontPx / 2 },
  }),
);
const dppxPer = new Map([
  ['dppx', 1],
  ['x', 1],
  ['dpi', 1 / perInch],
  ['dpcm', 2.54 / perInch],
]);

function quantityOfToken(token: CSSToken, screen: Screen): Quantity | null {
  if (token[0] === TokenType.Number) return { type: 'number', value: token[4].value };
  if (token[0] !== TokenType.Dimension) return null;
  const { value, unit } = token[4];
  const name = unit.toLowerCase();
  const px = pxPer.get(name) ?? pxPerViewportUnit(name, screen);
  if (px !== undefined) return { type: 'length', value: value * px };
  const dppx = dppxPer.get(name);
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

function called(
  name: string,
  content: readonly ComponentValue[],
  screen: Screen,
  depth: number,
): Quantity | null {
  const parts = splitAtCommas(content).map((part) => sum(part, screen, depth + 1));
  const values = parts.filter((part) => part !== null);
  const [first] = values;
  if (first === undefined || values.length < parts.length) return null;
  if (values.some(({ type }) => type !== first.type)) return null;
  const { type } = first;
  const numbers = values.map(({ value }) => value);
  if (name === 'min') return { type, value: Math.min(...numbers) };
  if (name === 'max') return { type, value: Math.max(...numbers) };
  if (name !== 'clamp') return numbers.length === 1 ? first : null;
  const [low = 0, middle = 0, high = 0] = numbers;
  return numbers.length === 3 ? { type, value: Math.max(low, Math.min(middle, high)) } : null;
}

/** + and - need white space on both sides, so they are tokens of their own. */
function sum(content: readonly ComponentValue[], screen: Screen, depth: number): Quantity | null {
  return combined(content, '+-', (part) => product(part, screen, depth), plus);
}

function product(
  content: readonly ComponentValue[],
  screen: Screen,
  depth: number,
): Quantity | null {
  const factor = ([only, ...others]: readonly ComponentValue[]) =>
    only === undefined || others.length > 0 ? null : quantityOf(only, screen, depth + 1);
  return combined(content, '*/', factor, (left, operator, right) =>
    operator === '*' ? times(left, right) : over(left, right),
  );
}

/** Computes the parts between operators, and combines them from left to right. */
function combined(
  content: readonly ComponentValue[],
  operators: string,
  compute: (part: ComponentValue[]) => Quantity | null,
  combine: (left: Quantity, operator: string, right: Quantity) => Quantity | null,
): Quantity | null {
  let result: Quantity | null = null;
  let operator = '';
  let part: ComponentValue[] = [];
  for (const value of [...content, null]) {
    const delim = value && delimOf(value);
    if (value !== null && !(delim && operators.includes(delim))) {
      if (!isWhiteSpaceOrCommentNode(value)) part.push(value);
      continue;
    }
    const next = compute(part);
    result = next && result ? combine(result, operator, next) : next;
    if (result === null) return null;
    operator = delim ?? '';
    part = [];
  }
  return result;
}

function plus(left: Quantity, operator: string, right: Quantity): Quantity | null {
  if (left.type !== right.type) return null;
  return { type: left.type, value: left.value + (operator === '+' ? right.value : -right.value) };
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
  const ratio = product(content, screen, -1);
  return ratio?.type === 'number' ? ratio.value : null;
}

export function splitAtCommas(content: readonly ComponentValue[]): ComponentValue[][] {
  const parts: ComponentValue[][] = [[]];
  for (const value of content) {
    if (isTokenNode(value) && value.value[0] === TokenType.Comma) parts.push([]);
    else parts.at(-1)?.push(value);
  }
  return parts;
}

function delimOf(value: ComponentValue): string | null {
  return isTokenNode(value) && value.value[0] === TokenType.Delim ? value.value[4].value : null;
}

/** Deepest nesting of brackets that is read: csstools' parser throws on nesting deeper than 512, which no page has. */
const deepest = 32;

export function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    if (depth > deepest) return true;
  }
  return false;
}
