// Evaluates media queries (Media Queries 5) for a screen of known size. A feature that the screen does not determine is
// unknown, and a query that is unknown as a whole does not match (Media Queries 5, 3.1).

import { TextMemo } from '../../../process/text-memo.ts';
import { isMark, splitAtCommas, type Value, valuesOf, wordOf } from './component-values.ts';
import { conditionOf, every, not, type Truth } from './condition.ts';
import type { Screen } from './environment.ts';
import { computed, type Quantity, quantityOf } from './quantity.ts';

/** Longest media query list that is evaluated, in characters; longer ones never match. */
const longest = 4096;
/** Limit on the lists that are remembered for each screen: a page and its sheets repeat the same few. */
const mostRemembered = 256;
const remembered = new WeakMap<Screen, TextMemo<boolean>>();

/** Whether a media query list matches (Media Queries 5); the empty list does. */
export function matchesMedia(text: string, screen: Screen): boolean {
  const list = text.trim().toLowerCase();
  if (list === '' || list === 'all' || list === 'screen') return true;
  if (list.length > longest) return false;
  let memo = remembered.get(screen);
  if (memo === undefined) {
    memo = new TextMemo((each) => listMatches(each, screen), mostRemembered);
    remembered.set(screen, memo);
  }
  return memo.get(list);
}

function listMatches(text: string, screen: Screen): boolean {
  const list = valuesOf(text);
  return list !== null && mediaMatch(list, screen);
}

/** Whether a media query list matches that is parsed already. */
export const mediaMatch = (list: readonly Value[], screen: Screen): boolean =>
  list.length === 0 || splitAtCommas(list).some((query) => queryMatches(query, screen));

function queryMatches(query: readonly Value[], screen: Screen): boolean {
  const isModified = /^(?:not|only)$/.test(wordOf(query[0])) && query[1]?.type === 'word';
  const [type, and, ...condition] = isModified ? query.slice(1) : query;
  if (type?.type !== 'word' || wordOf(type) === 'not') return mediaHold(query, screen) === true;
  // A media type may be followed by conditions that are joined by `and` alone.
  const isJoined = wordOf(and) === 'and' && !condition.some((each) => wordOf(each) === 'or');
  if (and !== undefined && !isJoined) return false;
  const isOfType = /^(?:all|screen)$/.test(wordOf(type));
  const whole = every([isOfType, and === undefined || mediaHold(condition, screen)]);
  return (isModified && wordOf(query[0]) === 'not' ? not(whole) : whole) === true;
}

/** Evaluates a `<media-condition>`. */
export const mediaHold = (condition: readonly Value[], screen: Screen): Truth =>
  conditionOf(condition, (operand) => {
    if (operand.text !== '(') return null;
    return featureMatches(operand.content, screen);
  });

/** @returns undefined if the values are no feature, and so may be a condition */
function featureMatches(values: readonly Value[], screen: Screen): Truth | undefined {
  const [first, second] = values;
  const name = wordOf(first);
  if (name !== '' && second === undefined) return asBoolean(name, screen);
  if (name !== '' && isMark(second, ':')) return asPlain(name, values.slice(2), screen);
  return values.some(isComparison) ? asRange(values, screen) : undefined;
}

const isComparison = ({ type, text }: Value): boolean => type === 'mark' && /^[<>=]$/.test(text);

/** Evaluates `width >= 9px`, `9px < width` or `9px < width < 99px`. */
function asRange(values: readonly Value[], screen: Screen): Truth {
  const sides: Value[][] = [[]];
  const operators: string[] = [];
  for (const [index, value] of values.entries()) {
    if (!isComparison(value)) sides.at(-1)?.push(value);
    else if (index > 0 && isComparison(values[index - 1] as Value)) {
      operators.push(`${operators.pop()}${value.text}`);
    } else {
      operators.push(value.text);
      sides.push([]);
    }
  }
  const at = sides.length === 2 && rangeOf(wordOf(sides[0]?.[0]), screen) !== null ? 0 : 1;
  const range = rangeOf(wordOf(sides[at]?.[0]), screen);
  const areTwo = sides.length === 3 && operators[0]?.[0] === operators[1]?.[0];
  if (range === null || sides[at]?.length !== 1 || (sides.length !== 2 && !areTwo)) return null;
  const numberAt = (side: number): number | null =>
    side === at ? range.value : wantedOf(sides[side] ?? [], range, screen);
  return every(
    operators.map((operator, index) => compare(numberAt(index), operator, numberAt(index + 1))),
  );
}

const comparisons: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
  '=': (left, right) => left === right,
};

function compare(left: number | null, operator: string, right: number | null): Truth {
  if (left === null || right === null) return null;
  return comparisons[operator]?.(left, right) ?? null;
}

/** The screen's value of a range feature (Media Queries 5, 2.4.3), ratios as numbers; null for other features. */
function rangeOf(name: string, { width, height, dpr }: Screen): Quantity | null {
  switch (name.replace(/^device-(?=width|height|aspect-ratio)/, '')) {
    case 'width':
      return { type: 'length', value: width };
    case 'height':
      return { type: 'length', value: height };
    case 'aspect-ratio':
      return { type: 'number', value: width / height };
    case 'resolution':
      return { type: 'resolution', value: dpr };
    case '-webkit-device-pixel-ratio':
      return { type: 'number', value: dpr };
    case 'color':
      return { type: 'number', value: 8 };
    case 'color-index':
    case 'monochrome':
      return { type: 'number', value: 0 };
    default:
      return null;
  }
}

/** Values of keyword features in a desktop browser without preferences. */
const keywords: Readonly<Record<string, string>> = {
  'any-hover': 'hover',
  'any-pointer': 'fine',
  'color-gamut': 'srgb',
  'display-mode': 'browser',
  'dynamic-range': 'standard',
  'forced-colors': 'none',
  grid: '0',
  hover: 'hover',
  'inverted-colors': 'none',
  'overflow-block': 'scroll',
  'overflow-inline': 'scroll',
  pointer: 'fine',
  'prefers-color-scheme': 'light',
  'prefers-contrast': 'no-preference',
  'prefers-reduced-data': 'no-preference',
  'prefers-reduced-motion': 'no-preference',
  'prefers-reduced-transparency': 'no-preference',
  scan: 'progressive',
  scripting: 'enabled',
  update: 'fast',
  'video-dynamic-range': 'standard',
};
/** The values that count as false where a feature stands alone. */
const countsAsFalse = new Set(['none', 'no-preference', '0']);

/** @returns undefined if the feature is unknown */
function keywordOf(name: string, { width, height, isTouched }: Screen): string | undefined {
  if (name === 'orientation') return width > height ? 'landscape' : 'portrait';
  if (isTouched && /^(?:any-)?hover$/.test(name)) return 'none';
  if (isTouched && /^(?:any-)?pointer$/.test(name)) return 'coarse';
  return Object.hasOwn(keywords, name) ? keywords[name] : undefined;
}

function asBoolean(name: string, screen: Screen): Truth {
  const range = rangeOf(name, screen);
  if (range !== null) return range.value !== 0;
  const keyword = keywordOf(name, screen);
  return keyword === undefined ? null : !countsAsFalse.has(keyword);
}

function asPlain(name: string, value: readonly Value[], screen: Screen): Truth {
  const [, prefix = '', limit, rest = ''] = /^(-webkit-)?(min|max)-(.+)$/.exec(name) ?? [];
  const range = rangeOf(limit === undefined ? name : prefix + rest, screen);
  if (range !== null) {
    const operator = limit === undefined ? '=' : limit === 'min' ? '>=' : '<=';
    return compare(range.value, operator, wantedOf(value, range, screen));
  }
  const keyword = keywordOf(name, screen);
  return keyword === undefined ? null : value.map(({ text }) => text).join(' ') === keyword;
}

/** The number that a feature of this type is compared with; null if the value is of another type. */
function wantedOf(value: readonly Value[], { type }: Quantity, screen: Screen): number | null {
  const [only, ...others] = value;
  const isOne = only !== undefined && others.length === 0;
  const quantity =
    type === 'number' ? computed(value, screen) : isOne ? quantityOf(only, screen) : null;
  // Only a length of 0 may have no unit.
  const isZero = type === 'length' && quantity?.type === 'number' && quantity.value === 0;
  return quantity?.type === type || isZero ? quantity.value : null;
}
