// Finds which font faces the text of a page uses, from the computed fonts of its elements.

import type { PageElement } from '../html/page-tree.ts';
import type { Cascade, ElementStyle } from './cascade.ts';
import { type FontFace, familiesOf, fontShorthand, isItalic, weightOf } from './font-face.ts';

/** Values of the font longhands that an element has, as written; absent: the initial value. */
type ComputedFont = Readonly<Record<string, string>>;

const longhands = ['font-family', 'font-weight', 'font-style'];

const inherits = /^\s*(?:inherit|unset|revert|revert-layer)\s*$/i;

const partsOfText = ['first-line', 'first-letter'];
/** Limit on the font faces of a page. */
const most = 10_000;

export class PageFonts {
  readonly #cascade: Cascade;
  readonly #faces: FontFace[] = [];
  readonly #unused = new Set<FontFace>();
  /** State since `begin`: the fonts whose faces were looked up, and the computed font of each element. */
  readonly #asked = new Set<string>();
  readonly #computed = new Map<PageElement, ComputedFont>();
  #characters = '';

  constructor(cascade: Cascade) {
    this.#cascade = cascade;
  }

  /** true if each font face is in use, so that no further elements need to be checked. */
  get isEmpty(): boolean {
    return this.#unused.size === 0;
  }

  add(face: FontFace): void {
    if (this.#faces.length >= most) return;
    this.#faces.push(face);
    this.#unused.add(face);
  }

  /** Starts to look for the fonts that elements use; `addElement` is then called for each element in document order. */
  begin(characters: ReadonlySet<string>): void {
    this.#characters = [...characters].join('');
    this.#asked.clear();
    this.#computed.clear();
  }

  /**
   * Reports the font faces that the text of the element uses, so that they are fetched.
   * @param boxes Pseudo-elements with content, which need the height of their font even without text.
   */
  addElement(element: PageElement, style: ElementStyle, boxes: readonly string[]): void {
    const around = (element.parent && this.#computed.get(element.parent)) ?? {};
    const font = this.#fontOf(element, style, '', around);
    this.#computed.set(element, font);
    if (element.hasText) this.#useFont(font);
    for (const each of element.hasText ? [...partsOfText, ...boxes] : boxes) {
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
    const [family = '', weight = '', style = ''] = longhands.map((name) => font[name]);
    const key = `${family} ${weight} ${style}`;
    if (family === '' || this.#asked.has(key)) return;
    this.#asked.add(key);
    for (const each of familiesOf(family)) {
      const faces = this.#faces.filter((face) => face.family === each);
      for (const face of facesFor(faces, weightOf(weight) ?? 400, isItalic(style))) {
        const isUsed = face.characters?.test(this.#characters) ?? true;
        if (isUsed && this.#unused.delete(face))
          face.tell({ ...face.found, why: `text is in ${each}` });
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
    for (const name of style.size === 0 ? [] : longhands) {
      const matched = style.get(`${pseudoElement} ${name}`);
      if (matched === undefined || inherits.test(matched.declaration.value)) continue;
      const whole = this.#cascade.valueFor(element, matched);
      const value = matched.declaration.from === 'font' ? fontShorthand(whole)[name] : whole;
      if (value) font = { ...font, [name]: value };
    }
    return font;
  }
}

/** Returns the font faces of a family that suit the request best, each for other characters (CSS Fonts 4, 5.2). */
function facesFor(faces: readonly FontFace[], weight: number, italic: boolean): Iterable<FontFace> {
  // font-style decides first, then font-weight.
  const distances = faces.map(
    (face) => (face.isItalic === italic ? 0 : 10_000) + weightDistance(face.weight, weight),
  );
  const best = Math.min(...distances);
  const matching = faces.filter((_, index) => distances[index] === best);
  // Of font faces with the same unicode-range, the one declared last is used.
  return new Map(matching.map((face) => [String(face.characters), face])).values();
}

function weightDistance([first, last]: readonly [number, number], wanted: number): number {
  if (first <= wanted && wanted <= last) return 0;
  const isLighter = last < wanted;
  const apart = isLighter ? wanted - last : first - wanted;
  // Preferred are, below 400, lighter faces; above 500, heavier ones; from 400 to 500, heavier up to 500, then lighter.
  const isFirst = wanted < 400 ? isLighter : !isLighter && (wanted > 500 || first <= 500);
  return isFirst ? apart : apart + (isLighter ? 2_000 : 4_000);
}
