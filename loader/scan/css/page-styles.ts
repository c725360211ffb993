// Finds what a page's sheets, style elements and style attributes refer to. A browser fetches an image or a font when
// an element uses it, so all elements are checked when a linked sheet has ended, and when the document has ended.

import type { ScanSettings } from '../html/found.ts';
import { type PageElement, PageTree } from '../html/page-tree.ts';
import { browserLayer, Cascade, type ElementStyle, type Matched } from './cascade.ts';
import { CssSheet, type StyleOfPage } from './css-sheet.ts';
import { PageFonts } from './page-fonts.ts';
import type { SheetPlace } from './sheet-order.ts';
import { type Declaration, type TellStyle, tellUrl } from './style-rule.ts';
import { hasVariable, urlsOfValue } from './values.ts';

/** The place of all style attributes in the cascade: they need no order, since an element has only one. */
const ofAttributes: SheetPlace = { at: 1, applies: true };
const ofBrowser: SheetPlace = { at: 0, applies: true, layer: browserLayer };
const generated = ['before', 'after'];
/** Limit on values with var() replaced whose URLs are remembered. */
const mostValues = 1_000;

/** The page to which the style belongs. */
interface StyledPage {
  readonly settings: Pick<ScanSettings, 'screen'>;
  /** Returns the elements that have been read; null: no document is read. */
  readonly tree: (() => PageTree) | null;
}

export class PageStyles implements StyleOfPage {
  readonly page: StyledPage;
  readonly cascade = new Cascade();
  readonly fonts = new PageFonts(this.cascade);
  #isBrowserSheetRead = false;
  /** URLs by the value in which var() is replaced. */
  readonly #urls = new Map<string, readonly string[]>();

  constructor(page: StyledPage) {
    this.page = page;
  }

  /** Makes the reader of a sheet. @param tell Receives its references: some while it is read, some during `update`. */
  sheet(tell: TellStyle, place: SheetPlace): CssSheet {
    return new CssSheet(this, place, tell);
  }

  /** Adds the style of a new element. @param style Its style attribute, or presentation attributes as declarations */
  attribute(element: PageElement, style: string, isPresentation: boolean, tell: TellStyle): void {
    this.sheet(tell, ofAttributes).readAttribute(style, element, isPresentation);
  }

  /** Reports as skipped the URLs that no element is known to use; called when the page and its sheets have ended. */
  end(): void {
    for (const declaration of this.cascade.referring) {
      const skipped = this.#whyUnused(declaration);
      for (const url of declaration.urls)
        if (!declaration.told.has(url)) tellUrl(declaration, url, { skipped });
    }
    this.cascade.referring.clear();
    this.fonts.end();
  }

  /** Finds the images and fonts that the elements so far use. Called when a linked sheet or the document has ended. */
  update(): void {
    if (this.cascade.referring.size === 0 && this.fonts.isEmpty) return;
    const tree = this.page.tree?.() ?? new PageTree();
    if (!this.#isBrowserSheetRead) this.#readBrowserSheet();
    this.cascade.update(tree);
    this.fonts.begin(tree.characters);
    /** Elements whose content has no boxes, because of `display` or `content-visibility` there or of an ancestor. */
    const empty = new Set<PageElement | null>();
    for (const element of tree.elements) {
      if (this.cascade.isExhausted) return;
      const style = this.cascade.of(element);
      const isHidden = empty.has(element.parent) || isNone(style, '');
      if (isHidden || hidesContent(style)) empty.add(element);
      this.#useStyle(element, style, isHidden, empty.has(element));
    }
  }

  #readBrowserSheet(): void {
    this.#isBrowserSheetRead = true;
    const sheet = this.sheet(() => {}, ofBrowser);
    sheet.write(browserSheet);
    sheet.end();
  }

  /** Reports the images and fonts of an element's style. @param isEmpty true if the element's content has no boxes */
  #useStyle(element: PageElement, style: ElementStyle, isHidden: boolean, isEmpty: boolean): void {
    for (const matched of style.values()) {
      const { urls, value, property } = matched.declaration;
      const isPlain = urls.length === 0 && !hasVariable.test(value);
      if (isPlain || property.startsWith('--')) continue;
      const { pseudoElement } = matched.selector;
      const isNowhere = pseudoElement === '' ? isHidden : isEmpty;
      if (!isNowhere && hasBox(style, pseudoElement)) this.#use(matched, element);
    }
    if (isEmpty || this.fonts.isEmpty) return;
    const boxes = generated.filter((each) => hasBox(style, each));
    this.fonts.addElement(element, style, boxes);
  }

  /** Reports the URLs that an element uses in the value of a declaration. */
  #use(matched: Matched, element: PageElement): void {
    const { declaration } = matched;
    const { rule, value, told, urls: written } = declaration;
    const why = rule.text === '' ? 'its own style' : `for ${shortened(rule.text)}`;
    const isKnown = !hasVariable.test(value);
    for (const url of isKnown ? written : this.#urlsIn(this.cascade.valueFor(element, matched))) {
      if (!told.has(url)) tellUrl(declaration, url, { why });
      told.add(url);
    }
    if (isKnown) this.cascade.referring.delete(declaration);
  }

  #urlsIn(value: string): readonly string[] {
    const urls = this.#urls.get(value) ?? urlsOfValue(value, this.page.settings.screen) ?? [];
    if (this.#urls.size < mostValues) this.#urls.set(value, urls);
    return urls;
  }

  #whyUnused({ property, rule, isMatched }: Declaration): string {
    if (this.cascade.isExhausted) return 'the page has too much to compare';
    if (property.startsWith('--')) return 'no element is known to use it';
    if (isMatched) return 'overridden, or of an element without a box';
    return `no element is known to match ${shortened(rule.text)}`;
  }
}

const shortened = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 80);

const isNone = (style: ElementStyle, pseudoElement: string): boolean =>
  /^\s*none\b/i.test(style.get(`${pseudoElement} display`)?.declaration.value ?? '');

const hidesContent = (style: ElementStyle): boolean =>
  /^\s*hidden\b/i.test(style.get(' content-visibility')?.declaration.value ?? '');

/** Whether a pseudo-element, or the element itself, has a box; ::before needs content (CSS Pseudo 4, 4.1). */
function hasBox(style: ElementStyle, pseudoElement: string): boolean {
  if (!generated.includes(pseudoElement)) return true;
  const content = style.get(`${pseudoElement} content`)?.declaration.value ?? 'none';
  return !/^\s*(?:none|normal)\b/i.test(content) && !isNone(style, pseudoElement);
}

/**
 * The browser's own style sheet (HTML 15.3, Chromium 156), as far as it decides which boxes and
 * fonts there are. Its generic font families stand for all fonts that no page defines.
 */
const browserSheet = `
[hidden]:not([hidden=until-found i]), area, base, basefont, datalist, head, link, meta, noembed, noframes, param,
rp, script, style, template, title, dialog:not([open]), [popover],
input[type=hidden i], details:not([open]) > :not(summary:first-of-type) { display: none }
[hidden=until-found i] { content-visibility: hidden }
b, strong, th, h1, h2, h3, h4, h5, h6 { font-weight: bold }
em, i, cite, dfn, address, var { font-style: italic }
code, kbd, samp, pre, tt, listing, xmp, plaintext { font-family: monospace }
button, input, select, textarea { font: 13px system-ui }
`;
