// Reads @font-face rules (CSS Fonts 4, 4) and the values of font properties.

import { splitAtCommas, urlOf, type Value, valuesOf } from '../style/component-values.ts';
import type { StyleFound, TellStyle } from './style-rule.ts';

/** A font face whose rule has a supported source. */
export interface FontFace {
  /** URLs of the supported sources, in order. */
  sources: string[];
  /** Where the rule begins, in characters from the start of the sheet. */
  offset: number;
  /** Why it is uncertain whether the rule applies; null: it does. */
  maybe: string | null;
  tell: TellStyle;
  /** Name of the font family, in lower case. */
  family: string;
  /** Lightest and heaviest weight, 1..1000. */
  weight: readonly [number, number];
  style: 'normal' | 'italic' | 'oblique';
  /** First and last code point of each range; null: the face is for all characters. */
  unicodeRange: ReadonlyArray<readonly [number, number]> | null;
}

/** @returns null if the rule has no font-family, or no source that needs a request */
export function fontFaceOf(
  descriptors: ReadonlyMap<string, string>,
  rule: Pick<FontFace, 'offset' | 'maybe' | 'tell'>,
): FontFace | null {
  const [family] = familiesOf(descriptors.get('font-family') ?? '');
  const sources = sourcesOf(descriptors.get('src') ?? '');
  const [first] = sources;
  if (family === undefined || first === undefined || /^data:/i.test(first)) return null;
  const style = (descriptors.get('font-style') ?? '').trim().toLowerCase();
  return {
    ...rule,
    ...{ sources, family },
    weight: weightRange(descriptors.get('font-weight') ?? ''),
    style: /^italic/.test(style) ? 'italic' : /^oblique/.test(style) ? 'oblique' : 'normal',
    unicodeRange: unicodeRanges(descriptors.get('unicode-range') ?? ''),
  };
}

/** Fonts are always fetched with CORS (CSS Fonts 4, 4.9). */
export const foundInFace = ({
  sources: [written = '', ...others],
  offset,
}: FontFace): StyleFound => ({
  kind: 'font',
  ...{ written, others, named: '@font-face src', offset },
  ...{ priority: 'highest', crossOrigin: 'anonymous' },
});

/** The URLs of the supported sources, in order. local() is skipped, since the fonts of the system are not known. */
export function sourcesOf(src: string): string[] {
  return splitAtCommas(valuesOf(src) ?? []).flatMap((part) => {
    const [first, ...others] = part;
    const written = (first && urlOf(first))?.trim() ?? '';
    const isNamed = others.some(({ text }) => text === 'format');
    // Chromium takes the extension .eot for an unsupported format: old sheets name such files for Internet Explorer.
    const isOld = !isNamed && /\.eot$/i.test(written);
    return written !== '' && !isOld && others.every(isTaken) ? [written] : [];
  });
}

function isTaken({ text, content }: Value): boolean {
  const known = { format: chromiumFormat, tech: chromiumTech }[text];
  return known !== undefined && content.every((each) => known.has(each.text.toLowerCase()));
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

/** The names in a font-family list, in lower case (CSS Fonts 4, 5.1). */
export const familiesOf = (text: string): string[] => familiesIn(valuesOf(text) ?? []);

const familiesIn = (nodes: readonly Value[]): string[] =>
  splitAtCommas(nodes)
    .map((part) =>
      part
        .map(({ text }) => text)
        .join(' ')
        .toLowerCase(),
    )
    .filter((family) => family !== '');

const size =
  /^(?:[+.\d]+(?:[a-z]+|%)|0|x{0,3}-(?:small|large)|small|large|medium|smaller|larger)$/i;

/** Reads the font shorthand (CSS Fonts 4, 2.7). @returns null for a system font or an invalid value */
export function fontShorthand(
  text: string,
): { family: string[]; weight: number; style: 'normal' | 'italic' } | null {
  const nodes = valuesOf(text) ?? [];
  const at = nodes.findIndex((node) => node.type === 'function' || size.test(node.text));
  if (at === -1) return null;
  const words = nodes.slice(0, at).map((node) => node.text);
  const hasLine = nodes[at + 1]?.text === '/';
  return {
    family: familiesIn(nodes.slice(at + (hasLine ? 3 : 1))),
    weight: words.map(weightOf).findLast((each) => each !== null && each !== 400) ?? 400,
    style: words.some((word) => /^(?:italic|oblique)$/i.test(word)) ? 'italic' : 'normal',
  };
}

/** Names in format() that Chromium 156 supports (CSS Fonts 4, 4.3); `chromiumTech` has those in tech(). */
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
