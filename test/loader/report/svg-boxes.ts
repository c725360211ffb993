// What a picture of ours covers, as boxes: its words, and what is drawn beside them. From these a test finds what no
// reader should: words over bars, over other words, over lines, or over the edge.
//
// From the base line up and down, a line of words takes its font size.

import { boldness, widthOf } from '../../../loader/report/svg.ts';
import { elementsOf, type SvgElement } from './svg-elements.ts';

type Box = Record<'left' | 'right' | 'top' | 'bottom', number> & { what: string; isLine: boolean };

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

function wordsBox({ attributes, characters }: SvgElement): Box {
  const look = new Set(attributes.class?.split(' '));
  const fontPx = look.has('h1') ? 15 : look.has('small') ? 10 : 11;
  const widthPx = widthOf(characters, fontPx) * (look.has('h1') ? boldness : 1);
  const [x, y] = [Number(attributes.x), Number(attributes.y)];
  const left = x - (look.has('end') ? widthPx : look.has('mid') ? widthPx / 2 : 0);
  const [what, right] = [`"${characters}" at ${x}, ${y}`, left + widthPx];
  return { what, left, right, top: y - 0.76 * fontPx, bottom: y + 0.24 * fontPx, isLine: false };
}

/** Nothing of what lies behind all: the ground, stripes, what meets the pointer, plates. */
function drawnBox(element: SvgElement, pictureWidth: number): Box[] {
  const { name, attributes } = element;
  const what = `${name} ${attributes.class}`;
  if (name === 'rect') {
    const box = rectBox(element);
    return box.right - box.left >= pictureWidth || attributes.class === 'plate' ? [] : [box];
  }
  if (name === 'line') {
    const [x1 = 0, x2 = 0, y1 = 0, y2 = 0] = numbersOf(element, 'x1', 'x2', 'y1', 'y2');
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

const numbersOf = ({ attributes }: SvgElement, ...names: string[]): number[] =>
  names.map((name) => Number(attributes[name] ?? 0));

function rectBox(element: SvgElement): Box {
  const [x = 0, y = 0, width = 0, height = 0] = numbersOf(element, 'x', 'y', 'width', 'height');
  const what = `bar ${element.attributes.class} from ${x} to ${x + width}`;
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
