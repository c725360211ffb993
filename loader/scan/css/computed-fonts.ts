// The font of an element or of one of its boxes: from the page's sheets, else from the browser's own, else from the
// element around.

import { familiesOf, fontShorthand, weightOf } from './font-face.ts';
import type { Declaration, PageCascade } from './page-cascade.ts';
import type { ShownElement } from './shown-elements.ts';

const initial: ComputedFont = { families: [], weight: 400, style: 'normal' };
const reference = /var\(\s*(--[^\s,()]+)\s*(?:,([^()]*))?\)/gi;
/** Custom properties in custom properties. */
const deepest = 8;
/** Of a value with its custom properties. */
const longest = 4_096;
const inherits = /^\s*(?:inherit|unset|revert|revert-layer)\s*$/i;

export class ComputedFonts {
  readonly #cascade: PageCascade;
  readonly #fonts = new Map<ShownElement, ComputedFont>();
  #version = 0;

  constructor(cascade: PageCascade) {
    this.#cascade = cascade;
  }

  of(element: ShownElement): ComputedFont {
    if (this.#version !== this.#cascade.version) this.#fonts.clear();
    this.#version = this.#cascade.version;
    let font = this.#fonts.get(element);
    if (font === undefined) {
      const { parent } = element;
      const around = parent === null ? initial : this.of(parent);
      const own = browserFonts.get(element.look.type);
      font = this.#compute(element, null, around, own ? { ...around, ...own } : around);
      this.#fonts.set(element, font);
    }
    return font;
  }

  ofBox(element: ShownElement, pseudo: string): ComputedFont {
    const around = this.of(element);
    return this.#compute(element, pseudo, around, around);
  }

  #compute(
    element: ShownElement,
    pseudo: string | null,
    around: ComputedFont,
    usual: ComputedFont,
  ): ComputedFont {
    const families = this.#value(element, pseudo, 'font-family', around.families, usual.families);
    const weight = this.#value(element, pseudo, 'font-weight', around.weight, usual.weight);
    const style = this.#value(element, pseudo, 'font-style', around.style, usual.style);
    const isUsual = families === usual.families && weight === usual.weight && style === usual.style;
    return isUsual ? usual : { families, weight, style };
  }

  #value<Name extends FontProperty>(
    element: ShownElement,
    pseudo: string | null,
    name: Name,
    around: FontValues[Name],
    usual: FontValues[Name],
  ): FontValues[Name] {
    const declaration = this.#cascade.winner(element, name, pseudo);
    if (declaration === null) return usual;
    if (inherits.test(declaration.value)) return around;
    const value = this.#substituted(declaration.value, element, 0);
    return fontValue({ ...declaration, value }, name) ?? usual;
  }

  /** With the custom properties of the element. */
  #substituted(value: string, element: ShownElement, depth: number): string {
    if (depth > deepest || !/var\(/i.test(value)) return value;
    const replaced = value.replace(reference, (_, name: string, fallback = '') => {
      for (let at: ShownElement | null = element; at !== null; at = at.parent) {
        const declaration = this.#cascade.winner(at, name, null);
        if (declaration !== null) return declaration.value;
      }
      return fallback;
    });
    return replaced.length > longest ? '' : this.#substituted(replaced, element, depth + 1);
  }
}

interface FontValues {
  'font-family': readonly string[];
  'font-weight': number;
  'font-style': 'normal' | 'italic';
}

type FontProperty = keyof FontValues;

/** null: it is invalid. */
function fontValue<Name extends FontProperty>(
  { property, value }: Declaration,
  name: Name,
): FontValues[Name] | null {
  const values = property === 'font' ? ofShorthand(value) : readers[name](value);
  return (values?.[name] as FontValues[Name] | undefined) ?? null;
}

const readers: Record<FontProperty, (value: string) => Partial<FontValues>> = {
  'font-family': (value) => ({ 'font-family': familiesOf(value) }),
  'font-weight': (value) => {
    const weight = /^\s*lighter\s*$/i.test(value) ? 100 : weightOf(value);
    return weight === null ? {} : { 'font-weight': weight };
  },
  'font-style': (value) => ({
    'font-style': /^\s*(?:italic|oblique)/i.test(value) ? 'italic' : 'normal',
  }),
};

function ofShorthand(value: string): FontValues | null {
  const font = fontShorthand(value);
  if (font === null) return null;
  const { families, weight, style } = font;
  return { 'font-family': familiesOf(families), 'font-weight': weight, 'font-style': style };
}

interface ComputedFont {
  /** In lower case. */
  readonly families: readonly string[];
  readonly weight: number;
  readonly style: 'normal' | 'italic';
}

const ofTypes = (
  types: string,
  font: Partial<ComputedFont>,
): Array<[string, Partial<ComputedFont>]> => types.split(' ').map((type) => [type, font]);

/**
 * What the browser's own sheet says about fonts (HTML 15.3), under the sheets of the page.
 * By type ofTypes element. Families ofTypes the system stand for all that no page names.
 */
const browserFonts: ReadonlyMap<string, Partial<ComputedFont>> = new Map([
  ...ofTypes('b strong th h1 h2 h3 h4 h5 h6', { weight: 700 }),
  ...ofTypes('em i cite dfn address var', { style: 'italic' }),
  ...ofTypes('code kbd samp pre tt listing xmp plaintext', { families: ['monospace'] }),
  // They do not inherit.
  ...ofTypes('button input select textarea', { families: [], weight: 400, style: 'normal' }),
]);
