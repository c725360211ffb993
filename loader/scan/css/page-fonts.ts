// The fonts of a page: which faces its text takes. A browser knows when the sheets that block rendering are there. Here
// a text is asked about when it is first seen, and all text again whenever a sheet or the document has ended.

import { ComputedFonts } from './computed-fonts.ts';
import { facesFor } from './font-choice.ts';
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
