// Writes SVG as text, safe by construction: attributes and text are escaped in one place, numbers are rounded to
// 0.01 px, and only markup created here is inserted unescaped (the branded type `Svg`).

/** Well-formed markup, created by `element` or `text`. */
export type Svg = string & { readonly svg: unique symbol };

export type Attributes = Record<string, string | number | undefined>;

/** Creates an element; attributes that are `undefined` are left out. */
export function element(name: string, attributes: Attributes, ...children: Svg[]): Svg {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeXml(writeValue(value ?? ''))}"`)
    .join('');
  const inner = children.join('');
  return (inner === '' ? `<${name}${written}/>` : `<${name}${written}>${inner}</${name}>`) as Svg;
}

/** Creates character data. */
export function text(characters: string): Svg {
  return escapeXml(characters) as Svg;
}

export function label(x: number, y: number, attributes: Attributes, characters: string): Svg {
  return element('text', { x, y, ...attributes }, text(characters));
}

/** Creates a trusted style sheet, which must not contain `<` or `&`. */
export function stylesheet(css: string): Svg {
  return `<style>${css}</style>` as Svg;
}

/** Escapes reserved characters and drops control characters that XML 1.0 (2.2) forbids. */
function escapeXml(characters: string): string {
  return characters
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function writeValue(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 100) / 100 + 0) : value;
}
