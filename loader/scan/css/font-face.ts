// Reads @font-face rules (CSS Fonts 4, 4) and the values of font properties.

import { childrenOf, splitAtCommas, urlOf, valuesOf, wordOf } from '../style/css-tree.ts';
import type { StyleFound, TellStyle } from './style-rule.ts';

/** A font face whose rule has a supported source. */
export interface FontFace {
  readonly found: StyleFound;
  readonly tell: TellStyle;
  /** Name of the font family, in lower case. */
  readonly family: string;
  /** The least and the largest font-weight that the face is for, 1..1000. */
  readonly weight: readonly [number, number];
  readonly isItalic: boolean;
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
    isItalic: isItalic(textOf('font-style')),
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
export const isItalic = (text: string): boolean => /^\s*(?:italic|oblique)/i.test(text);

function unicodeRange(text: string): RegExp | null {
  const ranges = [...text.matchAll(/u\+([0-9a-f?]{1,6})(?:-([0-9a-f]{1,6}))?/g)];
  const classes = ranges.map(
    ([, first = '', last = first]) =>
      `\\u{${first.replaceAll('?', '0')}}-\\u{${last.replaceAll('?', 'f')}}`,
  );
  try {
    return ranges.length === 0 ? null : new RegExp(`[${classes.join('')}]`, 'u');
  } catch {
    return null;
  }
}

/** Returns the names in a font-family list, in lower case (CSS Fonts 4, 5.1). */
export const familiesOf = (text: string): string[] =>
  splitAtCommas(valuesOf(text) ?? [])
    .map((part) => part.map(wordOf).join(' '))
    .filter((family) => family !== '');

/** Matches what is before the font size in the font shorthand, and the families behind it (CSS Fonts 4, 2.7). */
const shorthand =
  /^(.*?)(?<!\S)(?:\.?\d[\d.]*(?:%|[a-z]+)|0|[a-z-]+\(.*\)|(?:x{1,3}-)?(?:small|large)|medium|smaller|larger)(?:\s*\/\s*\S+)?\s+(.+)$/is;

/** Returns the longhands that the font shorthand sets; {} for a system font or an invalid value. */
export function fontShorthand(text: string): Record<string, string> {
  const [, words, family = ''] = shorthand.exec(text) ?? [];
  if (words === undefined) return {};
  const [weight = 'normal'] = /(?<!\S)(?:bold(?:er)?|lighter|\d+)(?!\S)/i.exec(words) ?? [];
  const [style = 'normal'] = /(?<!\S)(?:italic|oblique)/i.exec(words) ?? [];
  return { 'font-family': family, 'font-weight': weight, 'font-style': style };
}
