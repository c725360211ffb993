// Finds what a style sheet refers to, the same in any chunking. Imports are reported as soon as they are complete.
// Images and fonts are reported at the end, since a later rule may override or use them. A browser does the same: it
// fetches them when all sheets that block rendering are there.

import type { Screen } from '../style/environment.ts';
import { matchesMedia } from '../style/matches-media.ts';
import { BlockReader } from './block-reader.ts';
import { Cascade } from './cascade.ts';
import { CustomProperties } from './custom-properties.ts';
import { decoded } from './escapes.ts';
import { familiesOf, fontFaceOf, fontShorthand, weightOf } from './font-face.ts';
import type { CssFound, SelectorUse } from './found.ts';
import { importOf } from './import-rule.ts';
import { PageFonts } from './page-fonts.ts';
import { imageProperties } from './properties.ts';
import { selectorUses } from './selectors.ts';
import { ShownBoxes } from './shown-boxes.ts';
import { isSupported } from './supports.ts';
import { urlsOfValue } from './value-urls.ts';

export interface CssOptions {
  screen: Screen;
  onFound: (item: CssFound) => void;
  /** Those of the page. Default: of this sheet alone. */
  fonts?: PageFonts;
}

interface Frame {
  kind: 'style' | 'group' | 'font-face' | 'keyframes' | 'ignored';
  /** Of a style rule. */
  prelude: string;
  offset: number;
  skipped: string | null;
  maybe: string | null;
  /** Layers, containers and scopes around. */
  context: string;
  /** The style rule that declarations belong to; null: none. */
  rule: Frame | null;
  /** The style rule around a style rule. */
  parent: Frame | null;
  uses: SelectorUse[] | null;
  descriptors: Map<string, string> | null;
}

/** Blocks in blocks; deeper ones are ignored. */
const deepest = 256;
/** References of one sheet. */
const most = 20_000;

const atName = /^@((?:[-\w\u0080-\uffff]|\\(?:[0-9a-fA-F]{1,6}[ \t\n\f\r]?|[^\n\r\f]))+)/;
const important = /![ \t\n\f\r]*important[ \t\n\f\r]*$/i;
/** What makes it worth while to read a value. A backslash may be in the name of a function. */
const mayRefer = /[uU][rR][lL]\(|image-set\(|var\(|src\(|\\|-(?:moz|ms|o)-/i;
const plainName = /^[-a-z]+$/;
const fontProperties = new Set(['font', 'font-family', 'font-weight', 'font-style']);

/** Names of custom properties keep their case. */
function propertyName(written: string): string {
  const name = decoded(written.replaceAll('/**/', '').trim());
  return name.startsWith('--') ? name : name.toLowerCase();
}

/** An invalid selector drops its rule, and so does not end the imports. */
const isSelector = /^[^%!;{}<@]+$/;

const beginsNoSelector = /^[)\]};,!%<"'({]/;

/** Style attributes select their element. */
const itself: SelectorUse = { text: '', names: [], isPlain: true, pseudoElement: null };

const outside: Frame = {
  kind: 'ignored',
  prelude: '',
  offset: 0,
  skipped: null,
  maybe: null,
  context: '',
  rule: null,
  parent: null,
  uses: null,
  descriptors: null,
};

export class CssScanner {
  /** Faces, and rules that use them. */
  readonly fonts: PageFonts;
  readonly #screen: Screen;
  readonly #onFound: (item: CssFound) => void;
  readonly #reader: BlockReader;
  readonly #frames: Frame[] = [];
  /** Open blocks that have no frame. */
  #tooDeep = 0;
  #isImportAllowed = true;
  #isImportSeen = false;
  readonly #found: CssFound[] = [];
  readonly #cascade = new Cascade();
  readonly #custom = new CustomProperties();
  readonly #boxes = new ShownBoxes();
  /** Families and such, until all custom properties are known. */
  readonly #fontRules: Array<{ rule: Frame; name: string; value: string }> = [];

  constructor(options: CssOptions, isAttribute = false) {
    this.#screen = options.screen;
    this.#onFound = options.onFound;
    this.fonts = options.fonts ?? new PageFonts();
    this.#reader = new BlockReader(
      {
        open: (prelude, offset) => this.#open(prelude, offset),
        close: () => this.#close(),
        statement: (text, offset) => this.#statement(text, offset),
      },
      isAttribute,
    );
    if (isAttribute) {
      this.#isImportAllowed = false;
      const frame: Frame = { ...outside, kind: 'style', uses: [itself] };
      frame.rule = frame;
      this.#frames.push(frame);
    }
  }

  write(text: string): void {
    this.#reader.write(text);
  }

  end(): void {
    this.#reader.end();
    this.#custom.resolve();
    this.#useFonts();
    for (const item of this.#found) {
      if (item.selectors !== null) {
        const isOfAttribute = item.selectors.includes(itself);
        item.selectors = isOfAttribute ? null : this.#boxes.shown(item.selectors, item.from);
      }
      this.#onFound(item);
    }
    this.#found.length = 0;
  }

  get #frame(): Frame {
    return this.#frames.at(-1) ?? outside;
  }

  #open(prelude: string | null, offset: number): void {
    if (this.#frames.length >= deepest) {
      this.#tooDeep++;
      return;
    }
    this.#frames.push(this.#frameOf(prelude, offset));
  }

  #frameOf(prelude: string | null, offset: number): Frame {
    const around = this.#frame;
    const { skipped, maybe, context, rule } = around;
    const frame: Frame = { ...outside, offset, skipped, maybe, context, rule };
    const isIgnored = around.kind === 'ignored' && around !== outside;
    if (prelude === null || isIgnored) return frame;
    if (prelude.startsWith('@')) return this.#atRule(prelude, frame);
    if (around.kind === 'font-face') return frame;
    if (around.kind === 'keyframes') return { ...frame, kind: 'keyframes' };
    if (this.#isImportAllowed && isSelector.test(prelude)) this.#isImportAllowed = false;
    if (beginsNoSelector.test(prelude)) return frame;
    frame.kind = 'style';
    frame.prelude = prelude;
    frame.parent = rule;
    frame.rule = frame;
    return frame;
  }

  #atRule(prelude: string, frame: Frame): Frame {
    const match = atName.exec(prelude);
    const name = decoded(match?.[1] ?? '').toLowerCase();
    const condition = prelude.slice(match?.[0].length ?? 1);
    const isTop = this.#frames.length === 0;
    if (isTop && knownAtRules.has(name)) this.#isImportAllowed = false;
    switch (name) {
      case 'media':
        if (!matchesMedia(condition.replaceAll('/**/', ' '), this.#screen)) {
          frame.skipped ??= 'in @media that does not match';
        }
        break;
      case 'supports':
        if (!isSupported(condition)) frame.skipped ??= 'in @supports that does not hold';
        break;
      case 'layer':
        frame.context += `layer ${condition.trim()} `;
        break;
      case 'container':
      case 'scope':
      case 'starting-style':
        frame.maybe ??= `in @${name}`;
        frame.context += `${name} ${frame.offset} `;
        break;
      case 'font-face':
        // In a style rule it is invalid.
        if (frame.rule !== null) return frame;
        return { ...frame, kind: 'font-face', descriptors: new Map() };
      case 'keyframes':
      case '-webkit-keyframes':
        return { ...frame, kind: 'keyframes', maybe: 'in @keyframes', rule: null };
      default: // @page, @counter-style and unknown ones; @property, whose initial value is rarely an image
        return frame;
    }
    return { ...frame, kind: 'group' };
  }

  #close(): void {
    if (this.#tooDeep > 0) {
      this.#tooDeep--;
      return;
    }
    const frame = this.#frames.pop();
    if (frame?.kind === 'font-face') this.#face(frame);
  }

  #face({ descriptors, offset, skipped, maybe }: Frame): void {
    const face = descriptors === null ? null : fontFaceOf(descriptors);
    if (face === null || /^data:/i.test(face.written)) return;
    this.#add({
      kind: 'font',
      from: '@font-face src',
      offset,
      selectors: null,
      ...face,
      ...(skipped !== null && { skipped }),
      ...(maybe !== null && { maybe }),
    });
    if (skipped === null) this.fonts.addFace(face.fontFace);
  }

  #add(item: CssFound): boolean {
    if (this.#found.length >= most) return false;
    this.#found.push(item);
    return true;
  }

  #statement(text: string, offset: number): void {
    if (this.#tooDeep > 0) return;
    if (text.startsWith('@')) {
      if (this.#frames.length === 0) this.#atStatement(text, offset);
      return;
    }
    const frame = this.#frame;
    if (frame.kind === 'ignored') return;
    const colon = text.indexOf(':');
    if (colon > 0) this.#declaration(text, colon, offset, frame);
  }

  #atStatement(text: string, offset: number): void {
    const match = atName.exec(text);
    const name = decoded(match?.[1] ?? '').toLowerCase();
    // @layer may stand before imports, not between them (CSS Cascade 5, 2).
    if (name === 'namespace' || (name === 'layer' && this.#isImportSeen))
      this.#isImportAllowed = false;
    if (name !== 'import' || !this.#isImportAllowed) return;
    const item = importOf(text.slice(match?.[0].length), offset, this.#screen);
    this.#isImportSeen = true;
    if (item !== null) this.#onFound(item);
  }

  #declaration(text: string, colon: number, offset: number, frame: Frame): void {
    if (!isOfInterest(text.charCodeAt(0)) && frame.kind !== 'font-face') return;
    let property = text.slice(0, colon);
    if (!plainName.test(property)) property = propertyName(property);
    if (property.startsWith('--')) {
      this.#image(property, property, text.slice(colon + 1), offset, frame);
    } else if (frame.kind === 'font-face') {
      this.#descriptor(property, text.slice(colon + 1), frame);
    } else {
      const slot = imageProperties.get(property);
      if (slot !== undefined) this.#image(property, slot, text.slice(colon + 1), offset, frame);
      else this.#box(property, text, colon, frame);
    }
  }

  /** What decides about boxes and fonts. */
  #box(name: string, text: string, colon: number, { rule, skipped, maybe }: Frame): void {
    if (rule === null || skipped !== null) return;
    if (name === 'display') {
      this.#boxes.display(rule.prelude, text, colon + 1);
    } else if (fontProperties.has(name) && maybe === null && this.#fontRules.length < most) {
      this.#fontRules.push({ rule, name, value: text.slice(colon + 1).replace(important, '') });
    }
  }

  #descriptor(name: string, value: string, { descriptors }: Frame): void {
    // A list without a source that is known does not override one with it.
    if (
      name === 'src' &&
      fontFaceOf(
        new Map([
          ['font-family', 'x'],
          ['src', value],
        ]),
      ) === null
    )
      return;
    descriptors?.set(name, value.replaceAll('/**/', ' '));
  }

  #image(from: string, slot: string, whole: string, offset: number, frame: Frame): void {
    const { rule, skipped, maybe, context } = frame;
    if (rule === null && frame.kind !== 'keyframes') return;
    const isCustom = slot.startsWith('--');
    if (slot === 'content' && rule !== null && skipped === null && rule.prelude.includes(':')) {
      this.#boxes.content(usesOf(rule), whole);
    }
    const refers = mayRefer.test(whole);
    const isLast = important.test(whole);
    if (!refers && !isLast && !isCustom && !this.#cascade.has(slot)) return;
    const value = isLast ? whole.replace(important, '') : whole;
    if (isCustom && !refers && !this.#cascade.has(slot)) {
      if (skipped === null) this.#custom.define(slot, value, [], []);
      return;
    }
    const read = refers
      ? urlsOfValue(value, this.#screen)
      : { urls: [], variables: [], fallbacks: [] };
    if (read === null) return;
    const usesOfRule = () => (rule === null ? null : usesOf(rule));
    const isListed = read.urls.length > 0 || read.fallbacks.length > 0;
    const uses = isListed || isLast || this.#cascade.has(slot) ? usesOfRule() : null;
    const itemOf = (written: string): CssFound => ({
      kind: 'image',
      written,
      from,
      offset,
      selectors: uses === null ? null : [...uses],
      ...(skipped !== null && { skipped }),
      ...(maybe !== null && { maybe }),
    });
    const items = read.urls.map(itemOf).filter((item) => this.#add(item));
    for (const { variable, urls } of read.fallbacks) {
      const others = urls.map(itemOf).filter((item) => this.#add(item));
      this.#custom.fallback(variable, others);
      items.push(...others);
    }
    if (skipped !== null) return;
    if (isCustom) this.#custom.define(slot, value, items, read.variables);
    else this.#custom.use(read.variables, usesOfRule);
    if (uses !== null) this.#cascade.declare(slot, uses, context, isLast, items);
  }

  #useFonts(): void {
    for (const { rule, name, value } of this.#fontRules) {
      const uses = usesOf(rule);
      const selectors = uses.includes(itself) ? null : this.#boxes.shown(uses, 'font');
      const text = this.#custom.substituted(value);
      const none = { selectors, families: null, weight: null, style: null };
      if (name === 'font-family') this.fonts.addUse({ ...none, families: familiesOf(text) });
      else if (name === 'font-weight') this.fonts.addUse({ ...none, weight: weightOf(text) });
      else if (name === 'font-style') {
        const style = /^\s*(?:italic|oblique)/i.test(text) ? 'italic' : 'normal';
        this.fonts.addUse({ ...none, style });
      } else {
        const font = fontShorthand(text);
        if (font === null) continue;
        const { weight, style } = font;
        this.fonts.addUse({ selectors, families: familiesOf(font.families), weight, style });
      }
    }
    this.#fontRules.length = 0;
  }
}

/** Finds what the declarations of a style attribute refer to (CSS Style Attributes, 3). */
export function scanStyleAttribute(text: string, options: CssOptions): void {
  const scanner = new CssScanner(options, true);
  scanner.write(text);
  scanner.end();
}

function usesOf(rule: Frame): SelectorUse[] {
  if (rule.uses !== null) return rule.uses;
  const { parent } = rule;
  rule.uses = selectorUses(rule.prelude, parent === null ? null : usesOf(parent));
  return rule.uses;
}

const knownAtRules = new Set(
  (
    'media supports layer container scope starting-style font-face keyframes -webkit-keyframes page property ' +
    'counter-style font-feature-values font-palette-values view-transition position-try namespace'
  ).split(' '),
);

/** By the first characters of the properties that are read, and backslash and comment. */
const interesting = new Uint8Array(128);
for (const letter of '-bcdflms\\/') {
  interesting[letter.charCodeAt(0)] = 1;
  interesting[letter.toUpperCase().charCodeAt(0)] = 1;
}

const isOfInterest = (code: number): boolean => code < 128 && interesting[code] === 1;
