// Evaluates media queries (Media Queries 5) for a screen of known size. A feature that the screen does not determine is
// unknown, and a query that is unknown as a whole does not match (Media Queries 5, 3.1).

import { TextMemo } from '../../../process/text-memo.ts';
import { conditionOf, every, not, type Truth } from './condition.ts';
import { type CssNode, childrenOf, listOf, nodeIn, parsed, partsOf, wordOf } from './css-tree.ts';
import type { Screen } from './environment.ts';
import { type Quantity, quantityOf } from './quantity.ts';

/** css-tree's node of a media query. */
interface MediaQueryNode {
  readonly modifier: 'not' | 'only' | null;
  readonly mediaType: string | null;
  readonly condition: CssNode | null;
}
/** css-tree's node of `9px < width` or `9px < width < 99px`. */
interface FeatureRange {
  readonly left: CssNode;
  readonly leftComparison: string;
  readonly middle: CssNode;
  readonly rightComparison: string | null;
  readonly right: CssNode | null;
}

/** Longest media query list that is evaluated, in characters; longer ones never match. */
const longest = 4096;
/** Limit on the media query lists whose results are kept for each screen: a page and its sheets repeat the same few. */
const mostRemembered = 256;
const remembered = new WeakMap<Screen, TextMemo<boolean>>();

/** Whether a media query list matches (Media Queries 5); the empty list does. */
export function matchesMedia(text: string, screen: Screen): boolean {
  const list = text.trim().toLowerCase();
  if (list === '' || list === 'all' || list === 'screen') return true;
  if (list.length > longest) return false;
  let memo = remembered.get(screen);
  if (memo === undefined) {
    memo = new TextMemo(
      (each) => listOf(each).some((query) => queryMatches(query, screen)),
      mostRemembered,
    );
    remembered.set(screen, memo);
  }
  return memo.get(list);
}

function queryMatches(text: string, screen: Screen): boolean {
  const open = text.split('(').length - text.split(')').length;
  const whole = withColons(text + ')'.repeat(Math.max(0, open)));
  const query = parsed(partsOf(whole), { context: 'mediaQuery' }) as MediaQueryNode | null;
  if (query === null || text === '') return false;
  const { modifier, mediaType, condition } = query;
  const isOfType = mediaType === null || /^(?:all|screen)$/.test(mediaType);
  // A media type may be followed by conditions that are joined by `and` alone.
  const isAlternative = childrenOf(condition).some((each) => wordOf(each) === 'or');
  if (mediaType !== null && isAlternative) return false;
  const truth = every([isOfType, condition === null || truthOf(condition, screen)]);
  return (modifier === 'not' ? not(truth) : truth) === true;
}

const equation = /\(((?:[^()<>=:]|\([^()]*\))+)=((?:[^()<>=:]|\([^()]*\))+)(?:\)|$)/g;
/**
 * Replaces the `=` of a range, which css-tree 3.2.1 does not pass on, by a colon behind the feature, which means the
 * same.
 */
const withColons = (text: string): string =>
  text.replace(equation, (_, one: string, other: string) =>
    /^\s*-?[a-z][-a-z]*\s*$/.test(one) ? `(${one}:${other})` : `(${other}:${one})`,
  );

function truthOf(node: CssNode, screen: Screen): Truth {
  if (node.type === 'Condition') return conditionOf(node, (each) => truthOf(each, screen));
  if (node.type === 'Feature') return ofFeature(wordOf(node), nodeIn(node), screen);
  return node.type === 'FeatureRange' ? ofRange(node as unknown as FeatureRange, screen) : null;
}

function ofRange(node: FeatureRange, screen: Screen): Truth {
  const { left, leftComparison, middle, rightComparison, right } = node;
  const isFirst = right === null && rangeOf(wordOf(left), screen) !== null;
  const feature = isFirst ? left : middle;
  const range = rangeOf(wordOf(feature), screen);
  if (range === null) return null;
  const [a, b, c] = [left, middle, right].map((each) =>
    each === feature ? range.value : each && wantedOf(each, range, screen),
  );
  const truth = compare(a, leftComparison, b);
  if (rightComparison === null) return truth;
  if (leftComparison[0] !== rightComparison[0]) return null;
  return every([truth, compare(b, rightComparison, c)]);
}

function compare(
  left: number | null | undefined,
  operator: string,
  right: number | null | undefined,
): Truth {
  if (left == null || right == null) return null;
  if (left === right) return operator.includes('=');
  return operator.startsWith(left < right ? '<' : '>');
}

/** Returns the screen's value of a range feature (Media Queries 5, 2.4.3), ratios as numbers; null for any other. */
function rangeOf(name: string, { width, height, dpr }: Screen): Quantity | null {
  const lengths = { width, height };
  const numbers = { '-webkit-device-pixel-ratio': dpr, color: 8, 'color-index': 0, monochrome: 0 };
  const ranges = new Map<string, Quantity>([
    ...Object.entries(lengths).map(([of, value]) => [of, { type: 'length', value }] as const),
    ...Object.entries(numbers).map(([of, value]) => [of, { type: 'number', value }] as const),
    ['aspect-ratio', { type: 'number', value: width / height }],
    ['resolution', { type: 'resolution', value: dpr }],
  ]);
  return ranges.get(name.replace(/^device-(?=width|height|aspect-ratio)/, '')) ?? null;
}

/** Values of keyword features in a desktop browser without preferences. */
const keywords = new Map(
  (
    'any-hover:hover any-pointer:fine color-gamut:srgb display-mode:browser dynamic-range:standard forced-colors:none ' +
    'grid:0 hover:hover inverted-colors:none overflow-block:scroll overflow-inline:scroll pointer:fine ' +
    'prefers-color-scheme:light prefers-contrast:no-preference prefers-reduced-data:no-preference ' +
    'prefers-reduced-motion:no-preference prefers-reduced-transparency:no-preference scan:progressive ' +
    'scripting:enabled update:fast video-dynamic-range:standard'
  )
    .split(' ')
    .map((each) => each.split(':') as [string, string]),
);
/** Values of keyword features that count as false where the name stands alone, as in `(hover)`. */
const countsAsFalse = new Set(['none', 'no-preference', '0']);

/** Returns the screen's value of a keyword feature; undefined if the feature is unknown. */
function keywordOf(name: string, { width, height, isTouched }: Screen): string | undefined {
  if (name === 'orientation') return width > height ? 'landscape' : 'portrait';
  if (isTouched && /^(?:any-)?hover$/.test(name)) return 'none';
  if (isTouched && /^(?:any-)?pointer$/.test(name)) return 'coarse';
  return keywords.get(name);
}

function ofFeature(name: string, value: CssNode | null, screen: Screen): Truth {
  const [, prefix = '', limit, rest = ''] = /^(-webkit-)?(min|max)-(.+)$/.exec(name) ?? [];
  const range = rangeOf(limit === undefined || value === null ? name : prefix + rest, screen);
  if (range !== null) {
    if (value === null) return range.value !== 0;
    const operator = limit === undefined ? '=' : limit === 'min' ? '>=' : '<=';
    return compare(range.value, operator, wantedOf(value, range, screen));
  }
  const keyword = keywordOf(name, screen);
  if (keyword === undefined) return null;
  return value === null ? !countsAsFalse.has(keyword) : (value.name ?? value.value) === keyword;
}

/** Returns the number that a feature of this type is compared with; null if the value is of another type. */
function wantedOf(value: CssNode, { type }: Quantity, screen: Screen): number | null {
  const quantity = quantityOf(value, screen);
  // Only a length of 0 may have no unit.
  const isZero = type === 'length' && quantity?.type === 'number' && quantity.value === 0;
  return quantity?.type === type || isZero ? quantity.value : null;
}
