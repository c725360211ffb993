// What the style of one page refers to: sheets, style elements and style attributes together. A browser fetches an image
// or a font when an element uses it, so each waits here until the page has shown one that surely does.

import type { Screen } from '../style/environment.ts';
import { CssScanner } from './css-scanner.ts';
import type { FontFace } from './font-face.ts';
import type { CssFound } from './found.ts';
import { PageCascade } from './page-cascade.ts';
import { PageFonts } from './page-fonts.ts';
import type { SelectorUse } from './selector-use.ts';
import type { SheetPlace } from './sheet-order.ts';
import { ShownBoxes } from './shown-boxes.ts';
import type { ShownElement, ShownElements } from './shown-elements.ts';

/** Receives what a browser fetches, or why it does not. */
export type TellStyle = (item: CssFound) => void;

interface Waiting {
  item: CssFound;
  tell: TellStyle;
  /** They match, but have no box, or another declaration counts. A later sheet may change that. */
  refused: Array<{ element: ShownElement; use: SelectorUse | null }>;
  /** Why the last of them does not use it. */
  why: string | null;
}

/** Elements that an image is asked about again when a sheet has ended. */
const mostRefused = 64;
/**
 * A page with more elements times sheets than this (no saved page has a tenth of it) is asked again when its document
 * ends, and then as often once more.
 */
const mostAskedAgain = 200_000;
/** Style attributes are compared with each other by no place, since an element has one. */
const ofAttributes: SheetPlace = { at: 0, applies: true };

/** @public for `requireBeside` */
export class PageStyles {
  readonly #screen: Screen;
  readonly #shown: ShownElements;
  readonly #wantsUnsure: boolean;
  readonly #cascade: PageCascade;
  readonly #boxes: ShownBoxes;
  readonly #fonts: PageFonts;
  readonly #faces = new Map<FontFace, Waiting>();
  /** What nothing has been seen to use. */
  readonly #unsure = new Set<Waiting>();
  /** What the style attributes of elements refer to. */
  readonly #ofElements = new Map<ShownElement, CssFound[]>();
  /** Elements, by sheets that have ended. */
  #askedAgain = 0;

  /** @param wantsUnsure What perhaps nobody uses is fetched, too. */
  constructor(screen: Screen, shown: ShownElements, wantsUnsure: boolean) {
    this.#screen = screen;
    this.#shown = shown;
    this.#cascade = new PageCascade(shown);
    this.#boxes = new ShownBoxes(this.#cascade);
    this.#fonts = new PageFonts(shown, this.#cascade, this.#boxes, (face) => this.#tellFace(face));
    this.#wantsUnsure = wantsUnsure;
    shown.onStyle = (element) => this.#readAttribute(element);
    for (const element of shown.all) if (element.style !== undefined) this.#readAttribute(element);
  }

  /** @param tell is called inside `write` and `end` of the scanner, and whenever the page has shown more. */
  sheet(tell: TellStyle, place: SheetPlace): CssScanner {
    return new CssScanner({
      screen: this.#screen,
      cascade: this.#cascade,
      place,
      onFound: (item) => this.#take(item, null, tell),
    });
  }

  /** Of an element that was shown with a style attribute. */
  attribute(element: ShownElement, tell: TellStyle): void {
    for (const item of this.#ofElements.get(element) ?? []) this.#take(item, element, tell);
  }

  /** To be called when a sheet has ended. */
  update(): void {
    if (this.#askedAgain > mostAskedAgain) return;
    for (const waiting of this.#unsure) {
      if (waiting.refused.length > 0) this.#askAgain(waiting);
      this.#askedAgain += waiting.refused.length;
    }
    if (this.#faces.size > 0) {
      this.#fonts.update();
      this.#askedAgain += this.#shown.all.length;
    }
  }

  /** The document has ended. */
  updateAtEnd(): void {
    this.#askedAgain = 0;
    this.update();
  }

  /** The page has ended, and so have its sheets: what still waits is told as skipped. */
  end(): void {
    for (const waiting of [...this.#unsure, ...this.#faces.values()]) {
      const { item, tell } = waiting;
      tell({ ...item, skipped: item.maybe ?? whyUnsure(waiting) });
    }
    this.#unsure.clear();
    this.#faces.clear();
  }

  #readAttribute(element: ShownElement): void {
    const items: CssFound[] = [];
    const options = { screen: this.#screen, cascade: this.#cascade, place: ofAttributes };
    const scanner = new CssScanner({ ...options, onFound: (item) => items.push(item) }, element);
    scanner.write(element.style ?? '');
    scanner.end();
    this.#ofElements.set(element, items);
  }

  /** @param element whose style attribute it is in; null: it is in a sheet */
  #take(item: CssFound, element: ShownElement | null, tell: TellStyle): void {
    const isTold = item.kind === 'stylesheet' || item.skipped !== undefined;
    if (isTold || this.#wantsUnsure) {
      tell(item);
      return;
    }
    const waiting: Waiting = { item, tell, refused: [], why: null };
    if (item.fontFace !== undefined && item.maybe === undefined) {
      this.#faces.set(item.fontFace, waiting);
      this.#fonts.addFace(item.fontFace);
      return;
    }
    this.#unsure.add(waiting);
    if (item.maybe !== undefined) return;
    if (element !== null) {
      this.#ask(waiting, element, null);
      return;
    }
    const ask = (each: ShownElement, use: SelectorUse) => this.#ask(waiting, each, use);
    if (item.declaration !== undefined) this.#shown.watch(item.selectors ?? [], ask);
    // In a custom property.
    else this.#shown.when(item.selectors, () => this.#shown.watch(item.usedBy ?? [], ask));
  }

  /** @returns Whether the element uses it */
  #ask(waiting: Waiting, element: ShownElement, use: SelectorUse | null): boolean {
    waiting.why = this.#whyNot(waiting.item, element, use);
    if (waiting.why === null) this.#tell(waiting);
    else if (waiting.refused.length < mostRefused) waiting.refused.push({ element, use });
    return waiting.why === null;
  }

  #askAgain(waiting: Waiting): void {
    const { item, refused } = waiting;
    const isUsed = refused.some(({ element, use }) => this.#whyNot(item, element, use) === null);
    if (isUsed) this.#tell(waiting);
  }

  /** null: the element uses it. */
  #whyNot(item: CssFound, element: ShownElement, use: SelectorUse | null): string | null {
    const { property = '', declaration } = item;
    if (this.#shown.isExhausted) return 'the page has too much to compare';
    if (
      declaration !== undefined &&
      this.#cascade.isOverridden(declaration, element, property, use)
    )
      return 'overridden by another declaration';
    return this.#boxes.has(element, use?.pseudoElement ?? null, property)
      ? null
      : 'its element has no box';
  }

  #tell(waiting: Waiting): void {
    if (this.#unsure.delete(waiting)) waiting.tell(waiting.item);
  }

  #tellFace(face: FontFace): void {
    const waiting = this.#faces.get(face);
    this.#faces.delete(face);
    waiting?.tell(waiting.item);
  }
}

function whyUnsure({ item: { fontFace, selectors }, why }: Waiting): string {
  if (why !== null) return why;
  if (fontFace !== undefined) return `no text is known to be in ${fontFace.family}`;
  const [first] = selectors ?? [];
  if (first === undefined) return 'no rule is known to use it';
  const others = (selectors?.length ?? 0) > 1 ? ` and ${(selectors?.length ?? 0) - 1} more` : '';
  return `no element is known to match ${first.text.slice(0, 80)}${others}`;
}
