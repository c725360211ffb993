// Evaluates media queries (Media Queries 5) for a screen of known size. A feature that the screen does not determine is
// unknown, and a query that is unknown as a whole does not match (Media Queries 5, 3.1).

import type { ComponentValue } from '@csstools/css-parser-algorithms';
import {
  isMediaCondition,
  isMediaConditionListWithOr,
  isMediaFeature,
  isMediaFeatureBoolean,
  isMediaFeaturePlain,
  isMediaFeatureRangeNameValue,
  isMediaFeatureRangeValueName,
  isMediaInParens,
  isMediaNot,
  isMediaQueryInvalid,
  isMediaQueryWithType,
  type MediaCondition,
  type MediaFeature,
  type MediaInParens,
  type MediaQuery,
  parse,
} from '@csstools/media-query-list-parser';
import { TextMemo } from '../../../process/text-memo.ts';
import type { Screen } from './environment.ts';
import { isTooDeep, type Quantity, quantityOf, ratioOf } from './quantity.ts';

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
  if (isTooDeep(text)) return false;
  const queries = parse(text, { preserveInvalidMediaQueries: true });
  return queries.some((query) => queryMatches(query, screen));
}

/** true, false, or null for unknown (three-valued logic). */
type Truth = boolean | null;

const not = (truth: Truth): Truth => (truth === null ? null : !truth);

function every(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

const some = (truths: readonly Truth[]): Truth => not(every(truths.map(not)));

function queryMatches(query: MediaQuery, screen: Screen): boolean {
  if (isMediaQueryInvalid(query)) return false;
  if (!isMediaQueryWithType(query)) return conditionMatches(query.media, screen) === true;
  const isOfType = /^(?:all|screen)$/i.test(query.getMediaType());
  const condition = query.media === undefined ? true : conditionMatches(query.media, screen);
  const whole = every([isOfType, condition]);
  return (/^not$/i.test(query.getModifier()) ? not(whole) : whole) === true;
}

/** Evaluates a `<media-condition>`. */
export function conditionMatches({ media }: MediaCondition, screen: Screen): Truth {
  if (isMediaInParens(media)) return inParentheses(media, screen);
  if (isMediaNot(media)) return not(inParentheses(media.media, screen));
  const parts = [media.leading, ...media.list.map((each) => each.media)];
  const truths = parts.map((part) => inParentheses(part, screen));
  return isMediaConditionListWithOr(media) ? some(truths) : every(truths);
}

function inParentheses({ media }: MediaInParens, screen: Screen): Truth {
  if (isMediaCondition(media)) return conditionMatches(media, screen);
  return isMediaFeature(media) ? featureMatches(media, screen) : null;
}

function featureMatches({ feature }: MediaFeature, screen: Screen): Truth {
  const name = feature.getName().toLowerCase();
  if (isMediaFeatureBoolean(feature)) return asBoolean(name, screen);
  if (isMediaFeaturePlain(feature)) return asPlain(name, feature.value.value, screen);
  const range = rangeOf(name, screen);
  const nameFirst = (operator: string | false, value: Value): Truth =>
    range && compare(range.value, operator, wantedOf(value, range, screen));
  const valueFirst = (value: Value, operator: string | false): Truth =>
    range && compare(wantedOf(value, range, screen), operator, range.value);
  if (isMediaFeatureRangeNameValue(feature)) {
    return nameFirst(feature.operatorKind(), feature.value.value);
  }
  if (isMediaFeatureRangeValueName(feature)) {
    return valueFirst(feature.value.value, feature.operatorKind());
  }
  return every([
    valueFirst(feature.valueOne.value, feature.valueOneOperatorKind()),
    nameFirst(feature.valueTwoOperatorKind(), feature.valueTwo.value),
  ]);
}

type Value = ComponentValue | ComponentValue[];

const comparisons: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
  '=': (left, right) => left === right,
};

function compare(left: number | null, operator: string | false, right: number | null): Truth {
  if (left === null || right === null || operator === false) return null;
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

function asPlain(name: string, value: Value, screen: Screen): Truth {
  const [, prefix = '', limit, rest = ''] = /^(-webkit-)?(min|max)-(.+)$/.exec(name) ?? [];
  const range = rangeOf(limit === undefined ? name : prefix + rest, screen);
  if (range !== null) {
    const operator = limit === undefined ? '=' : limit === 'min' ? '>=' : '<=';
    return compare(range.value, operator, wantedOf(value, range, screen));
  }
  const keyword = keywordOf(name, screen);
  const written = String(Array.isArray(value) ? value.join('') : value);
  return keyword === undefined ? null : written.trim().toLowerCase() === keyword;
}

/** The number that a feature of this type is compared with; null if the value is of another type. */
function wantedOf(value: Value, { type }: Quantity, screen: Screen): number | null {
  const content = Array.isArray(value) ? value : [value];
  if (type === 'number') return ratioOf(content, screen);
  const [first] = content;
  const quantity = content.length === 1 && first !== undefined ? quantityOf(first, screen) : null;
  if (quantity === null) return null;
  // Only a length of 0 may have no unit.
  const isZero = type === 'length' && quantity.type === 'number' && quantity.value === 0;
  return quantity.type === type || isZero ? quantity.value : null;
}
