// What the style of one page refers to: sheets, style elements and style attributes together. A browser fetches an
// image or a font when an element uses it, so each waits here until the page has shown one that surely does.

import type { Screen } from '../style/environment.ts';
import { CssScanner } from './css-scanner.ts';
import { CustomProperties, type VariableUse } from './custom-properties.ts';
import type { FontFace } from './font-face.ts';
import type { CssFound } from './found.ts';
import { type Declaration, PageCascade, type Selected } from './page-cascade.ts';
import { PageFonts } from './page-fonts.ts';
import type { SelectorUse } from './selector-use.ts';
import type { SheetPlace } from './sheet-order.ts';
import { ShownBoxes } from './shown-boxes.ts';
import type { ShownElement, ShownElements } from './shown-elements.ts';

/** Receives what a browser fetches, or why it does not. */
export type TellStyle = (item: CssFound) => void;

/** An element that perhaps uses it. */
interface Asked {
  element: ShownElement;
  /** By which its declaration matches; null: a style attribute's. */
  use: SelectorUse | null;
  /** That uses the custom property; null: none is between. */
  by: VariableUse | null;
}

interface Waiting {
  item: CssFound;
  tell: TellStyle;
  /** They match, but have no box, or another declaration counts. A later sheet may change that. */
  refused: Asked[];
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
const overridden = 'overridden by another declaration';
/** Style attributes are compared with each other by no place, since an element has one. */
const ofAttributes: SheetPlace = { at: 0, applies: true };

export class PageStyles {
  /** Of the sheets that begin from now on. */
  screen: Screen;
  readonly #shown: ShownElements;
  readonly #wantsUnsure: boolean;
  readonly #cascade: PageCascade;
  readonly #boxes: ShownBoxes;
  readonly #fonts: PageFonts;
  readonly #variables = new CustomProperties<Waiting>((waiting, by) => this.#pair(waiting, by));
  readonly #faces = new Map<FontFace, Waiting>();
  /** What nothing has been seen to use. */
  readonly #unsure = new Set<Waiting>();
  /** What the style attributes of elements refer to. */
  readonly #ofElements = new Map<ShownElement, CssFound[]>();
  /** Elements, by sheets that have ended. */
  #askedAgain = 0;

  /** @param wantsUnsure What perhaps nobody uses is fetched, too. */
  constructor(screen: Screen, shown: ShownElements, wantsUnsure: boolean) {
    this.screen = screen;
    this.#shown = shown;
    this.#cascade = new PageCascade(shown);
    this.#boxes = new ShownBoxes(this.#cascade);
    this.#fonts = new PageFonts(shown, this.#cascade, this.#boxes, (face) => this.#tellFace(face));
    this.#wantsUnsure = wantsUnsure;
    shown.onStyle = (element) => this.#readAttribute(element);
    for (const element of shown.all)
      if (element.look.style !== undefined) this.#readAttribute(element);
  }

  /** @param tell is called inside `write` and `end` of the scanner, and whenever the page has shown more. */
  sheet(tell: TellStyle, place: SheetPlace): CssScanner {
    return new CssScanner({
      screen: this.screen,
      cascade: this.#cascade,
      variables: this.#variables,
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
      tell({ ...item, skipped: item.maybe ?? this.#whyUnused(waiting) });
    }
    this.#unsure.clear();
    this.#faces.clear();
  }

  #whyUnused(waiting: Waiting): string {
    const { variable } = waiting.item;
    const isUnused = variable !== undefined && !this.#variables.isUsed(variable);
    return isUnused ? 'in a custom property that nothing uses' : whyUnsure(waiting);
  }

  #readAttribute(element: ShownElement): void {
    const items: CssFound[] = [];
    const options = { screen: this.screen, cascade: this.#cascade, place: ofAttributes };
    const variables = this.#variables;
    const scanner = new CssScanner(
      { ...options, variables, onFound: (item) => items.push(item) },
      element,
    );
    scanner.write(element.look.style ?? '');
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
    if (item.variable !== undefined) this.#variables.define(item.variable, waiting);
    else this.#watch(waiting, element ?? (() => item.selectors ?? []), null);
  }

  #pair(waiting: Waiting, by: VariableUse): void {
    if (this.#unsure.has(waiting)) this.#watch(waiting, by.selected, by);
  }

  /** Asks those that the declaration which uses it selects. */
  #watch(waiting: Waiting, selected: Selected, by: VariableUse | null): void {
    if (typeof selected !== 'function') this.#ask(waiting, { element: selected, use: null, by });
    else {
      this.#shown.watch(selected(), (element, use) => this.#ask(waiting, { element, use, by }));
    }
  }

  /** @returns Whether the element uses it */
  #ask(waiting: Waiting, asked: Asked): boolean {
    if (!this.#unsure.has(waiting)) return true;
    waiting.why = this.#whyNot(waiting.item, asked);
    if (waiting.why === null) this.#tell(waiting, asked);
    else if (waiting.refused.length < mostRefused) waiting.refused.push(asked);
    return waiting.why === null;
  }

  #askAgain(waiting: Waiting): void {
    const { item, refused } = waiting;
    const user = refused.find((asked) => this.#whyNot(item, asked) === null);
    if (user !== undefined) this.#tell(waiting, user);
  }

  /** null: the element uses it. */
  #whyNot(item: CssFound, { element, use, by }: Asked): string | null {
    const { property = '', declaration } = by ?? item;
    if (this.#shown.isExhausted) return 'the page has too much to compare';
    if (
      declaration !== undefined &&
      this.#cascade.isOverridden(declaration, element, property, use)
    )
      return overridden;
    const { variable, fallbackOf } = item;
    const pseudo = use?.pseudoElement ?? null;
    if (variable !== undefined && this.#custom(element, variable, pseudo) !== item.declaration)
      return overridden;
    if (fallbackOf !== undefined && this.#custom(element, fallbackOf, pseudo) !== null)
      return 'in var() of a custom property that is set';
    return this.#boxes.has(element, use?.pseudoElement ?? null, property)
      ? null
      : 'its element has no box';
  }

  /** The declaration of a custom property that counts, which is inherited; null: it is not set. */
  #custom(element: ShownElement, name: string, pseudo: string | null): Declaration | null {
    if (!this.#cascade.has(name)) return null;
    const own = pseudo === null ? null : this.#cascade.winner(element, name, pseudo);
    if (own !== null) return own;
    for (let at: ShownElement | null = element; at !== null; at = at.parent) {
      const declaration = this.#cascade.winner(at, name, null);
      if (declaration !== null) return declaration;
    }
    return null;
  }

  #tell(waiting: Waiting, { use, by }: Asked): void {
    if (!this.#unsure.delete(waiting)) return;
    waiting.tell(by === null ? waiting.item : { ...waiting.item, usedBy: use });
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
