// Estimates text widths in an SVG. The viewer's font is unknown, so DejaVu Sans is assumed, the widest of the common
// interface fonts: text that fits in it fits in the others.

import { clipMiddle } from './printable.ts';

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
const beyondAscii: Record<string, number> = {
  '\u00b7': 380,
  '\u2026': 1000,
  '\u00b1': 838,
  '\u2212': 838,
};
const widest = 1000;

/** Upper bound of the width of bold text, relative to regular. */
export const boldness = 1.24;

/** Width in px of `characters` at `fontPx`. */
export function widthOf(characters: string, fontPx: number): number {
  let thousandths = 0;
  for (const character of characters) {
    const advance = advances[character.charCodeAt(0) - 0x20];
    thousandths += advance ?? beyondAscii[character] ?? widest;
  }
  return (thousandths / 1000) * fontPx;
}

/** `characters`, clipped in the middle to fit `widthPx` at `fontPx`. */
export function clipToWidth(characters: string, widthPx: number, fontPx: number): string {
  let length = Math.min(characters.length, Math.floor((widthPx / fontPx) * 4));
  while (length > 1 && widthOf(clipMiddle(characters, length), fontPx) > widthPx) length--;
  return clipMiddle(characters, length);
}
