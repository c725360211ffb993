// The fonts of a page: which faces its text takes. A browser knows when the sheets that block rendering are there. Here
// a text is asked about when it is first seen, and all text again whenever a sheet or the document has ended.

import type { CharacterSet } from './character-set.ts';
import { ComputedFonts } from './computed-fonts.ts';
import type { FontFace } from './font-face.ts';
import type { PageCascade } from './page-cascade.ts';
import type { ShownBoxes } from './shown-boxes.ts';
import type { ShownElement, ShownElements } from './shown-elements.ts';

const partsOfText = ['first-line', 'first-letter', 'marker'];
/** Of faces. */
const most = 20_000;
const mostOfFamily = 1_000;

export class PageFonts {
  readonly #shown: ShownElements;
  readonly #cascade: PageCascade;
  readonly #boxes: ShownBoxes;
  readonly #computed: ComputedFonts;
  readonly #faces = new Map<string, FontFace[]>();
  readonly #onTaken: (face: FontFace) => void;
  /** What was asked since the last sheet ended. */
  readonly #asked = new Set<string>();
  #count = 0;

  /** @param onTaken Some text of the page surely takes the face. It may be called again. */
  constructor(
    shown: ShownElements,
    cascade: PageCascade,
    boxes: ShownBoxes,
    onTaken: (face: FontFace) => void,
  ) {
    this.#shown = shown;
    this.#cascade = cascade;
    this.#boxes = boxes;
    this.#computed = new ComputedFonts(cascade);
    this.#onTaken = onTaken;
    shown.onText = (element) => this.#take(element);
  }

  addFace(face: FontFace): void {
    if (this.#count++ >= most) return;
    const faces = this.#faces.get(face.family);
    if (faces === undefined) this.#faces.set(face.family, [face]);
    else if (faces.length < mostOfFamily) faces.push(face);
  }

  /** Sheets have come, or characters. */
  update(): void {
    this.#asked.clear();
    if (this.#faces.size === 0) return;
    for (const element of this.#shown.all) this.#take(element);
  }

  #take(element: ShownElement): void {
    if (this.#faces.size === 0 || this.#shown.isExhausted) return;
    if (element.hasText && !this.#boxes.isHidden(element)) {
      this.#ask(element, null);
      for (const pseudo of partsOfText) {
        if (this.#cascade.winner(element, 'font-family', pseudo)) this.#ask(element, pseudo);
      }
    }
    // They need the font's height even without text.
    for (const pseudo of ['before', 'after']) {
      if (this.#boxes.has(element, pseudo)) this.#ask(element, pseudo);
    }
  }

  #ask(element: ShownElement, pseudo: string | null): void {
    const computed = this.#computed;
    const { families, weight, style } =
      pseudo === null ? computed.of(element) : computed.ofBox(element, pseudo);
    for (const family of families) {
      const faces = this.#faces.get(family);
      const key = `${family} ${weight} ${style}`;
      if (faces === undefined || this.#asked.has(key)) continue;
      this.#asked.add(key);
      for (const face of facesFor(faces, { weight, style }, this.#shown.characters)) {
        this.#onTaken(face);
      }
    }
  }
}

interface FontRequest {
  weight: number;
  style: 'normal' | 'italic';
}

/**
 * The faces of a family that a text takes (CSS Fonts 4, 5.2).
 * @param faces of one family
 */
function facesFor(
  faces: readonly FontFace[],
  request: FontRequest,
  characters: CharacterSet,
): FontFace[] {
  const distances = faces.map((face) => distance(face, request));
  const best = distances.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const matching = faces.filter((_, index) => distances[index] === best);
  // Of faces for the same characters, the last one is taken first.
  const last = new Map(matching.map((face) => [JSON.stringify(face.unicodeRange), face]));
  return [...last.values()].filter((face) => hasCharacters(face, characters));
}

function hasCharacters({ unicodeRange }: FontFace, characters: CharacterSet): boolean {
  return unicodeRange?.some(([first, last]) => characters.has(first, last)) ?? true;
}

/** The style decides first, then the weight. */
function distance(face: FontFace, request: FontRequest): number {
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
  // From the wanted weight up to 500, then lighter ones, then heavier ones.
  if (!isLighter) return first <= 500 ? apart : apart + 4_000;
  return apart + 2_000;
}
