// Finds which font faces the text of a page uses, from the computed fonts of its elements.

import type { PageElement } from '../html/page-tree.ts';
import type { Cascade, ElementStyle } from './cascade.ts';
import type { CharacterSet } from './character-set.ts';
import { type FontFace, familiesOf, fontShorthand, weightOf } from './font-face.ts';

interface ComputedFont {
  /** Names of the font families, in lower case. */
  readonly family: readonly string[];
  readonly weight: number;
  readonly style: 'normal' | 'italic';
}

const initialFont: ComputedFont = { family: [], weight: 400, style: 'normal' };

const reference = /var\(\s*(--[^\s,()]+)\s*(?:,([^()]*))?\)/gi;
/** Deepest chain of custom properties, each naming the next in var(), that is followed. */
const deepest = 8;
/** Longest value with var() replaced, in characters; a longer one is ignored. */
const longest = 4_096;
const inherits = /^\s*(?:inherit|unset|revert|revert-layer)\s*$/i;

const partsOfText = ['first-line', 'first-letter', 'marker'];
/** Limit on the font faces of one family. */
const mostOfFamily = 1_000;

export class PageFonts {
  readonly #cascade: Cascade;
  readonly #faces = new Map<string, FontFace[]>();
  readonly #unused = new Set<FontFace>();
  /** State since `begin`: the fonts whose faces were looked up, and the computed font of each element. */
  readonly #asked = new Set<string>();
  readonly #computed = new Map<PageElement, ComputedFont>();
  #characters: CharacterSet | null = null;

  constructor(cascade: Cascade) {
    this.#cascade = cascade;
  }

  /** true if each font face is in use, so that no further elements need to be checked. */
  get isEmpty(): boolean {
    return this.#unused.size === 0;
  }

  add(face: FontFace): void {
    const faces = this.#faces.get(face.family) ?? [];
    if (faces.length >= mostOfFamily) return;
    faces.push(face);
    this.#faces.set(face.family, faces);
    this.#unused.add(face);
  }

  /** Starts to look for the fonts that elements use; `addElement` is then called for each element in document order. */
  begin(characters: CharacterSet): void {
    this.#characters = characters;
    this.#asked.clear();
    this.#computed.clear();
  }

  /**
   * Reports the font faces that the text of the element uses, so that they are fetched.
   * @param boxes Pseudo-elements with content, which need the height of their font even without text.
   */
  addElement(element: PageElement, style: ElementStyle, boxes: readonly string[]): void {
    const around = (element.parent && this.#computed.get(element.parent)) ?? initialFont;
    const font = this.#fontOf(element, style, '', around);
    this.#computed.set(element, font);
    if (element.hasText) this.#useFont(font);
    const parts = partsOfText.filter((part) => style.has(`${part} font-family`));
    for (const each of element.hasText ? [...parts, ...boxes] : boxes) {
      this.#useFont(this.#fontOf(element, style, each, font));
    }
  }

  /** Reports as skipped (not fetched) the font faces that no element was found to use. */
  end(): void {
    for (const { family, found, tell } of this.#unused) {
      tell({ ...found, skipped: `no text is known to be in ${family}` });
    }
    this.#unused.clear();
  }

  #useFont(font: ComputedFont): void {
    const { family: families, weight, style } = font;
    for (const family of families) {
      const faces = this.#faces.get(family);
      const key = `${family} ${weight} ${style}`;
      if (faces === undefined || this.#asked.has(key)) continue;
      this.#asked.add(key);
      for (const face of facesFor(faces, font)) {
        const isUsed =
          face.unicodeRange?.some(([first, last]) => this.#characters?.has(first, last)) ?? true;
        if (!isUsed || !this.#unused.delete(face)) continue;
        face.tell({ ...face.found, why: `text is in ${family}` });
      }
    }
  }

  /**
   * Computes the font of an element or a pseudo-element; what its style does not set is inherited.
   * @param pseudoElement '' for the element itself @param around The font that is inherited
   */
  #fontOf(
    element: PageElement,
    style: ElementStyle,
    pseudoElement: string,
    around: ComputedFont,
  ): ComputedFont {
    let font = around;
    const textOf = (name: string) => this.#cascade.custom(element, name, pseudoElement)?.value;
    for (const [part, parse] of style.size === 0 ? [] : parsers) {
      const name = `font-${part}`;
      const matched = style.get(pseudoElement === '' ? name : `${pseudoElement} ${name}`);
      if (matched === undefined || inherits.test(matched.declaration.value)) continue;
      const { from, value } = matched.declaration;
      const whole = substituted(value, textOf, 0);
      const computed = from === 'font' ? fontShorthand(whole)?.[part] : parse(whole);
      if (computed !== undefined && computed !== null) font = { ...font, [part]: computed };
    }
    return font;
  }
}

/** Returns the font faces of a family that suit the request best, each for other characters (CSS Fonts 4, 5.2). */
function facesFor(faces: readonly FontFace[], request: ComputedFont): FontFace[] {
  const distances = faces.map((face) => distance(face, request));
  const best = distances.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const matching = faces.filter((_, index) => distances[index] === best);
  // Of font faces with the same unicode-range, the one declared last is used.
  const last = new Map(matching.map((face) => [JSON.stringify(face.unicodeRange), face]));
  return [...last.values()];
}

/** Returns how far a face is from the requested font: the style decides first, then the weight. */
function distance(face: FontFace, request: ComputedFont): number {
  const styles =
    request.style === 'italic' ? ['italic', 'oblique', 'normal'] : ['normal', 'oblique', 'italic'];
  return styles.indexOf(face.style) * 10_000 + weightDistance(face.weight, request.weight);
}

function weightDistance([first, last]: readonly [number, number], wanted: number): number {
  if (first <= wanted && wanted <= last) return 0;
  const isLighter = last < wanted;
  const apart = isLighter ? wanted - last : first - wanted;
  if (wanted > 500) return isLighter ? apart + 2_000 : apart;
  if (wanted < 400) return isLighter ? apart : apart + 2_000;
  // If 400 to 500 is wanted: first heavier weights up to 500, then lighter ones, then those over 500.
  if (!isLighter) return first <= 500 ? apart : apart + 4_000;
  return apart + 2_000;
}

/** Parsers of the values of the font longhands; they return null if the value is invalid. */
const parsers = [
  ['family', familiesOf],
  ['weight', (value: string) => (/^\s*lighter\s*$/i.test(value) ? 100 : weightOf(value))],
  ['style', (value: string) => (/^\s*(?:italic|oblique)/i.test(value) ? 'italic' : 'normal')],
] as const;

/** Returns the value with custom properties in place of var(); '' if that is too long. */
function substituted(
  value: string,
  textOf: (name: string) => string | undefined,
  depth: number,
): string {
  if (depth > deepest || !/var\(/i.test(value)) return value;
  const replaced = value.replace(
    reference,
    (_, name: string, fallback = '') => textOf(name) ?? fallback,
  );
  return replaced.length > longest ? '' : substituted(replaced, textOf, depth + 1);
}
