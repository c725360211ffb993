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
  readonly style: 'normal' | 'italic';
  /** Matches a text with a character that the face is for; null: it is for all. */
  readonly characters: RegExp | null;
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
  const [first, last] = textOf('font-weight').split(/\s+/).map(weightOf);
  const weights = first ? [first, last ?? first] : [400];
  // Fonts are always fetched with CORS (CSS Fonts 4, 4.9).
  const how = { priority: 'highest', crossOrigin: 'anonymous' } as const;
  return {
    found: { kind: 'font', written, others, named: '@font-face src', offset, ...how },
    tell,
    family,
    style: styleOf(textOf('font-style')),
    weight: [Math.min(...weights), Math.max(...weights)],
    characters: unicodeRange(textOf('unicode-range')),
  };
}

/** Matches the names in format() that Chromium 156 supports (CSS Fonts 4, 4.3). */
const supported = /^(?:collection|(?:opentype|truetype|woff2?)(?:-variations)?)$/;

/** Returns the URLs of the supported sources, in order, without local(): the fonts of the system are not known. */
export function sourcesOf(src: string): string[] {
  return splitAtCommas(valuesOf(src) ?? []).flatMap(([first, ...others]) => {
    const written = urlOf(first) ?? '';
    const formats = others.filter((each) => wordOf(each) === 'format').flatMap(childrenOf);
    // Chromium takes the extension .eot for an unsupported format: old sheets name such files for Internet Explorer.
    const isTaken = formats[0]
      ? formats.every((each) => supported.test(wordOf(each)))
      : !/\.eot$/i.test(written);
    return written !== '' && isTaken ? [written] : [];
  });
}

export function weightOf(text: string): number | null {
  const word = text.trim().toLowerCase();
  const named = { normal: 400, bold: 700, bolder: 700, lighter: 100 }[word];
  const number = named ?? (/^\d+(?:\.\d+)?$/.test(word) ? Number(word) : 0);
  return number >= 1 && number <= 1000 ? number : null;
}

/** Takes an oblique face for an italic one. */
export const styleOf = (text: string): FontFace['style'] =>
  /^\s*(?:italic|oblique)/i.test(text) ? 'italic' : 'normal';

function unicodeRange(text: string): RegExp | null {
  const range = /^\s*u\+([0-9a-f?]{1,6})(?:-([0-9a-f]{1,6}))?\s*$/;
  const ranges = text.split(',').map((each) => range.exec(each));
  const classes = ranges.map((each) => {
    const [, first = '', last = first] = each ?? [];
    return `\\u{${first.replaceAll('?', '0')}}-\\u{${last.replaceAll('?', 'f')}}`;
  });
  try {
    return ranges.includes(null) ? null : new RegExp(`[${classes.join('')}]`, 'u');
  } catch {
    return null;
  }
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
): { family: string[]; weight: number; style: FontFace['style'] } | null {
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
    style: words.some((word) => styleOf(word) === 'italic') ? 'italic' : 'normal',
  };
}
