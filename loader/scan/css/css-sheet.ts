// Reads a style sheet, with the same result however its text is split into chunks. Imports are reported as soon as they
// are complete, as a browser looks for them before it has the whole sheet; rules apply when it has ended.

import type { ScanSettings } from '../html/found.ts';
import type { PageElement } from '../html/page-tree.ts';
import {
  type CssNode,
  childrenOf,
  listOf,
  nameOf,
  nodeIn,
  partsOf,
  structureOf,
  urlOf,
  valuesOf,
} from '../style/css-tree.ts';
import type { Screen } from '../style/environment.ts';
import { matchesMedia } from '../style/media-query.ts';
import type { Cascade } from './cascade.ts';
import { fontFaceOf, sourcesOf } from './font-face.ts';
import type { PageFonts } from './page-fonts.ts';
import { hasImages, longhandsOf } from './properties.ts';
import { nestedSelectors, ofAttribute } from './selectors.ts';
import type { SheetPlace } from './sheet-order.ts';
import { type StyleRule, type TellStyle, tellUrl } from './style-rule.ts';
import { declarationHolds, isSupported } from './supports.ts';
import { allUrls, urlsOfValue } from './values.ts';

/** The style of a page, to which a sheet adds its layers, rules and font faces. */
export interface StyleOfPage {
  readonly page: { readonly settings: Pick<ScanSettings, 'screen'> };
  readonly cascade: Cascade;
  readonly fonts: PageFonts;
}

/** What the rules around a node of the syntax tree (@media, @supports, @layer, parent rules) decide about it. */
interface Around {
  /** Why the URLs of the node are reported as skipped; null: a browser may fetch them. */
  readonly skipped: string | null;
  /** Names of the cascade layers (@layer) that contain the node, the outermost first. */
  readonly path: readonly string[];
  /** Position of the node's cascade layer (`Cascade.layerOf`); null: the sheet or a rule around it does not apply. */
  readonly layer: readonly number[] | null;
  readonly rule: StyleRule | null;
}

/** Length of a sheet, in characters, beyond which further chunks are ignored. */
const longestSheet = 8 * 1024 * 1024;
/** Longest statement or comment, in characters, that is read while the sheet is still arriving. */
const longestWaited = 16 * 1024;
/** Limit on the URLs that are read from one declaration; further ones are ignored. */
const mostUrls = 1_000;
/** Longest property value that is kept as text to be read later, in characters; no list of font families is longer. */
const longestKept = 4_096;

/** Matches what may be a selector. A rule with an invalid selector is dropped, and imports may still follow it. */
const isSelector = /^[^%!;{}<@]+$/;
/** At-rules that end the part of a sheet in which @import is valid. */
const known = new Set(
  (
    'media supports layer container scope starting-style font-face keyframes -webkit-keyframes page property ' +
    'counter-style font-feature-values font-palette-values view-transition position-try namespace'
  ).split(' '),
);

export class CssSheet {
  readonly #style: StyleOfPage;
  readonly #place: SheetPlace;
  readonly #tell: TellStyle;
  /** Template of the sheet's rules: has the values that they have in common. */
  readonly #rule: StyleRule;
  readonly #outside: Around;
  #text = '';
  /** Where `#text` begins, in characters from the start of the sheet. */
  #offset = 0;
  #isAtStart = true;
  #isImportAllowed = true;
  #isImportSeen = false;

  constructor(style: StyleOfPage, place: SheetPlace, tell: TellStyle) {
    this.#style = style;
    this.#place = place;
    this.#tell = tell;
    const { applies, layer: path = [] } = place;
    const skipped = applies ? null : 'in a style sheet that does not apply';
    const layer = applies ? style.cascade.layerOf(path) : null;
    this.#outside = { skipped, path, layer, rule: null };
    const ofSheet = { sheet: place.at, tell, layer: layer ?? [], declarations: [] };
    this.#rule = { ...ofSheet, text: '', element: null, selectors: null };
  }

  write(text: string): void {
    if (this.#offset + this.#text.length > longestSheet) return;
    this.#text += text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
    if (this.#isAtStart) this.#readStart();
  }

  /** Ends the sheet and reads its rules, which apply to the page only from now on. */
  end(): void {
    this.#readTop(structureOf(this.#text, this.#offset));
    this.#text = '';
  }

  /**
   * Reads the declarations of an element.
   * @param declarations The value of a style attribute, or presentation attributes written as declarations
   */
  readAttribute(declarations: string, element: PageElement, isPresentation: boolean): void {
    this.#text = declarations;
    const nodes = structureOf(declarations, 0, 'declarationList');
    const rule = { ...this.#rule, element, selectors: [ofAttribute(isPresentation)] };
    this.#readRule(nodes, { ...this.#outside, rule }, '');
  }

  /** Reads the complete statements (@charset, @import, @layer) at the start of the sheet, before its first block. */
  #readStart(): void {
    if (this.#offset === 0) this.#text = this.#text.replace(/^\ufeff/, ' ');
    const [written = ''] = this.#text.slice(0, longestWaited).split('{', 1);
    const start = partsOf(written).join('');
    const isComplete = ({ type, name, prelude, loc: { end } }: CssNode): boolean =>
      /^(?:Comment|CD[OC])$/.test(type) ||
      (/^(?:charset|import|layer)$/i.test(name) &&
        start[end.offset - this.#offset - 1] === ';' &&
        (prelude?.loc.end.offset ?? 0) < end.offset);
    const nodes = structureOf(start, this.#offset);
    const next = nodes.findIndex((node) => !isComplete(node));
    const statements = next === -1 ? nodes : nodes.slice(0, next);
    this.#readTop(statements);
    const end = statements.at(-1)?.loc.end.offset ?? this.#offset;
    this.#text = this.#text.slice(end - this.#offset);
    this.#offset = end;
    const mayFollow = /^\s*(?:$|[@/<-])/.test(this.#text);
    this.#isAtStart = mayFollow && this.#text.length < longestWaited;
  }

  /** Reads the rules that are in no block; some may be imports. */
  #readTop(nodes: readonly CssNode[]): void {
    for (const node of nodes) {
      const isStatement = node.type === 'Atrule' && node.block === null;
      const name = node.type === 'Atrule' ? nameOf(node.name) : '';
      if (isStatement && name === 'import' && this.#isImportAllowed) this.#import(node);
      // @layer may stand before imports, not between them (CSS Cascade 5, 2).
      const ends = isStatement
        ? name === 'namespace' || (name === 'layer' && this.#isImportSeen)
        : known.has(name) || (node.type === 'Rule' && isSelector.test(node.prelude?.value ?? ''));
      if (ends) this.#isImportAllowed = false;
      this.#read([node], this.#outside);
    }
  }

  #import({ prelude, loc: { start } }: CssNode): void {
    this.#isImportSeen = true;
    const rule = importOf(prelude?.value ?? '', this.#style.page.settings.screen);
    if (rule === null) return;
    const importer = this.#place;
    const { path: around } = this.#outside;
    const layer = rule.layer === null ? around : this.#layerIn(around, rule.layer, start.offset);
    if (importer.applies) this.#style.cascade.layerOf(layer);
    const isUsed = importer.applies && rule.applies;
    this.#tell({
      kind: 'stylesheet',
      written: rule.written,
      named: '@import',
      offset: start.offset,
      ...(isUsed
        ? { priority: 'highest', isBlocking: true }
        : { priority: 'lowest', isLate: true }),
      ...(rule.skipped !== null && { skipped: rule.skipped }),
      imported: { importer, layer },
    });
  }

  #read(nodes: readonly CssNode[], around: Around): void {
    for (const node of nodes) {
      if (node.type === 'Atrule') this.#atRule(node, around);
      else if (node.type === 'Rule') this.#styleRule(node, around);
      else if (around.rule !== null) this.#inRule(node, around, around.rule);
    }
  }

  #styleRule({ prelude, block }: CssNode, around: Around): void {
    if (around.rule?.element) return;
    const text = nestedSelectors(prelude?.value ?? '', around.rule?.text ?? null);
    this.#readRule(childrenOf(block), around, text);
  }

  /** Reads what is in a block. @param text The selectors of its rule; of the block of an at-rule such as @media, those of
   *  the style rule that it is nested in. */
  #readRule(nodes: readonly CssNode[], around: Around, text: string): void {
    const layer = around.layer ?? [];
    const rule = { ...(around.rule ?? this.#rule), text, layer, declarations: [] };
    this.#read(nodes, { ...around, rule });
    if (rule.declarations.length > 0) this.#style.cascade.add(rule);
  }

  /**
   * Returns the path of a layer that is named inside `path`.
   * @param name Names that are joined by dots; '' for an anonymous layer, which is distinct from all others
   */
  #layerIn(path: readonly string[], name: string, offset: number): string[] {
    return [...path, ...(name === '' ? [`${this.#place.at} ${offset}`] : name.split('.'))];
  }

  #atRule({ name: written, prelude, block, loc: { start } }: CssNode, around: Around): void {
    const name = nameOf(written);
    const condition = prelude?.value.trim() ?? '';
    let { skipped, path, layer } = around;
    if (name === 'layer') {
      const paths = listOf(condition).map((each) => this.#layerIn(path, each, start.offset));
      const layers = layer === null ? [] : paths.map((each) => this.#style.cascade.layerOf(each));
      [path = path, layer] = [paths[0], layers[0] ?? null];
    } else if (name === 'media' && !matchesMedia(condition, this.#style.page.settings.screen)) {
      [skipped, layer] = [skipped ?? 'in @media that does not match', null];
    } else if (name === 'supports' && !isSupported(condition)) {
      [skipped, layer] = [skipped ?? 'in @supports that does not hold', null];
    } else if (/^(?:container|scope|starting-style|(?:-webkit-)?keyframes)$/.test(name)) {
      skipped ??= `in @${name.replace('-webkit-', '')}`;
    } else if (name === 'font-face' && around.rule === null) {
      this.#face(childrenOf(block), start.offset, skipped);
    }
    // The other at-rules are not read: @page, @counter-style, unknown ones, and @property, whose initial value is
    // rarely an image.
    if (block === null || !isGroup.test(name)) return;
    const inside = { skipped, path, layer, rule: name.endsWith('keyframes') ? null : around.rule };
    if (inside.rule === null) this.#read(childrenOf(block), inside);
    else this.#readRule(childrenOf(block), inside, inside.rule.text);
  }

  #face(nodes: readonly CssNode[], offset: number, skipped: string | null): void {
    const descriptors = new Map<string, string>();
    for (const node of nodes) {
      if (node.type !== 'Declaration') continue;
      const value = nodeIn(node)?.value ?? '';
      const name = nameOf(node.property);
      // A `src` without a supported source does not override an earlier one that has some.
      if (name !== 'src' || sourcesOf(value).length > 0) descriptors.set(name, value);
    }
    const face = fontFaceOf(descriptors, offset, this.#tell);
    if (face === null) return;
    if (skipped === null) this.#style.fonts.add(face);
    else this.#tell({ ...face.found, skipped });
  }

  #inRule(node: CssNode, around: Around, rule: StyleRule): void {
    const isCustom = node.type === 'Declaration' && node.property.startsWith('--');
    const nested = isCustom || rule.element !== null ? [] : this.#nestedIn(node);
    if (nested.length > 0) this.#read(nested, around);
    else if (node.type === 'Declaration') this.#declaration(node, around, rule);
  }

  /**
   * Reads the nested rules that css-tree took for a declaration or left as text, as it recognizes only those with `&`.
   */
  #nestedIn({ type, loc: { start, end } }: CssNode): CssNode[] {
    const text = this.#text.slice(start.offset - this.#offset, end.offset - this.#offset);
    const isDeclared = !text.includes('{');
    if (isDeclared && type !== 'Raw') return [];
    const nodes = structureOf(text, start.offset, isDeclared ? 'declarationList' : 'stylesheet');
    return nodes[0]?.type === (isDeclared ? 'Declaration' : 'Rule') ? nodes : [];
  }

  #declaration(node: CssNode, { skipped }: Around, rule: StyleRule): void {
    const from = nameOf(node.property);
    const properties = longhandsOf(from);
    const isImportant = /^(?:true|important)$/i.test(String(node.important));
    if (properties.length === 0 || (node.important !== false && !isImportant)) return;
    const text = nodeIn(node)?.value ?? '';
    const refers = urlsOfValue(text, this.#style.page.settings.screen);
    if (refers === null) return;
    const value = text.length > longestKept ? '' : text;
    const { offset } = node.loc.start;
    const alike = { rule, from, value, isImportant, offset, refers, whyNot: null };
    for (const property of properties) {
      const unused = new Set(hasImages(property) ? allUrls(refers).slice(0, mostUrls) : []);
      const declaration = { ...alike, property, unused };
      if (skipped === null) rule.declarations.push(declaration);
      else for (const url of unused) tellUrl(declaration, url, { skipped });
    }
  }
}

/** Matches the names of the at-rules whose block contains rules. */
const isGroup = /^(?:media|supports|layer|container|scope|starting-style|(?:-webkit-)?keyframes)$/;

/**
 * Reads @import (CSS Cascade 5, 2). Chromium fetches a sheet even if its media do not match, but not if its
 * supports() has a declaration that Chromium does not support. Chromium 156 also fetches a sheet whose
 * supports() has a condition in parentheses, even a false one, probably because it looks for imports before
 * it reads the sheet.
 * @param prelude What follows `@import`. @returns null if the rule is invalid, or needs no request
 */
function importOf(prelude: string, screen: Screen) {
  const [target = '', ...rest] = partsOf(prelude).filter((part) => part.trim() !== '');
  const [first] = valuesOf(target) ?? [];
  const written = first?.type === 'String' ? first.value.trim() : urlOf(first);
  if (!written || /^data:/i.test(written)) return null;
  const inLayer = /^layer(?:\(\s*([^)\s]*)|$)/i.exec(rest[0] ?? '');
  if (inLayer) rest.shift();
  const supports = /^supports\((.*?)\)?$/is.exec(rest[0] ?? '');
  if (supports) rest.shift();
  const isUnsupported = declarationHolds(supports?.[1] ?? '') === false;
  return {
    written,
    /** Name of the cascade layer into which the sheet is imported; null: into none; '': into an anonymous one. */
    layer: inLayer && (inLayer[1] ?? ''),
    applies: matchesMedia(rest.join(' '), screen),
    skipped: isUnsupported ? 'supports() does not hold' : null,
  };
}
