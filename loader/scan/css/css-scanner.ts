// Finds what a style sheet refers to, the same in any chunking. Imports are reported as soon as they are complete.
// Images and fonts are reported at the end, since a later rule may override or use them. A browser does the same: it
// fetches them when all sheets that block rendering are there.

import type { Screen } from '../style/environment.ts';
import { matchesMedia } from '../style/matches-media.ts';
import { isSpace } from '../tokens/characters.ts';
import { CssBlockReader } from './css-block-reader.ts';
import type { CustomProperties, VariableUse } from './custom-properties.ts';
import { decoded } from './escapes.ts';
import { fontFaceOf } from './font-face.ts';
import type { CssFound } from './found.ts';
import { importOf } from './import-rule.ts';
import type { Declaration, PageCascade, Selected } from './page-cascade.ts';
import { fontProperties, imageProperties } from './properties.ts';
import type { SelectorUse } from './selector-use.ts';
import { selectorUses } from './selectors.ts';
import type { SheetImport, SheetPlace } from './sheet-order.ts';
import type { ShownElement } from './shown-elements.ts';
import { isSupported } from './supports.ts';
import { urlsOfValue, type ValueUrls } from './value-urls.ts';

export interface CssOptions {
  screen: Screen;
  onFound: (item: CssFound) => void;
  /** Of the page. */
  cascade: PageCascade;
  place: SheetPlace;
  /** Of the page. */
  variables: Pick<CustomProperties<never>, 'refer' | 'use'>;
}

interface Frame {
  kind: 'style' | 'group' | 'font-face' | 'keyframes' | 'ignored';
  /** Of a style rule. */
  prelude: string;
  offset: number;
  skipped: string | null;
  maybe: string | null;
  /** Those around; '': none. */
  layer: string;
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
/** Such as `!ie`: the declaration is invalid. */
const invalidFlag = /![ \t\n\f\r]*[-\w]+[ \t\n\f\r]*$/;
/** What makes it worth while to read a value, beside a backslash in the name of a function. */
const refersPlainly = /url\(|image-set\(|var\(|src\(|-(?:moz|ms|o)-/i;
const mayRefer = (value: string): boolean =>
  refersPlainly.test(value) || (value.includes('\\') && value.includes('('));
const refersToNothing: ValueUrls = { urls: [], variables: [], fallbacks: [] };
/** What the shorthand sets (CSS Fonts 4, 2.7). */
const setByFont = ['font-family', 'font-weight', 'font-style'];
/** The value of a longer custom property is not kept: it is no list of families. */
const longestCustom = 512;
const plainName = /^(?:-?[a-z][-a-z]*|--[-\w]+)$/;

/** Names of custom properties keep their case. Only white space of CSS may stand behind a name. */
function propertyName(written: string): string {
  const text = written.replaceAll('/**/', '');
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--;
  const name = decoded(text.slice(0, end));
  return name.startsWith('--') ? name : name.toLowerCase();
}

/** An invalid selector drops its rule, and so does not end the imports. */
const isSelector = /^[^%!;{}<@]+$/;

const beginsNoSelector = /^[)\]};,!%<"'({]/;

const outside: Frame = {
  kind: 'ignored',
  prelude: '',
  offset: 0,
  skipped: null,
  maybe: null,
  layer: '',
  rule: null,
  parent: null,
  uses: null,
  descriptors: null,
};

export class CssScanner {
  readonly #cascade: PageCascade;
  readonly #place: SheetPlace;
  readonly #screen: Screen;
  readonly #onFound: (item: CssFound) => void;
  readonly #reader: CssBlockReader;
  readonly #outside: Frame;
  readonly #frames: Frame[] = [];
  /** The element whose style attribute this is; null: it is a sheet. */
  readonly #element: ShownElement | null;
  /** Open blocks that have no frame. */
  #tooDeep = 0;
  #isImportAllowed = true;
  #isImportSeen = false;
  readonly #found: CssFound[] = [];
  readonly #variables: CssOptions['variables'];
  /** Until the sheet has ended: custom properties in custom properties, and who uses some. */
  readonly #referring: Array<{ name: string; variables: readonly string[] }> = [];
  #variablesSeen = 0;
  readonly #using: Array<{ names: readonly string[]; use: VariableUse }> = [];
  /** Until the sheet has ended. */
  readonly #declared: Array<{ property: string; declaration: Declaration; selected: Selected }> =
    [];

  /** @param element whose style attribute it is, instead of a sheet */
  constructor(options: CssOptions, element: ShownElement | null = null) {
    this.#screen = options.screen;
    this.#onFound = options.onFound;
    this.#cascade = options.cascade;
    this.#place = options.place;
    this.#variables = options.variables;
    this.#element = element;
    const skipped = options.place.applies ? null : 'in a style sheet that does not apply';
    this.#outside = { ...outside, skipped, layer: options.place.layer ?? '' };
    this.#reader = new CssBlockReader(
      {
        open: (prelude, offset) => this.#open(prelude, offset),
        close: () => this.#close(),
        statement: (text, offset) => this.#statement(text, offset),
      },
      element !== null,
    );
    if (element !== null) {
      this.#isImportAllowed = false;
      const frame: Frame = { ...this.#outside, kind: 'style' };
      frame.rule = frame;
      this.#frames.push(frame);
    }
  }

  write(text: string): void {
    this.#reader.write(text);
  }

  /** From here on its rules count. */
  end(): void {
    this.#reader.end();
    for (const { property, declaration, selected } of this.#declared) {
      this.#cascade.declare(property, declaration, selected);
    }
    this.#declared.length = 0;
    for (const item of this.#found) this.#onFound(item);
    this.#found.length = 0;
    for (const { name, variables } of this.#referring) this.#variables.refer(name, variables);
    for (const { names, use } of this.#using) this.#variables.use(names, use);
    this.#referring.length = this.#using.length = 0;
  }

  get #frame(): Frame {
    return this.#frames.at(-1) ?? this.#outside;
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
    const { skipped, maybe, layer, rule } = around;
    const frame: Frame = { ...outside, offset, skipped, maybe, layer, rule };
    const isIgnored = around.kind === 'ignored' && around !== this.#outside;
    if (prelude === null || isIgnored) return frame;
    if (prelude.startsWith('@')) return this.#atRule(prelude, frame);
    if (around.kind === 'font-face') return frame;
    if (around.kind === 'keyframes') return { ...frame, kind: 'keyframes' };
    if (this.#isImportAllowed && isSelector.test(prelude)) this.#endImports();
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
    if (isTop && knownAtRules.has(name)) this.#endImports();
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
        frame.layer += `${condition.trim() || frame.offset}.`;
        if (frame.skipped === null) this.#cascade.layer(frame.layer);
        break;
      case 'container':
      case 'scope':
      case 'starting-style':
        frame.maybe ??= `in @${name}`;
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

  /** From here on a rule without anything to read means nothing. */
  #endImports(): void {
    this.#isImportAllowed = false;
    this.#reader.passesOverRules = true;
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
  }

  #add(item: CssFound): boolean {
    if (this.#found.length >= most) return false;
    this.#found.push(item);
    return true;
  }

  #statement(text: string, offset: number): void {
    if (this.#tooDeep > 0) return;
    const frame = this.#frame;
    if (text.startsWith('@')) {
      this.#layers(text, frame);
      if (this.#frames.length === 0) this.#atStatement(text, offset);
      return;
    }
    if (frame.kind === 'ignored') return;
    const colon = text.indexOf(':');
    if (colon > 0) this.#declaration(text, colon, offset, frame);
  }

  /** `@layer one, two;` */
  #layers(text: string, { layer, skipped }: Frame): void {
    const names = /^@layer[\t\n\f\r ]+(.*)$/is.exec(text)?.[1];
    if (names === undefined || skipped !== null) return;
    for (const name of names.split(',')) this.#cascade.layer(`${layer}${name.trim()}.`);
  }

  #atStatement(text: string, offset: number): void {
    const match = atName.exec(text);
    const name = decoded(match?.[1] ?? '').toLowerCase();
    // @layer may stand before imports, not between them (CSS Cascade 5, 2).
    if (name === 'namespace' || (name === 'layer' && this.#isImportSeen)) this.#endImports();
    if (name !== 'import' || !this.#isImportAllowed) return;
    const item = importOf(text.slice(match?.[0].length), offset, this.#screen);
    this.#isImportSeen = true;
    if (item !== null) this.#onFound({ ...item, imported: this.#importOf(item) });
  }

  #importOf({ layer, offset }: CssFound): SheetImport {
    const importer = this.#place;
    if (layer === undefined) return { importer, layer: importer.layer };
    // One without a name is no other's.
    const path = `${importer.layer ?? ''}${layer || `import ${importer.at} ${offset}`}.`;
    if (importer.applies) this.#cascade.layer(path);
    return { importer, layer: path };
  }

  #declaration(text: string, colon: number, offset: number, frame: Frame): void {
    let property = text.slice(0, colon);
    if (!plainName.test(property)) property = propertyName(property);
    if (property.startsWith('--')) {
      this.#image(property, property, text.slice(colon + 1), offset, frame);
    } else if (frame.kind === 'font-face') {
      this.#descriptor(property, text.slice(colon + 1), frame);
    } else {
      const slot = imageProperties.get(property);
      if (slot !== undefined) this.#image(property, slot, text.slice(colon + 1), offset, frame);
      else this.#box(property, text, colon, offset, frame);
    }
  }

  /** What decides about boxes and fonts. */
  #box(name: string, text: string, colon: number, offset: number, frame: Frame): void {
    const isFont = fontProperties.has(name);
    if (name !== 'display' && !isFont) return;
    const written = text.slice(colon + 1);
    const isImportant = important.test(written);
    if (!isImportant && invalidFlag.test(written)) return;
    const value = isImportant ? written.replace(important, '') : written;
    const declaration = this.#declarationOf(name, value, isImportant, offset, frame);
    const properties = name === 'font' ? setByFont : [name];
    for (const property of properties) this.#declare(property, declaration, frame);
  }

  #declarationOf(
    property: string,
    value: string,
    isImportant: boolean,
    offset: number,
    { layer }: Frame,
  ): Declaration {
    return { property, value, isImportant, layer, sheet: this.#place.at, offset };
  }

  /** Rules that perhaps apply override nothing. */
  #declare(property: string, declaration: Declaration, { rule, skipped, maybe }: Frame): void {
    if (rule === null || skipped !== null || maybe !== null) return;
    const selected = this.#element ?? (() => usesOf(rule));
    this.#declared.push({ property, declaration, selected });
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

  /** @param property that is set by the one that it is from */
  #image(from: string, property: string, whole: string, offset: number, frame: Frame): void {
    const { rule, skipped, maybe } = frame;
    if (rule === null && frame.kind !== 'keyframes') return;
    const isImportant = important.test(whole);
    if (!isImportant && invalidFlag.test(whole)) return;
    const value = isImportant ? whole.replace(important, '') : whole;
    const read = mayRefer(whole) ? urlsOfValue(value, this.#screen) : refersToNothing;
    if (read === null) return;
    const isCustom = property.startsWith('--');
    const kept = (isCustom && value.length <= longestCustom) || property === 'content' ? value : '';
    const declaration = this.#declarationOf(from, kept, isImportant, offset, frame);
    this.#declare(property, declaration, frame);
    if (read === refersToNothing && !isCustom) return;
    const selectors = () => (rule === null ? null : this.#selectorsOf(rule));
    const itemOf = (written: string, fallbackOf?: string): CssFound => ({
      kind: 'image',
      written,
      from,
      offset,
      selectors: selectors(),
      ...(maybe === null && { declaration, property }),
      ...(isCustom && { variable: property }),
      ...(fallbackOf !== undefined && { fallbackOf }),
      ...(skipped !== null && { skipped }),
      ...(maybe !== null && { maybe }),
    });
    for (const url of read.urls) this.#add(itemOf(url));
    for (const { variable, urls } of read.fallbacks) {
      for (const url of urls) this.#add(itemOf(url, variable));
    }
    const { variables } = read;
    if (skipped !== null || variables.length === 0 || this.#variablesSeen++ >= most) return;
    if (isCustom) this.#referring.push({ name: property, variables });
    else if (maybe === null && rule !== null) {
      const selected = this.#element ?? (() => usesOf(rule));
      this.#using.push({ names: variables, use: { property, declaration, selected } });
    }
  }

  /** null: it selects its own element. */
  #selectorsOf(rule: Frame): readonly SelectorUse[] | null {
    return this.#element === null ? usesOf(rule) : null;
  }
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
