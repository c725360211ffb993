// Evaluates media queries (Media Queries 5) for a screen of known size. A feature that the screen does not determine is
// unknown, and a query that is unknown as a whole does not match (Media Queries 5, 3.1).

import { truthOf, unknown } from './condition.ts';
import { type CssNode, listOf, nodeIn, parsed, wordOf } from './css-tree.ts';
import type { Screen } from './environment.ts';
import { isBare, quantityOf } from './quantity.ts';

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
  const ofType = Number(mediaType === null || /^(?:all|screen)$/.test(mediaType));
  const ofOperand = (node: CssNode) => truthOfFeature(node, screen);
  const truth = Math.min(ofType, condition === null ? 1 : truthOf(condition, ofOperand));
  return truth === (modifier === 'not' ? 0 : 1);
}

/** Evaluates a feature: `(min-width: 9px)`, `(width)`, `(9px < width)` or `(9px < width < 99px)`. */
function truthOfFeature(node: CssNode, screen: Screen): number {
  if (node.type === 'FeatureRange') {
    const { left, leftComparison, middle, rightComparison, right } = node;
    const termOf = (term: CssNode) =>
      Number(featureOf(wordOf(term), screen) ?? quantityOf(term, screen));
    const first = compare(termOf(left), leftComparison, termOf(middle));
    if (right === null || rightComparison === null) return first;
    if (leftComparison[0] !== rightComparison[0]) return unknown;
    return Math.min(first, compare(termOf(middle), rightComparison, termOf(right)));
  }
  if (node.type !== 'Feature') return unknown;
  const parts = /^(?:-webkit-)?(?:(min|max)-)?(?:device-|any-)?(.+)$/.exec(wordOf(node));
  const [, limit = '', name = ''] = parts ?? [];
  const [feature, value] = [featureOf(name, screen), nodeIn(node)];
  const isRange = typeof feature === 'number';
  if (feature === null || (limit && (value === null || !isRange))) return unknown;
  if (value === null) return Number(!/^(?:0|none|no-preference)$/.test(String(feature)));
  if (!isRange) return Number(wordOf(value) === feature);
  const operator = { min: '>=', max: '<=' }[limit] ?? '=';
  return compare(
    feature,
    operator,
    /width|height/.test(name) && isBare(value) ? Number.NaN : quantityOf(value, screen),
  );
}

function compare(left: number, operator: string, right: number): number {
  if (Number.isNaN(left + right)) return unknown;
  if (left === right) return Number(operator.includes('='));
  return Number(operator.startsWith(left < right ? '<' : '>'));
}

/** Returns the value of a media feature on this screen, for a user without preferences; null: an unknown feature. */
function featureOf(name: string, { width, height, dpr, isTouched }: Screen) {
  const features = new Map<string, number | string>([
    ['width', width],
    ['height', height],
    ['color', 8],
    ['aspect-ratio', width / height],
    ['resolution', dpr],
    ['pixel-ratio', dpr],
    ['monochrome', 0],
    ['orientation', width > height ? 'landscape' : 'portrait'],
    ['hover', isTouched ? 'none' : 'hover'],
    ['pointer', isTouched ? 'coarse' : 'fine'],
    ['display-mode', 'browser'],
    ['forced-colors', 'none'],
    ['prefers-color-scheme', 'light'],
    ['scripting', 'enabled'],
    ['update', 'fast'],
  ]);
  return features.get(name) ?? (name.startsWith('prefers-') ? 'no-preference' : null);
}
