// Writes SVG as text: attributes and text are escaped in one place, and numbers are rounded to 0.01 px. Estimates how
// wide text is: the viewer's font is unknown, so DejaVu Sans is assumed, the widest of the common interface fonts.

import { clipMiddle } from './printable.ts';

/** Well-formed markup, created by `element`. */
export type Svg = string & { readonly svg: unique symbol };

/** @param content Elements, or text */
export function element(
  name: string,
  attributes: Record<string, string | number>,
  content: readonly Svg[] | string = [],
): Svg {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escapeXml(typeof value === 'number' ? px(value) : value)}"`)
    .join('');
  const inner = typeof content === 'string' ? escapeXml(content) : content.join('');
  return (inner === '' ? `<${name}${written}/>` : `<${name}${written}>${inner}</${name}>`) as Svg;
}

export function label(x: number, y: number, look: string, characters: string): Svg {
  return element('text', { x, y, class: look }, characters);
}

export function px(value: number): string {
  return String(Math.round(value * 100) / 100 + 0);
}

/** Escapes reserved characters and drops control characters that XML 1.0 (2.2) forbids. */
function escapeXml(characters: string): string {
  return characters
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Font sizes of text and of small text, in px. */
export const fontPx = 11;
export const smallPx = 10;
/** Upper bound of the width of bold text, relative to regular. */
export const boldness = 1.24;

/** Advance widths of U+0020 to U+007E, in thousandths of the font size. */
const advances = (
  '318 401 460 838 636 950 780 275 390 390 500 838 318 361 318 337 636 636 636 ' +
  '636 636 636 636 636 636 636 337 337 838 838 838 531 1000 684 686 698 770 632 ' +
  '575 775 752 295 295 656 557 863 748 787 603 787 695 635 611 732 684 989 685 ' +
  '611 685 390 337 390 838 500 500 613 635 550 635 615 352 635 634 278 278 579 ' +
  '278 974 634 612 635 635 411 521 392 634 592 818 592 592 525 636 337 636 838'
)
  .split(' ')
  .map(Number);
const widestAdvance = 1000;

/** Width in px of `characters` at a font size; other characters than ASCII count as wide. */
export function widthOf(characters: string, size = fontPx): number {
  const thousandths = [...characters].reduce(
    (sum, character) => sum + (advances[character.charCodeAt(0) - 0x20] ?? widestAdvance),
    0,
  );
  return (thousandths / 1000) * size;
}

/** `characters`, clipped in the middle to fit `width` px at a font size. */
export function clipToWidth(characters: string, width: number, size = fontPx): string {
  let length = Math.min(characters.length, Math.floor((width / size) * 4));
  while (length > 1 && widthOf(clipMiddle(characters, length), size) > width) length--;
  return clipMiddle(characters, length);
}
