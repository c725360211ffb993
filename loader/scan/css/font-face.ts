// Reads @font-face rules (CSS Fonts 4, 4) and the values of font properties.

import {
  type CssNode,
  childrenOf,
  splitAtCommas,
  urlOf,
  valuesOf,
  wordOf,
} from '../style/css-tree.ts';
import type { StyleFound, TellStyle } from './style-rule.ts';

/** A font face whose rule has a supported source. */
export interface FontFace {
  readonly found: StyleFound;
  readonly tell: TellStyle;
  /** Name of the font family, in lower case. */
  readonly family: string;
  /** Lightest and heaviest weight, 1..1000. */
  readonly weight: readonly [number, number];
  readonly style: 'normal' | 'italic' | 'oblique';
  /** First and last code point of each range; null: the face is for all characters. */
  readonly unicodeRange: ReadonlyArray<readonly [number, number]> | null;
}

/**
 * Makes a font face of the descriptors of a rule.
 * @param offset Where the rule begins, in characters from the start of the sheet
 * @returns null if the rule has no font-family, or no source that needs a request
 */
export function fontFaceOf(
  descriptors: ReadonlyMap<string, string>,
  offset: number,
  tell: TellStyle,
): FontFace | null {
  const textOf = (name: string) => descriptors.get(name)?.trim().toLowerCase() ?? '';
  const [family] = familiesOf(textOf('font-family'));
  const [written, ...others] = sourcesOf(descriptors.get('src') ?? '');
  if (family === undefined || written === undefined || /^data:/i.test(written)) return null;
  const [style] = /^(?:italic|oblique)/.exec(textOf('font-style')) ?? ['normal'];
  const [first, last] = textOf('font-weight').split(/\s+/).map(weightOf);
  const weights = first ? [first, last ?? first] : [400];
  return {
    // Fonts are always fetched with CORS (CSS Fonts 4, 4.9).
    found: {
      kind: 'font',
      written,
      others,
      named: '@font-face src',
      offset,
      priority: 'highest',
      crossOrigin: 'anonymous',
    },
    tell,
    family,
    style: style as FontFace['style'],
    weight: [Math.min(...weights), Math.max(...weights)],
    unicodeRange: unicodeRanges(textOf('unicode-range')),
  };
}

/** Returns the URLs of the supported sources, in order, without local(): the fonts of the system are not known. */
export function sourcesOf(src: string): string[] {
  return splitAtCommas(valuesOf(src) ?? []).flatMap(([first, ...others]) => {
    const written = urlOf(first) ?? '';
    const isNamed = others.some((each) => wordOf(each) === 'format');
    // Chromium takes the extension .eot for an unsupported format: old sheets name such files for Internet Explorer.
    const isOld = !isNamed && /\.eot$/i.test(written);
    return written !== '' && !isOld && others.every(isTaken) ? [written] : [];
  });
}

function isTaken(node: CssNode): boolean {
  const known = { format: chromiumFormat, tech: chromiumTech }[wordOf(node)];
  return known !== undefined && childrenOf(node).every((each) => known.has(wordOf(each)));
}

export function weightOf(text: string): number | null {
  const word = text.trim().toLowerCase();
  if (word === 'normal') return 400;
  if (word === 'bold' || word === 'bolder') return 700;
  const number = /^\d+(?:\.\d+)?$/.test(word) ? Number(word) : 0;
  return number >= 1 && number <= 1000 ? number : null;
}

function unicodeRanges(text: string): FontFace['unicodeRange'] {
  const ranges: Array<readonly [number, number]> = [];
  for (const each of text.split(',')) {
    const range = /^u\+([0-9a-f?]{1,6})(?:-([0-9a-f]{1,6}))?$/.exec(each.trim());
    if (range === null) return null;
    const [, first = '', last = first.replaceAll('?', 'f')] = range;
    ranges.push([Number.parseInt(first.replaceAll('?', '0'), 16), Number.parseInt(last, 16)]);
  }
  return ranges;
}

/** Returns the names in a font-family list, in lower case (CSS Fonts 4, 5.1). */
export const familiesOf = (text: string): string[] => familiesIn(valuesOf(text) ?? []);

const familiesIn = (nodes: readonly CssNode[]): string[] =>
  splitAtCommas(nodes)
    .map((part) => part.map(wordOf).join(' '))
    .filter((family) => family !== '');

const sizeWord = /^(?:x{0,3}-(?:small|large)|small|large|medium|smaller|larger)$/;

/** Reads the font shorthand (CSS Fonts 4, 2.7). @returns null for a system font or an invalid value */
export function fontShorthand(
  text: string,
): { family: string[]; weight: number; style: 'normal' | 'italic' } | null {
  const nodes = valuesOf(text) ?? [];
  const at = nodes.findIndex(
    (node) =>
      /^(?:Dimension|Percentage|Function)$/.test(node.type) ||
      sizeWord.test(wordOf(node)) ||
      node.value === '0',
  );
  if (at === -1) return null;
  const words = nodes.slice(0, at).map((node) => node.value ?? wordOf(node));
  const hasLine = nodes[at + 1]?.value === '/';
  return {
    family: familiesIn(nodes.slice(at + (hasLine ? 3 : 1))),
    weight: words.map(weightOf).findLast((each) => each !== null && each !== 400) ?? 400,
    style: words.some((word) => /^(?:italic|oblique)$/.test(word)) ? 'italic' : 'normal',
  };
}

/** The names in format() that Chromium 156 supports (CSS Fonts 4, 4.3); `chromiumTech` has the names in tech(). */
export const chromiumFormat: ReadonlySet<string> = new Set(
  `woff2 woff truetype opentype collection woff2-variations woff-variations truetype-variations
    opentype-variations`.split(/\s+/),
);

export const chromiumTech: ReadonlySet<string> = new Set(
  `variations palettes features-opentype features-aat color-colrv0 color-colrv1
    color-sbix color-cbdt`.split(/\s+/),
);
