// @font-face (CSS Fonts 4, 4).

import {
  contentOfBlock,
  endOfBlock,
  splitAtCommas,
  type ValueToken,
  valueTokens,
  withoutSpaces,
} from './value-tokens.ts';

export interface FontFace {
  /** In lower case. */
  family: string;
  /** First and last. */
  weight: readonly [number, number];
  style: 'normal' | 'italic' | 'oblique';
  /** null: all characters. */
  unicodeRange: ReadonlyArray<readonly [number, number]> | null;
  /** null: none is said. */
  format: string | null;
}

/** @returns null: without a source that Chromium takes */
export function fontFaceOf(
  descriptors: ReadonlyMap<string, string>,
): { written: string; fontFace: FontFace } | null {
  const [family] = familiesOf(descriptors.get('font-family') ?? '');
  const source = sourceOf(descriptors.get('src') ?? '');
  if (family === undefined || source === null) return null;
  const style = (descriptors.get('font-style') ?? '').trim().toLowerCase();
  const fontFace: FontFace = {
    family,
    weight: weightRange(descriptors.get('font-weight') ?? ''),
    style: style.startsWith('italic')
      ? 'italic'
      : style.startsWith('oblique')
        ? 'oblique'
        : 'normal',
    unicodeRange: unicodeRanges(descriptors.get('unicode-range') ?? ''),
    format: source.format,
  };
  return { written: source.url, fontFace };
}

/** The first source that is taken; local() is passed on, since the fonts of the system are not known. */
function sourceOf(src: string): { url: string; format: string | null } | null {
  for (const part of splitAtCommas(valueTokens(src) ?? [])) {
    const tokens = withoutSpaces(part);
    let url: string | null = null;
    let format: string | null = null;
    let isTaken = true;
    for (let index = 0; index < tokens.length; ) {
      const { type, value } = tokens[index++] as ValueToken;
      if (type === 'url') url = value;
      if (type === 'word') isTaken = false;
      if (type !== 'function') continue;
      const content = contentOfBlock(tokens, index);
      index = endOfBlock(tokens, index);
      const words = content
        .filter((each) => each.type === 'string' || each.type === 'word')
        .map((each) => each.value.toLowerCase());
      if (value === 'url') url = content[0]?.value ?? '';
      else if (value === 'format') {
        format = words[0] ?? '';
        isTaken &&= chromiumFormat.has(format);
      } else if (value === 'tech') isTaken &&= words.every((word) => chromiumTech.has(word));
      else isTaken = false;
    }
    const written = url?.trim() ?? '';
    // Chromium takes such a name for a format, since old sheets have it for Internet Explorer.
    if (format === null && /\.eot$/i.test(written)) continue;
    if (isTaken && written !== '') return { url: written, format };
  }
  return null;
}

export function weightOf(text: string): number | null {
  const word = text.trim().toLowerCase();
  if (word === 'normal') return 400;
  if (word === 'bold' || word === 'bolder') return 700;
  const number = /^\d+(?:\.\d+)?$/.test(word) ? Number(word) : 0;
  return number >= 1 && number <= 1000 ? number : null;
}

function weightRange(text: string): readonly [number, number] {
  const [first, second] = text.trim().split(/\s+/).map(weightOf);
  if (first === null || first === undefined) return [400, 400];
  return second === null || second === undefined
    ? [first, first]
    : [Math.min(first, second), Math.max(first, second)];
}

const range = /^u\+(?:([0-9a-f]{1,6})(?:-([0-9a-f]{1,6}))?|([0-9a-f]{0,5})(\?{1,6}))$/i;

function unicodeRanges(text: string): Array<readonly [number, number]> | null {
  const ranges: Array<readonly [number, number]> = [];
  for (const each of text.split(',')) {
    const match = range.exec(each.trim());
    if (match === null) return null;
    const [, first, last, start = '', wild = ''] = match;
    const hex = (digits: string) => Number.parseInt(digits, 16);
    if (first !== undefined) ranges.push([hex(first), hex(last ?? first)]);
    else ranges.push([hex(start + '0'.repeat(wild.length)), hex(start + 'f'.repeat(wild.length))]);
  }
  return ranges;
}

/** In lower case (CSS Fonts 4, 5.1). */
export function familiesOf(text: string): string[] {
  return splitAtCommas(valueTokens(text) ?? [])
    .map((part) =>
      withoutSpaces(part)
        .map(({ value }) => value)
        .join(' ')
        .toLowerCase(),
    )
    .filter((family) => family !== '');
}

const size =
  /^(?:[+.\d]+(?:[a-z]+|%)|0|x{0,3}-(?:small|large)|small|large|medium|smaller|larger)$/i;

/** The font shorthand (CSS Fonts 4, 2.7). null: a system font or no such value */
export function fontShorthand(
  text: string,
): { families: string; weight: number; style: 'normal' | 'italic' } | null {
  const tokens = valueTokens(text) ?? [];
  let weight = 400;
  let style: 'normal' | 'italic' = 'normal';
  for (let index = 0; index < tokens.length; index++) {
    const { type, value } = tokens[index] as ValueToken;
    const isFunction = type === 'function';
    if (isFunction || (type === 'word' && size.test(value))) {
      let next = isFunction ? endOfBlock(tokens, index + 1) : index + 1;
      const skipSpace = () => {
        if (tokens[next]?.type === 'space') next++;
      };
      skipSpace();
      if (tokens[next]?.value === '/') {
        next++;
        skipSpace();
        next = tokens[next]?.type === 'function' ? endOfBlock(tokens, next + 1) : next + 1;
      }
      return { families: text.slice(tokens[next]?.start ?? text.length), weight, style };
    }
    if (type === 'word') {
      weight = value.toLowerCase() === 'normal' ? weight : (weightOf(value) ?? weight);
      if (/^(?:italic|oblique)$/i.test(value)) style = 'italic';
    }
  }
  return null;
}

/** What format() and tech() may name in @font-face (CSS Fonts 4, 4.3) for Chromium 156 to take a source. */
export const chromiumFormat: ReadonlySet<string> = new Set([
  'woff2',
  'woff',
  'truetype',
  'opentype',
  'collection',
  ...['woff2', 'woff', 'truetype', 'opentype'].map((name) => `${name}-variations`),
]);

export const chromiumTech: ReadonlySet<string> = new Set(
  `variations palettes features-opentype features-aat color-colrv0 color-colrv1
    color-sbix color-cbdt`.split(/\s+/),
);
