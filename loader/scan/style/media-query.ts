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
import type { Screen } from './environment.ts';
import { isTooDeep } from './nesting.ts';
import { type Quantity, quantityOf, ratioOf } from './quantity.ts';

/** Whether a media query list matches. */
export function listMatches(text: string, screen: Screen): boolean {
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

type ComparisonOperator = '<' | '<=' | '>' | '>=' | '=';

const flipped: Record<ComparisonOperator, ComparisonOperator> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '=': '=',
};

function featureMatches({ feature }: MediaFeature, screen: Screen): Truth {
  const name = feature.getName().toLowerCase();
  if (isMediaFeatureBoolean(feature)) return asBoolean(name, screen);
  if (isMediaFeaturePlain(feature)) return asPlain(name, feature.value.value, screen);
  const compare = (operator: string | false, value: Value) =>
    asRange(name, operator as ComparisonOperator | false, value, screen);
  if (isMediaFeatureRangeNameValue(feature)) {
    return compare(feature.operatorKind(), feature.value.value);
  }
  if (isMediaFeatureRangeValueName(feature)) {
    return compare(flip(feature.operatorKind()), feature.value.value);
  }
  return every([
    compare(flip(feature.valueOneOperatorKind()), feature.valueOne.value),
    compare(feature.valueTwoOperatorKind(), feature.valueTwo.value),
  ]);
}

const flip = (operator: string | false) => operator && flipped[operator as ComparisonOperator];

type Value = ComponentValue | ComponentValue[];

/** The screen's value of a range feature (Media Queries 5, 2.4.3), ratios as numbers; null for other features. */
function rangeOf(name: string, { width, height, dpr }: Screen): Quantity | null {
  switch (name) {
    case 'width':
    case 'device-width':
      return { type: 'length', value: width };
    case 'height':
    case 'device-height':
      return { type: 'length', value: height };
    case 'aspect-ratio':
    case 'device-aspect-ratio':
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

const hasRange = (name: string, screen: Screen) => rangeOf(name, screen) !== null;

/** Values of keyword features in a desktop browser without preferences; `none` is the keyword that counts as false. */
const keywords: Record<string, { is: readonly string[]; none?: string }> = {
  'any-hover': { is: ['hover'], none: 'none' },
  'any-pointer': { is: ['fine'], none: 'none' },
  'color-gamut': { is: ['srgb'] },
  'display-mode': { is: ['browser'] },
  'dynamic-range': { is: ['standard'] },
  'forced-colors': { is: ['none'], none: 'none' },
  hover: { is: ['hover'], none: 'none' },
  'inverted-colors': { is: ['none'], none: 'none' },
  'overflow-block': { is: ['scroll'], none: 'none' },
  'overflow-inline': { is: ['scroll'], none: 'none' },
  pointer: { is: ['fine'], none: 'none' },
  'prefers-color-scheme': { is: ['light'] },
  'prefers-contrast': { is: ['no-preference'], none: 'no-preference' },
  'prefers-reduced-data': { is: ['no-preference'], none: 'no-preference' },
  'prefers-reduced-motion': { is: ['no-preference'], none: 'no-preference' },
  'prefers-reduced-transparency': { is: ['no-preference'], none: 'no-preference' },
  scan: { is: ['progressive'] },
  scripting: { is: ['enabled'], none: 'none' },
  update: { is: ['fast'], none: 'none' },
  'video-dynamic-range': { is: ['standard'] },
};

/** The values that differ on a touch screen. */
const touched: typeof keywords = {
  'any-hover': { is: ['none'], none: 'none' },
  'any-pointer': { is: ['coarse'], none: 'none' },
  hover: { is: ['none'], none: 'none' },
  pointer: { is: ['coarse'], none: 'none' },
};

const keywordsOf = (name: string, { isTouched }: Screen) =>
  (isTouched === true ? touched[name] : undefined) ?? keywords[name];

function asBoolean(name: string, screen: Screen): Truth {
  if (name === 'orientation') return true;
  if (name === 'grid') return false;
  const range = rangeOf(name, screen);
  if (range !== null) return range.value !== 0;
  const known = keywordsOf(name, screen);
  return known === undefined ? null : !known.is.includes(known.none ?? '');
}

function asPlain(name: string, value: Value, screen: Screen): Truth {
  const [, limit, ofRange] =
    /^(min|max)-(.+)$/.exec(name.replace(/^-webkit-(min|max)-(.+)$/, '$1--webkit-$2')) ?? [];
  if (limit !== undefined && ofRange !== undefined && hasRange(ofRange, screen)) {
    return asRange(ofRange, limit === 'min' ? '>=' : '<=', value, screen);
  }
  if (hasRange(name, screen)) return asRange(name, '=', value, screen);
  const word = String(Array.isArray(value) ? value.join('') : value)
    .trim()
    .toLowerCase();
  if (name === 'orientation') {
    if (word !== 'landscape' && word !== 'portrait') return null;
    return (word === 'landscape') === screen.width > screen.height;
  }
  if (name === 'grid') return word === '0' ? true : word === '1' ? false : null;
  const known = keywordsOf(name, screen);
  return known === undefined ? null : known.is.includes(word);
}

function asRange(
  name: string,
  operator: ComparisonOperator | false | undefined,
  value: Value,
  screen: Screen,
): Truth {
  const range = rangeOf(name, screen);
  const wanted = range && wantedOf(value, range, screen);
  if (range === null || wanted === null || !operator) return null;
  switch (operator) {
    case '<':
      return range.value < wanted;
    case '<=':
      return range.value <= wanted;
    case '>':
      return range.value > wanted;
    case '>=':
      return range.value >= wanted;
    case '=':
      return range.value === wanted;
  }
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
