// Reads a style sheet, with the same result however its text is split into chunks. Imports are reported as soon as they
// are complete, as a browser looks for them before it has the whole sheet; rules count when the sheet has ended.

import type { PageElement } from '../html/page-tree.ts';
import { urlOf, valuesOf } from '../style/component-values.ts';
import type { Screen } from '../style/environment.ts';
import { matchesMedia, mediaMatch } from '../style/media-query.ts';
import { type CssNode, childrenOf, nameOf, structureOf, withoutComments } from './css-tree.ts';
import { type FontFace, fontFaceOf, foundInFace, sourcesOf } from './font-face.ts';
import { imageLonghandOf, longhandsOf } from './properties.ts';
import { nestedSelectors } from './selectors.ts';
import type { SheetPlace } from './sheet-order.ts';
import { allUrls, foundIn, type StyleRule, type TellStyle } from './style-rule.ts';
import { declarationHolds, isSupported } from './supports.ts';
import { urlsOfValue } from './values.ts';

/** The style of a page, to which a sheet adds its layers, rules and font faces. */
export interface StyleOfPage {
  readonly screen: Screen;
  /** Called where a layer is named (CSS Cascade 5, 6.4.3). @param path Full name of the layer, `outer.inner.` */
  addLayer(path: string): void;
  addRule(rule: StyleRule): void;
  addFace(face: FontFace): void;
}

/** The context of a node. */
interface Around {
  readonly isTop: boolean;
  /** Why a browser fetches nothing that the node refers to; null: it may. */
  readonly skipped: string | null;
  readonly maybe: string | null;
  readonly layer: string;
  readonly rule: StyleRule | null;
  /** Number of times that css-tree has parsed the text of the node again. */
  readonly rereads: number;
}

/** Length of a sheet, in characters, beyond which further chunks are ignored. */
const longestSheet = 8 * 1024 * 1024;
/** Longest statement or comment, in characters, that is read while the sheet is still arriving. */
const longestWaited = 16 * 1024;
/** Limit on the URLs that are read from one sheet; further ones are ignored. */
const mostReferences = 20_000;
/** Longest value that is kept, in characters; a longer one is no list of font families. */
const longestKept = 4_096;

/** What a statement is made of where css-tree reads the same: strings end in their line, brackets hold no block. */
const escaped = String.raw`\\[\s\S]`;
const string = String.raw`"(?:[^"\\\n\r\f]|${escaped})*"|'(?:[^'\\\n\r\f]|${escaped})*'`;
const brackets = String.raw`\((?:[^)"'{}\\]|${escaped}|${string})*\)`;
const piece = new RegExp(
  String.raw`[ \t\r\n\f]+|<!--|-->|\/\*[\s\S]*?\*\/|@(?:charset|import|layer)(?![-\w])` +
    String.raw`(?:[^;{}"'(\\]|${escaped}|${string}|${brackets})*;`,
  'iy',
);
/** Matches what may be a selector. A rule with an invalid selector is dropped, and imports may still follow it. */
const isSelector = /^[^%!;{}<@]+$/;
/** At-rules after which @import is no longer valid. */
const known = new Set(
  (
    'media supports layer container scope starting-style font-face keyframes -webkit-keyframes page property ' +
    'counter-style font-feature-values font-palette-values view-transition position-try namespace'
  ).split(' '),
);

export class CssSheet {
  readonly #page: StyleOfPage;
  readonly #place: SheetPlace;
  readonly #tell: TellStyle;
  readonly #outside: Around;
  #text = '';
  /** Where `#text` begins, in characters from the start of the sheet. */
  #offset = 0;
  #isAtStart = true;
  #isImportAllowed = true;
  #isImportSeen = false;
  #references = 0;

  constructor(page: StyleOfPage, place: SheetPlace, tell: TellStyle) {
    this.#page = page;
    this.#place = place;
    this.#tell = tell;
    const skipped = place.applies ? null : 'in a style sheet that does not apply';
    const layer = place.layer ?? '';
    this.#outside = { isTop: true, skipped, maybe: null, layer, rule: null, rereads: 0 };
  }

  write(text: string): void {
    if (this.#offset + this.#text.length > longestSheet) return;
    this.#text += text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
    if (this.#offset === 0) this.#text = this.#text.replace(/^\ufeff/, ' ');
    if (this.#isAtStart) this.#readStart();
  }

  /** Reads the rules, which count from here on. */
  end(): void {
    this.#read(structureOf(this.#text, this.#offset), this.#outside);
    this.#text = '';
  }

  /** @param declarations The value of a style attribute, or presentation attributes written as declarations */
  readAttribute(declarations: string, element: PageElement, isPresentation: boolean): void {
    this.#text = declarations;
    const nodes = structureOf(declarations, 0, 'declarationList');
    const rule = { ...this.#ruleOf('', this.#outside, element), isPresentation };
    this.#readRule(rule, nodes, this.#outside);
  }

  #readStart(): void {
    for (let end = -1; end !== 0; ) {
      const start = this.#text.slice(0, longestWaited);
      end = 0;
      for (piece.lastIndex = 0; piece.test(start); piece.lastIndex = end) end = piece.lastIndex;
      const rest = this.#text.slice(end);
      this.#text = start.slice(0, end);
      this.#read(structureOf(this.#text, this.#offset), this.#outside);
      this.#offset += end;
      this.#text = rest;
    }
    this.#isAtStart = this.#text.length < longestWaited && /^(?:$|[@/<-])/.test(this.#text);
  }

  #read(nodes: readonly CssNode[], around: Around): void {
    for (const node of nodes) {
      if (node.type === 'Atrule') this.#atRule(node, around);
      else if (node.type === 'Rule') this.#rule(node, around);
      else if (around.rule !== null) this.#declarations(node, around, around.rule);
    }
  }

  #rule({ prelude, block }: CssNode, around: Around): void {
    const text = prelude?.value ?? '';
    if (around.isTop && isSelector.test(text)) this.#isImportAllowed = false;
    if (around.rule?.element) return;
    const selectors = nestedSelectors(text, around.rule?.text ?? null);
    this.#readRule(this.#ruleOf(selectors, around), childrenOf(block), around);
  }

  #readRule(rule: StyleRule, nodes: readonly CssNode[], around: Around): void {
    this.#read(nodes, { ...around, isTop: false, rule, rereads: 0 });
    if (rule.declarations.length > 0) this.#page.addRule(rule);
  }

  #ruleOf(text: string, { maybe, layer }: Around, element: PageElement | null = null): StyleRule {
    const sheet = this.#place.at;
    const tell = this.#tell;
    return {
      ...{ text, element, layer, sheet, maybe, tell },
      isPresentation: false,
      declarations: [],
      selectors: null,
    };
  }

  #atRule(node: CssNode, around: Around): void {
    const name = nameOf(node.name);
    const condition = withoutComments(node.prelude?.value ?? '').trim();
    if (node.block === null) this.#statement(name, condition, node, around);
    else this.#block(name, condition, node, around);
  }

  #statement(name: string, text: string, { prelude, loc }: CssNode, around: Around): void {
    if (name === 'layer' && around.skipped === null) {
      for (const each of text.split(',')) this.#page.addLayer(`${around.layer}${each.trim()}.`);
    }
    if (!around.isTop) return;
    // @layer may stand before imports, not between them (CSS Cascade 5, 2).
    if (name === 'namespace' || (name === 'layer' && this.#isImportSeen)) {
      this.#isImportAllowed = false;
    }
    if (name !== 'import' || !this.#isImportAllowed) return;
    this.#isImportSeen = true;
    const rule = importOf(prelude?.value ?? '', this.#page.screen);
    if (rule === null) return;
    const importer = this.#place;
    let { layer } = importer;
    if (rule.layer !== null) {
      // An anonymous layer is distinct from all others.
      layer = `${layer ?? ''}${rule.layer || `import ${importer.at} ${loc.start.offset}`}.`;
      if (importer.applies) this.#page.addLayer(layer);
    }
    const applies = importer.applies && rule.applies;
    this.#tell({
      ...{ kind: 'stylesheet', written: rule.written, named: '@import', offset: loc.start.offset },
      ...(applies
        ? { priority: 'highest', isBlocking: true }
        : { priority: 'lowest', isLate: true }),
      ...(rule.skipped !== null && { skipped: rule.skipped }),
      imported: { importer, layer },
    });
  }

  #block(name: string, condition: string, { block, loc }: CssNode, around: Around): void {
    if (around.isTop && known.has(name)) this.#isImportAllowed = false;
    let { skipped, maybe, layer } = around;
    const rule = name.endsWith('keyframes') ? null : around.rule;
    switch (name) {
      case 'media':
        if (!matchesMedia(condition, this.#page.screen))
          skipped ??= 'in @media that does not match';
        break;
      case 'supports':
        if (!isSupported(condition)) skipped ??= 'in @supports that does not hold';
        break;
      case 'layer':
        layer += `${condition || loc.start.offset}.`;
        if (skipped === null) this.#page.addLayer(layer);
        break;
      case 'container':
      case 'scope':
      case 'starting-style':
        maybe ??= `in @${name}`;
        break;
      case 'keyframes':
      case '-webkit-keyframes':
        maybe ??= 'in @keyframes';
        break;
      case 'font-face':
        if (rule === null) this.#face(childrenOf(block), loc.start.offset, around);
        return;
      default: // @page, @counter-style, unknown at-rules, and @property, whose initial value is rarely an image
        return;
    }
    const inside = { isTop: false, skipped, maybe, layer, rule, rereads: 0 };
    const nodes = childrenOf(block);
    if (rule === null) this.#read(nodes, inside);
    else this.#readRule(this.#ruleOf(rule.text, inside, rule.element), nodes, inside);
  }

  #face(nodes: readonly CssNode[], offset: number, { skipped, maybe }: Around): void {
    const descriptors = new Map<string, string>();
    for (const node of nodes) {
      if (node.type !== 'Declaration') continue;
      const value = withoutComments((node.value as unknown as CssNode).value);
      const name = nameOf(node.property);
      // A list without a supported source does not override a list that has one.
      if (name !== 'src' || sourcesOf(value).length > 0) descriptors.set(name, value);
    }
    const face = fontFaceOf(descriptors, { offset, maybe, tell: this.#tell });
    if (face === null || this.#references++ >= mostReferences) return;
    if (skipped === null) this.#page.addFace(face);
    else this.#tell({ ...foundInFace(face), skipped });
  }

  /** Reads a declaration or a nested rule, which css-tree parses as a declaration or raw text if no `&` begins it. */
  #declarations(node: CssNode, around: Around, rule: StyleRule): void {
    const isDeclaration = node.type === 'Declaration';
    const isCustom = isDeclaration && node.property.startsWith('--');
    const nodes = isCustom || rule.element !== null ? [] : this.#readAgain(node, around);
    if (nodes.length > 0)
      this.#read(nodes, { ...around, isTop: false, rereads: around.rereads + 1 });
    else if (isDeclaration) this.#declaration(node, around, rule);
  }

  /** @returns the nodes of the text when it is parsed again; [] if css-tree was right about the node */
  #readAgain({ type, loc: { start, end } }: CssNode, { rereads }: Around): CssNode[] {
    const text = this.#text.slice(start.offset - this.#offset, end.offset - this.#offset);
    const mayBeRules = rereads === 0 && text.includes('{');
    if (mayBeRules) {
      const nodes = structureOf(text, start.offset);
      if (type === 'Raw' || nodes[0]?.type === 'Rule') return nodes;
    }
    return type === 'Raw' && rereads < 2 ? structureOf(text, start.offset, 'declarationList') : [];
  }

  #declaration(node: CssNode, { skipped }: Around, rule: StyleRule): void {
    if (typeof node.important === 'string') return;
    const from = nameOf(node.property);
    const properties = longhandsOf(from);
    if (properties.length === 0) return;
    const text = valueText(node);
    const refers = urlsOfValue(text, this.#page.screen);
    if (refers === null) return;
    const { offset } = node.loc.start;
    const value = text.length > longestKept ? '' : withoutComments(text);
    const urls =
      imageLonghandOf(from) === undefined
        ? []
        : allUrls(refers).slice(0, mostReferences - this.#references);
    this.#references += urls.length;
    for (const property of properties) {
      const declaration = {
        ...{ rule, property, from, value, offset, refers, whyNot: null },
        isImportant: node.important === true,
        unused: new Set(urls),
      };
      if (skipped === null) rule.declarations.push(declaration);
      else for (const url of urls) this.#tell({ ...foundIn(declaration, url), skipped });
    }
  }
}

const valueText = (node: CssNode): string => (node.value as unknown as CssNode).value;

/**
 * Reads @import (CSS Cascade 5, 2). Chromium fetches a sheet even if its media do not match, but not if its
 * supports() has a declaration that Chromium does not support. Chromium 156 also fetches a sheet whose
 * supports() has a condition in parentheses, even a false one, probably because it looks for imports before
 * it reads the sheet.
 * @param text What follows `@import`. @returns null if the rule is invalid, or needs no request
 */
function importOf(text: string, screen: Screen) {
  const [target, ...rest] = valuesOf(text) ?? [];
  const written = (target?.type === 'string' ? target.text : target && urlOf(target))?.trim();
  if (!written || /^data:/i.test(written)) return null;
  // null: there is no layer; '': the layer has no name.
  let layer: string | null = null;
  if (/^layer$/i.test(rest[0]?.text ?? '')) {
    layer = (rest.shift()?.content ?? []).map((each) => each.text).join('');
  }
  const [first] = rest;
  const hasSupports = first?.type === 'function' && first.text === 'supports';
  const isUnsupported = hasSupports && declarationHolds(first.content) === false;
  const applies = mediaMatch(hasSupports ? rest.slice(1) : rest, screen);
  return { written, layer, applies, skipped: isUnsupported ? 'supports() does not hold' : null };
}
