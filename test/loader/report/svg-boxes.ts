// What a picture of ours covers, as boxes: its words, and what is drawn beside them. From these a test finds what no
// reader should: words over bars, over other words, over lines, or over the edge.
//
// Words are as wide as DejaVu Sans sets them, the widest font that the style sheets name or fall back to; its
// advance widths were read with a canvas. From the base line up and down, a line of words takes its font size.

import { elementsOf, type XmlElement } from './strict-xml.ts';

interface Box {
  what: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
  isLine: boolean;
}

/** From U+0020 to U+007E, in thousandths of the font size. */
const regular = (
  '318 401 460 838 636 950 780 275 390 390 500 838 318 361 318 337 636 636 636 ' +
  '636 636 636 636 636 636 636 337 337 838 838 838 531 1000 684 686 698 770 632 ' +
  '575 775 752 295 295 656 557 863 748 787 603 787 695 635 611 732 684 989 685 ' +
  '611 685 390 337 390 838 500 500 613 635 550 635 615 352 635 634 278 278 579 ' +
  '278 974 634 612 635 635 411 521 392 634 592 818 592 592 525 636 337 636 838'
).split(' ');
const bold = (
  '348 456 521 838 696 1002 872 306 457 457 523 838 380 415 380 365 696 696 696 ' +
  '696 696 696 696 696 696 696 400 400 838 838 838 580 1000 774 762 734 830 683 ' +
  '683 821 837 372 372 775 637 995 837 850 733 850 770 720 682 812 774 1103 771 ' +
  '724 725 457 365 457 838 500 500 675 716 593 716 678 435 716 712 343 343 665 ' +
  '343 1042 712 687 716 716 493 595 478 712 652 924 645 652 582 712 365 712 838'
).split(' ');
const beyondAscii: Record<string, number> = {
  '\u00b7': 380,
  '\u2026': 1000,
  '\u00b1': 838,
  '\u2212': 838,
};

/** What meets by less, in px, does not. */
const tolerance = 0.4;

/** A sentence for each fault. */
export function faultsOf(svg: string): string[] {
  const [root, ...elements] = elementsOf(svg);
  const [width = 0, height = 0] = [root?.attributes.width, root?.attributes.height].map(Number);
  const words = elements.filter(({ name }) => name === 'text').map(wordsBox);
  const plates = elements.filter(({ attributes }) => attributes.class === 'plate').map(rectBox);
  const drawn = elements.flatMap((element) => drawnBox(element, width));
  const faults = words
    .filter(({ left, right, top, bottom }) => {
      return left < 1 || top < 1 || right > width - 1 || bottom > height - 1;
    })
    .map(({ what }) => `${what} is over the edge`);
  for (const [i, one] of words.entries()) {
    // The plate of a label interrupts the lines that would run through it.
    const isOnPlate = plates.some((plate) => covers(plate, one));
    const others = drawn.filter(({ isLine }) => !(isLine && isOnPlate));
    for (const other of [...words.slice(i + 1), ...others]) {
      if (meet(one, other)) faults.push(`${one.what} is over ${other.what}`);
    }
  }
  return faults;
}

function wordsBox({ attributes, characters }: XmlElement): Box {
  const look = new Set(attributes.class?.split(' '));
  const fontPx = look.has('h1') ? 15 : look.has('h2') ? 12 : look.has('small') ? 10 : 11;
  const advances = look.has('h1') || look.has('h2') ? bold : regular;
  const widthPx = [...characters].reduce((sum, character) => {
    const advance = advances[character.charCodeAt(0) - 0x20] ?? beyondAscii[character];
    if (advance === undefined) throw new Error(`no width known of ${JSON.stringify(character)}`);
    return sum + (Number(advance) / 1000) * fontPx;
  }, 0);
  const [x, y] = [Number(attributes.x), Number(attributes.y)];
  const left = x - (look.has('end') ? widthPx : look.has('mid') ? widthPx / 2 : 0);
  return {
    what: `"${characters}" at ${x}, ${y}`,
    left,
    right: left + widthPx,
    top: y - 0.76 * fontPx,
    bottom: y + 0.24 * fontPx,
    isLine: false,
  };
}

/** Nothing of what lies behind all: the ground, stripes, what meets the pointer, plates. */
function drawnBox(element: XmlElement, pictureWidth: number): Box[] {
  const { name, attributes } = element;
  const what = `${name} ${attributes.class}`;
  if (name === 'rect') {
    const box = rectBox(element);
    return box.right - box.left >= pictureWidth || attributes.class === 'plate' ? [] : [box];
  }
  if (name === 'line') {
    const [x1 = 0, x2 = 0, y1 = 0, y2 = 0] = ['x1', 'x2', 'y1', 'y2'].map((key) =>
      Number(attributes[key]),
    );
    const at = `${what} at ${x1}, from ${y1} to ${y2}`;
    return [{ what: at, left: x1 - 0.6, right: x2 + 0.6, top: y1, bottom: y2, isLine: true }];
  }
  if (name === 'path') {
    const [, x = 0, y = 0, size = 0] = (
      /^M([\d.-]+) ([\d.-]+)l(\d)/.exec(attributes.d ?? '') ?? []
    ).map(Number);
    const at = `${what} at ${x}, ${y}`;
    return [{ what: at, left: x, right: x + size, top: y, bottom: y + size, isLine: false }];
  }
  return [];
}

function rectBox({ attributes }: XmlElement): Box {
  const [x = 0, y = 0, width = 0, height = 0] = ['x', 'y', 'width', 'height'].map((key) =>
    Number(attributes[key] ?? 0),
  );
  const what = `bar ${attributes.class} from ${x} to ${x + width}`;
  return { what, left: x, right: x + width, top: y, bottom: y + height, isLine: false };
}

function meet(a: Box, b: Box): boolean {
  return (
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > tolerance &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > tolerance
  );
}

function covers(plate: Box, words: Box): boolean {
  return (
    plate.left <= words.left &&
    plate.right >= words.right &&
    plate.top <= words.top + 1 &&
    plate.bottom >= words.bottom - 1
  );
}
