// Evaluates media queries (Media Queries 5) for a screen of known size. A feature that the screen does not determine is
// unknown, and a query that is unknown as a whole does not match (Media Queries 5, 3.1).

import { truthOfCondition, unknown } from './condition.ts';
import { type CssNode, listOf, nodeIn, parsed, wordOf } from './css-tree.ts';
import type { Screen } from './environment.ts';
import { type Quantity, quantityOf } from './quantity.ts';

/** Longest media query list that is read, characters. */
const longest = 4096;

/** Whether a media query list matches (Media Queries 5); the empty list does. */
export function matchesMedia(text: string, screen: Screen): boolean {
  const list = text.trim().toLowerCase();
  if (list === '' || list === 'all' || list === 'screen') return true;
  return list.length <= longest && listOf(list).some((query) => queryMatches(query, screen));
}

function queryMatches(text: string, screen: Screen): boolean {
  const query = parsed(text, { context: 'mediaQuery' });
  if (query === null || text === '') return false;
  const { modifier, mediaType, condition } = query;
  const isOfType = mediaType === null || /^(?:all|screen)$/.test(mediaType);
  const truth = Math.min(Number(isOfType), condition === null ? 1 : truthOf(condition, screen));
  return truth === (modifier === 'not' ? 0 : 1);
}

function truthOf(node: CssNode, screen: Screen): number {
  if (node.type === 'Condition') return truthOfCondition(node, (each) => truthOf(each, screen));
  if (node.type === 'Feature') return ofFeature(wordOf(node), nodeIn(node), screen);
  if (node.type !== 'FeatureRange') return unknown;
  const { left, leftComparison, middle, rightComparison, right } = node;
  const termOf = (each: CssNode) => featureOf(wordOf(each), screen) ?? quantityOf(each, screen);
  const first = compare(termOf(left), leftComparison, termOf(middle));
  if (right === null || rightComparison === null) return first;
  if (leftComparison[0] !== rightComparison[0]) return unknown;
  return Math.min(first, compare(termOf(middle), rightComparison, termOf(right)));
}

function ofFeature(name: string, value: CssNode | null, screen: Screen): number {
  const [, prefix = '', limit, rest = ''] = /^(-webkit-)?(?:(min|max)-)?(.+)$/.exec(name) ?? [];
  const feature = featureOf(prefix + rest, screen);
  if (feature === null || (limit && (value === null || !isRange(feature)))) return unknown;
  if (value === null) return Number(isRange(feature) ? feature.value !== 0 : !isNone.test(feature));
  if (!isRange(feature)) return Number(wordOf(value) === feature);
  const operator = limit === undefined ? '=' : limit === 'min' ? '>=' : '<=';
  return compare(feature, operator, quantityOf(value, screen));
}

type Feature = Quantity | string;
const isRange = (feature: Feature): feature is Quantity => typeof feature !== 'string';
/** Matches the values that count as false where the name of a feature stands alone, as in `(hover)`. */
const isNone = /^(?:none|no-preference)$/;

function compare(left: Feature | null, operator: string, right: Feature | null): number {
  if (left === null || right === null || !isRange(left) || !isRange(right)) return unknown;
  // Only a length of 0 may have no unit.
  const isZero = [left, right].some(({ type, value }) => type === 'number' && value === 0);
  const isLength = left.type === 'length' || right.type === 'length';
  if (left.type !== right.type && !(isZero && isLength)) return unknown;
  if (left.value === right.value) return Number(operator.includes('='));
  return Number(operator.startsWith(left.value < right.value ? '<' : '>'));
}

/** Returns the value of a media feature on this screen, for a user without preferences; null: an unknown feature. */
function featureOf(name: string, { width, height, dpr, isTouched }: Screen): Feature | null {
  const of = (type: Quantity['type'], value: number): Quantity => ({ type, value });
  const features = new Map<string, Feature>([
    ['width', of('length', width)],
    ['height', of('length', height)],
    ['color', of('number', 8)],
    ['aspect-ratio', of('number', width / height)],
    ['resolution', of('resolution', dpr)],
    ['-webkit-device-pixel-ratio', of('number', dpr)],
    ['monochrome', of('number', 0)],
    ['orientation', width > height ? 'landscape' : 'portrait'],
    ['hover', isTouched ? 'none' : 'hover'],
    ['pointer', isTouched ? 'coarse' : 'fine'],
    ['display-mode', 'browser'],
    ['forced-colors', 'none'],
    ['prefers-color-scheme', 'light'],
    ['scripting', 'enabled'],
    ['update', 'fast'],
  ]);
  const preference = name.startsWith('prefers-') ? 'no-preference' : null;
  return features.get(name.replace(/^(?:device|any)-/, '')) ?? preference;
}
