// Computes the font of an element or a pseudo-element from the page's sheets; what they do not set is inherited.

import type { ElementStyle } from './cascade.ts';
import { familiesOf, fontShorthand, weightOf } from './font-face.ts';

export interface ComputedFont {
  /** Names of the font families, in lower case. */
  readonly families: readonly string[];
  readonly weight: number;
  readonly style: 'normal' | 'italic';
}

export const initialFont: ComputedFont = { families: [], weight: 400, style: 'normal' };

/** Returns the value of a custom property; undefined if it is not set. */
type ValueOf = (name: string) => string | undefined;

const reference = /var\(\s*(--[^\s,()]+)\s*(?:,([^()]*))?\)/gi;
/** Deepest chain of custom properties that refer to one another. */
const deepest = 8;
/** Longest value with var() replaced, in characters; a longer one is ignored. */
const longest = 4_096;
const inherits = /^\s*(?:inherit|unset|revert|revert-layer)\s*$/i;

/** @param pseudoElement '' for the element itself @param around The font that is inherited */
export function computedFont(
  style: ElementStyle,
  pseudoElement: string,
  around: ComputedFont,
  valueOfCustom: ValueOf,
): ComputedFont {
  const own: Partial<ComputedFont> = {};
  for (const property of ['family', 'weight', 'style']) {
    const name = `font-${property}`;
    const matched = style.get(pseudoElement === '' ? name : `${pseudoElement} ${name}`);
    if (matched === undefined || inherits.test(matched.declaration.value)) continue;
    const { from, value } = matched.declaration;
    const whole = substituted(value, valueOfCustom, 0);
    Object.assign(own, from === 'font' ? partOfShorthand(whole, name) : readers[name]?.(whole));
  }
  return Object.keys(own).length === 0 ? around : { ...around, ...own };
}

/** The value with custom properties in place of var(). */
function substituted(value: string, valueOfCustom: ValueOf, depth: number): string {
  if (depth > deepest || !/var\(/i.test(value)) return value;
  const replaced = value.replace(
    reference,
    (_, name: string, fallback = '') => valueOfCustom(name) ?? fallback,
  );
  return replaced.length > longest ? '' : substituted(replaced, valueOfCustom, depth + 1);
}

/** Parsers of the longhands, by property; they return {} if the value is invalid. */
const readers: Readonly<Record<string, (value: string) => Partial<ComputedFont>>> = {
  'font-family': (value) => ({ families: familiesOf(value) }),
  'font-weight': (value) => {
    const weight = /^\s*lighter\s*$/i.test(value) ? 100 : weightOf(value);
    return weight === null ? {} : { weight };
  },
  'font-style': (value) => ({ style: /^\s*(?:italic|oblique)/i.test(value) ? 'italic' : 'normal' }),
};

function partOfShorthand(value: string, name: string): Partial<ComputedFont> {
  const font = fontShorthand(value);
  if (font === null) return {};
  if (name === 'font-family') return { families: font.families };
  return name === 'font-weight' ? { weight: font.weight } : { style: font.style };
}
