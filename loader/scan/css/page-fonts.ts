// Finds which font faces the text of a page uses, from the computed fonts of its elements.

import type { PageElement } from '../html/page-tree.ts';
import type { Cascade, ElementStyle } from './cascade.ts';
import type { CharacterSet } from './character-set.ts';
import { type ComputedFont, computedFont, initialFont } from './computed-font.ts';
import { type FontFace, foundInFace } from './font-face.ts';

const partsOfText = ['first-line', 'first-letter', 'marker'];
/** Most font faces that are kept for a page. */
const most = 20_000;
const mostOfFamily = 1_000;

export class PageFonts {
  readonly #cascade: Cascade;
  readonly #faces = new Map<string, FontFace[]>();
  readonly #unused = new Set<FontFace>();
  #count = 0;
  /** State since `begin`: the fonts whose faces were looked up, and the computed font of each element. */
  readonly #asked = new Set<string>();
  readonly #taken = new Set<ComputedFont>();
  readonly #computed = new Map<PageElement, ComputedFont>();
  #characters: CharacterSet | null = null;

  constructor(cascade: Cascade) {
    this.#cascade = cascade;
  }

  /** true if no face is unused, so that elements need not be checked. */
  get isEmpty(): boolean {
    return this.#unused.size === 0;
  }

  add(face: FontFace): void {
    const faces = this.#faces.get(face.family) ?? [];
    if (this.#count++ >= most || faces.length >= mostOfFamily) return;
    faces.push(face);
    this.#faces.set(face.family, faces);
    this.#unused.add(face);
    this.#cascade.wantFonts();
  }

  /** Called before `addElement` is called for all elements, in document order. */
  begin(characters: CharacterSet): void {
    this.#characters = characters;
    this.#asked.clear();
    this.#taken.clear();
    this.#computed.clear();
  }

  /** @param boxes Pseudo-elements with content, which need the height of their font even without text. */
  addElement(element: PageElement, style: ElementStyle, boxes: readonly string[]): void {
    const around = (element.parent && this.#computed.get(element.parent)) ?? initialFont;
    if (style.size === 0) {
      this.#computed.set(element, around);
      if (element.hasText) this.#useFont(around);
      return;
    }
    const compute = (pseudoElement: string, outer: ComputedFont) =>
      computedFont(
        style,
        pseudoElement,
        outer,
        (name) => this.#cascade.custom(element, name, pseudoElement)?.value,
      );
    const font = compute('', around);
    this.#computed.set(element, font);
    if (element.hasText) {
      this.#useFont(font);
      for (const part of partsOfText) {
        if (style.has(`${part} font-family`)) this.#useFont(compute(part, font));
      }
    }
    for (const box of boxes) this.#useFont(compute(box, font));
  }

  /** Reports the faces that are still unused as skipped. */
  end(): void {
    for (const face of this.#unused) {
      const skipped = `no text is known to be in ${face.family}`;
      face.tell({ ...foundInFace(face), skipped });
    }
    this.#unused.clear();
  }

  #useFont(font: ComputedFont): void {
    if (this.#taken.has(font)) return;
    this.#taken.add(font);
    const { families, weight, style } = font;
    for (const family of families) {
      const faces = this.#faces.get(family);
      const key = `${family} ${weight} ${style}`;
      if (faces === undefined || this.#asked.has(key) || this.#characters === null) continue;
      this.#asked.add(key);
      for (const face of facesFor(faces, font, this.#characters)) {
        if (!this.#unused.delete(face)) continue;
        face.tell({ ...foundInFace(face), why: `text is in ${family}` });
      }
    }
  }
}

/** The faces, out of those of one family, that a text uses (CSS Fonts 4, 5.2). */
function facesFor(
  faces: readonly FontFace[],
  request: ComputedFont,
  characters: CharacterSet,
): FontFace[] {
  const distances = faces.map((face) => distance(face, request));
  const best = distances.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const matching = faces.filter((_, index) => distances[index] === best);
  // Of faces with the same unicode-range, the last one wins.
  const last = new Map(matching.map((face) => [JSON.stringify(face.unicodeRange), face]));
  return [...last.values()].filter((face) => hasCharacters(face, characters));
}

function hasCharacters({ unicodeRange }: FontFace, characters: CharacterSet): boolean {
  return unicodeRange?.some(([first, last]) => characters.has(first, last)) ?? true;
}

/** How far a face is from the requested font: the style decides first, then the weight. */
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
  // For 400 to 500: first the wanted weight up to 500, then lighter weights, then heavier ones.
  if (!isLighter) return first <= 500 ? apart : apart + 4_000;
  return apart + 2_000;
}
