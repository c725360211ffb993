// Writes SVG as text: attributes and text are escaped in one place, and numbers are rounded to 0.01 px. Estimates how
// wide text is: the viewer's font is unknown, so DejaVu Sans is assumed, the widest of the common interface fonts.
//
// The colours, in light and dark mode, are based on the Okabe-Ito palette, distinguishable
// with any colour vision, and adjusted to a contrast of at least 3:1 with the background (WCAG 2.2, 1.4.11; text 4.5:1,
// 1.4.3). Phases also differ in height and lightness: more network activity gives a taller, stronger bar.
//
// A class sets the colour, and each element uses it by `currentColor`: several SVG renderers other than browsers
// support that, but not `var()`.

import { clipMiddle } from './printable.ts';

/** Well-formed markup, created by `element`. */
export type Svg = string & { readonly svg: unique symbol };

/** Writes an SVG element, whose attributes and text are escaped. @param content Elements, or text. */
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

/** Writes a self-contained file of SVG, light or dark as the viewer's system is set. @param about Its title, and its
 *  description if it has one, for screen readers */
export function picture(
  { width, height, css }: { width: number; height: number; css: string },
  about: { title: string; desc?: string },
  content: readonly Svg[],
): string {
  const words = Object.entries(about).map(([name, text]) =>
    element(name, { id: `la-${name}` }, text),
  );
  const [xmlns, viewBox] = ['http://www.w3.org/2000/svg', `0 0 ${width} ${height}`];
  const labelledby = about.desc === undefined ? 'la-title' : 'la-title la-desc';
  const named = { role: 'img', 'aria-labelledby': labelledby };
  const svg = element('svg', { xmlns, class: 'la text', width, height, viewBox, ...named }, [
    ...[...words, `<style>${css}</style>` as Svg, element('rect', { class: 'bg', width, height })],
    ...content,
  ]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${svg}\n`;
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

/** Font size of text, px; `smallPx` is that of small text. */
export const fontPx = 11;
export const smallPx = 10;
/** Upper bound of the width of bold text, as a multiple of the width of the same text in regular weight. */
export const boldness = 1.24;

/** Advance widths of U+0020 to U+007E in DejaVu Sans, in thousandths of the font size. */
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

/** Returns the width in px of `characters` at a font size; a character beyond ASCII counts as wide as the font size. */
export function widthOf(characters: string, size = fontPx): number {
  const thousandths = [...characters].reduce(
    (sum, character) => sum + (advances[character.charCodeAt(0) - 0x20] ?? widestAdvance),
    0,
  );
  return (thousandths / 1000) * size;
}

/** Returns `characters`, clipped in the middle to fit `width` px at a font size. */
export function clipToWidth(characters: string, width: number, size = fontPx): string {
  let length = Math.min(characters.length, Math.floor((width / size) * 4));
  while (length > 1 && widthOf(clipMiddle(characters, length), size) > width) length--;
  return clipMiddle(characters, length);
}

type Colors = Readonly<Record<string, readonly [light: string, dark: string]>>;

/** For each class, its colours in light and in dark mode. `m0` to `m4` are milestones, `l0` to `l5` connections. */
export const colors: Colors = {
  bg: ['#ffffff', '#0d1117'],
  plate: ['#ffffff', '#0d1117'],
  stripe: ['#f5f7f9', '#141a22'],
  hit: ['#e3ecf7', '#1f2b3a'],
  text: ['#1b1f24', '#e6edf3'],
  muted: ['#57606a', '#9aa4af'],
  bad: ['#b3261e', '#ff8a80'],
  grid: ['#dfe3e8', '#2a323c'],
  batch: ['#57606a', '#9aa4af'],
  queued: ['#7d868f', '#6e7883'],
  connect: ['#d55e00', '#f0883e'],
  lost: ['#3b8fc6', '#2f76a8'],
  waiting: ['#3b8fc6', '#2f76a8'],
  receiving: ['#00508a', '#8fd0ff'],
  cache: ['#00875f', '#3fc79a'],
  m0: ['#7a5200', '#e6b450'],
  m1: ['#00508a', '#8fd0ff'],
  m2: ['#8f3f71', '#e59ac4'],
  m3: ['#1f6b3a', '#8fd6a3'],
  m4: ['#1b1f24', '#e6edf3'],
  l0: ['#5b6770', '#8b98a5'],
  l1: ['#00875f', '#3fc79a'],
  l2: ['#b0538a', '#e08bbb'],
  l3: ['#a06400', '#e0a030'],
  l4: ['#7a5cc0', '#ae97f0'],
  l5: ['#3f7fbf', '#6cb0f0'],
};

/** Number of colours for connections, which use them in turn. */
export const laneCount = 6;

const colorsOf = (some: Colors, mode: 0 | 1) =>
  Object.entries(some)
    .map(([name, color]) => `.la.${name},.la .${name}{color:${color[mode]}}`)
    .join('\n');

/** Returns the style sheet for texts, lines and colours, plus the given rules and colours; it has no `<` and no `&`. */
export function styleSheet(rules: string, more: Colors = {}): string {
  const all = { ...colors, ...more };
  return `
.la text{font:11px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:currentColor}
.la rect{fill:currentColor}.la line,.la path{stroke:currentColor;fill:none}
.la text.h1{font-size:15px;font-weight:600}
.la text.num{font-variant-numeric:tabular-nums}
.la text.small{font-size:10px}
.la text.end{text-anchor:end}.la text.mid{text-anchor:middle}
${rules}
${colorsOf(all, 0)}
@media (prefers-color-scheme:dark){
${colorsOf(all, 1)}
}
`;
}

export const waterfallCss =
  styleSheet(`.la path{stroke-width:2}.la rect.lost{fill:none;stroke:currentColor;stroke-dasharray:2 2}
.la line.mark{stroke-width:1.25}.la line.m1{stroke-dasharray:6 3}.la line.m2{stroke-dasharray:2 3}
.la line.m3{stroke-dasharray:5 2 1 2}.la line.m4{stroke-dasharray:9 3 2 3}
.la rect.hit{fill:transparent}.la .row:hover rect.hit{fill:currentColor}`);
