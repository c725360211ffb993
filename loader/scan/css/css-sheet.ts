// Reads a style sheet, with the same result however its text is split into chunks. Imports are reported as soon as they
// are complete, as a browser looks for them before it has the whole sheet; rules apply when it has ended.

import type { ScanSettings } from '../html/found.ts';
import type { PageElement } from '../html/page-tree.ts';
import { isSupported } from '../style/condition.ts';
import {
  listOf,
  partsOf,
  type Statement,
  statementsOf,
  urlOf,
  valuesOf,
} from '../style/css-tree.ts';
import { matchesMedia } from '../style/media-query.ts';
import type { Cascade } from './cascade.ts';
import { fontFaceOf, sourcesOf } from './font-face.ts';
import type { PageFonts } from './page-fonts.ts';
import { nestedSelectors, ofAttribute } from './selectors.ts';
import { placeOfImport, type SheetPlace } from './sheet-order.ts';
import { longhandsOf, mayMatter, type StyleRule, type TellStyle, tellUrl } from './style-rule.ts';
import { hasVariable, urlsOfValue } from './values.ts';

/** The style of a page, to which a sheet adds its layers, rules and font faces. */
export interface StyleOfPage {
  readonly page: { readonly settings: Pick<ScanSettings, 'screen'> };
  readonly cascade: Cascade;
  readonly fonts: PageFonts;
}

const unsupported = 'in @supports that does not hold';

/** Length of a sheet, in characters, beyond which further chunks are ignored. */
const longestSheet = 8 * 1024 * 1024;
/** The characters of a value that are kept besides its URLs, for keywords such as `none` and the names of fonts. */
const longestKept = 4096;

/** Longest start of a sheet, in characters, in which imports are read while the sheet is still arriving. */
const longestWaited = 16 * 1024;

export class CssSheet {
  readonly #style: StyleOfPage;
  readonly #place: SheetPlace;
  /** A rule outside of all rules, as a template of the sheet's rules. */
  readonly #outside: StyleRule;
  #text = '';
  /** Where `#text` begins, in characters from the start of the sheet. */
  #offset = 0;
  #isAtStart = true;
  #isImportAllowed = true;

  constructor(style: StyleOfPage, place: SheetPlace, tell: TellStyle) {
    this.#style = style;
    this.#place = place;
    const { applies, layer: path = [], at: sheet } = place;
    const skipped = applies ? null : 'in a style sheet that does not apply';
    const layer = applies ? style.cascade.layerOf(path) : [];
    const ofSheet = { path, layer, sheet, tell, skipped, declarations: [] };
    this.#outside = { text: '', element: null, selectors: null, ...ofSheet };
  }

  write(text: string): void {
    if (this.#offset + this.#text.length > longestSheet) return;
    this.#text += text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
    if (this.#isAtStart) this.#readStart();
  }

  /** Ends the sheet and reads its rules, which apply to the page only from now on. */
  end(): void {
    this.#read(statementsOf(this.#text, this.#offset, false), this.#outside);
    this.#text = '';
  }

  /**
   * Reads the declarations of an element.
   * @param block The value of a style attribute, or presentation attributes written as declarations
   */
  readAttribute(block: string, element: PageElement, isPresentation: boolean): void {
    this.#readRule(block, 0, {
      ...this.#outside,
      element,
      selectors: [ofAttribute(isPresentation)],
    });
  }

  /** Reads the complete statements (@charset, @import, @layer) at the start of the sheet. */
  #readStart(): void {
    if (this.#offset === 0) this.#text = this.#text.replace(/^\ufeff/, ' ');
    const [start = ''] = this.#text.slice(0, longestWaited).split('{', 1);
    this.#isAtStart = start === this.#text;
    for (const each of statementsOf(start, this.#offset, false)) {
      if (!each.isComplete) break;
      this.#read([each], this.#outside);
      this.#text = this.#text.slice(each.end - this.#offset);
      this.#offset = each.end;
    }
  }

  /** Reads @import (CSS Cascade 5, 2). Chromium fetches a sheet even if its media do not match, or its condition does
   *  not hold; only a condition that is one declaration without brackets keeps it from that. */
  #import({ text, offset }: Statement): void {
    const [target = '', ...rest] = partsOf(text).filter((part) => part.trim() !== '');
    const [first] = valuesOf(target) ?? [];
    const written = first?.type === 'String' ? first.value.trim() : urlOf(first);
    if (!written || /^data:/i.test(written)) return;
    const inLayer = /^layer(?:\(\s*([^)\s]*)|$)/i.exec(rest[0] ?? '');
    if (inLayer) rest.shift();
    const [, condition = ''] = /^supports(\(.*)/is.exec(rest[0] ?? '') ?? [];
    if (condition !== '') rest.shift();
    const holds = condition === '' || isSupported(condition);
    const importer = this.#place;
    const { path, tell } = this.#outside;
    const layer = inLayer ? this.#layerIn(path, inLayer[1] ?? '', offset) : path;
    const { screen } = this.#style.page.settings;
    const isUsed = holds && importer.applies && matchesMedia(rest.join(' '), screen);
    if (isUsed) this.#style.cascade.layerOf(layer);
    tell({
      kind: 'stylesheet',
      written,
      named: '@import',
      offset,
      imported: placeOfImport(importer, layer, isUsed),
      ...(isUsed
        ? { priority: 'highest', isBlocking: true }
        : { priority: 'lowest', isLate: true }),
      ...(!holds && /^\(\s*[-\w]+\s*:/.test(condition) && { skipped: unsupported }),
    });
  }

  /** Reads the statements in a rule, or in none (`#outside`). */
  #read(statements: readonly Statement[], around: StyleRule): void {
    for (const each of statements) {
      const { name, text, block, inside } = each;
      // A rule ends the part of the sheet where @import may be, but not if it is invalid: `@-moz-...`, `@import {...}`.
      if (block !== null && !/^@(?:-|import$)/.test(name)) this.#isImportAllowed = false;
      if (name.startsWith('@')) this.#atRule(each, around);
      else if (block === null) this.#declaration(each, around);
      else if (around.element === null && mayMatter.test(block))
        this.#readRule(block, inside, { ...around, text: nestedSelectors(text, around.text) });
    }
  }

  /** Reads what is in the block of a rule, or of an at-rule such as @media in it. */
  #readRule(block: string, inside: number, alike: StyleRule): void {
    const rule = { ...alike, declarations: [] };
    this.#read(statementsOf(block, inside, true), rule);
    if (rule.declarations.length > 0) this.#style.cascade.add(rule);
  }

  /**
   * Returns the path of a layer that is named inside `path`.
   * @param name Names that are joined by dots; '' for an anonymous layer, which is distinct from all others
   */
  #layerIn(path: readonly string[], name: string, offset: number): string[] {
    return [...path, ...(name === '' ? [`${this.#place.at} ${offset}`] : name.split('.'))];
  }

  #atRule(statement: Statement, around: StyleRule): void {
    const { name, block, offset, inside } = statement;
    const isInRule = around.text !== '' || around.element !== null;
    const condition = statement.text.trim();
    const mayImport = around === this.#outside && this.#isImportAllowed;
    if (name === '@import' && block === null && mayImport) this.#import(statement);
    if (name === '@font-face' && !isInRule) this.#face(statement, around);
    const why = this.#whySkipped(name, condition);
    if (why === undefined) return;
    let rule = { ...around, skipped: around.skipped ?? why };
    for (const each of name === '@layer' ? listOf(condition) : []) {
      const path = this.#layerIn(around.path, each, offset);
      rule = { ...rule, path, layer: rule.skipped ? [] : this.#style.cascade.layerOf(path) };
    }
    if (block === null) return;
    if (isInRule) this.#readRule(block, inside, rule);
    else this.#read(statementsOf(block, inside, false), rule);
  }

  /**
   * Returns why a browser does not fetch what is in an at-rule; null: it may fetch it; undefined: the at-rule is not
   * read, as @page, @counter-style, unknown ones, and @keyframes and @property, which rarely have images.
   */
  #whySkipped(name: string, condition: string): string | null | undefined {
    const { screen } = this.#style.page.settings;
    if (name === '@layer') return null;
    if (name === '@media')
      return matchesMedia(condition, screen) ? null : 'in @media that does not match';
    if (name === '@supports') return isSupported(condition) ? null : unsupported;
    return /^@(?:container|scope|starting-style)$/.test(name) ? `in ${name}` : undefined;
  }

  #face({ block, inside, offset }: Statement, { skipped, tell }: StyleRule): void {
    const descriptors = new Map<string, string>();
    for (const { name, text } of statementsOf(block ?? '', inside, true)) {
      // A `src` without a supported source does not override an earlier one that has some.
      if (name !== 'src' || sourcesOf(text).length > 0) descriptors.set(name, text);
    }
    const face = fontFaceOf(descriptors, offset, tell);
    if (face === null) return;
    if (skipped === null) this.#style.fonts.add(face);
    else tell({ ...face.found, skipped });
  }

  #declaration({ name: from, text, offset }: Statement, rule: StyleRule): void {
    const properties = longhandsOf(from);
    if (properties.length === 0) return;
    const written = text.replace(/!\s*important\s*$/i, '');
    // A flag other than !important makes the declaration invalid (CSS Cascade 5, 6.4).
    if (!from.startsWith('--') && /!\s*[-\w]+\s*$/.test(written)) return;
    const urls = urlsOfValue(written, this.#style.page.settings.screen);
    if (urls === null && !hasVariable.test(written)) return;
    const value = written.trim().slice(0, longestKept);
    const isImportant = written.length < text.length;
    for (const property of properties) {
      const place = { rule, from, property, value, isImportant, offset };
      if (rule.skipped === null)
        rule.declarations.push({ ...place, urls: urls ?? [], told: new Set(), isMatched: false });
      else for (const url of urls ?? []) tellUrl(place, url, { skipped: rule.skipped });
    }
  }
}
