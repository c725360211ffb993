// Finds images that HTML and CSS could draw (Nielsen, Gettys et al. 1997, "Replacing Images with HTML and CSS"): a
// spacer, a straight line, a small symbol, or a word on a plain background or a gradient.

import { formatBytes } from '../report/units.ts';
import { type Finding, type FindingItem, findingOn } from './finding.ts';
import type { ImageTrial, Loaded, Look, Subject } from './subject.ts';

/** Length of the HTML and CSS that replaces an image, bytes: 2,593 for 22 images of a test page (docs/content.md). */
const replacementBytes = 118;

/** An image within these limits is a symbol that a character can replace: bullets and arrows, not icons of 30 x 30. */
const symbol = { bytes: 200, pixels: 600, colours: 8 };
/**
 * Limits for an image of words: one line in few shades, on a background that shows between the letters. In a sample of
 * 140 images, background is mostly 0.69 to 0.91 of an image of one line of words, and up to 0.67 of a badge or box.
 */
const words = { height: 40, ratio: 1.5, ground: 0.68, colours: 32 };

export function cssImages(subject: Subject): Finding[] {
  const items = drawnImages(subject);
  return findingOn(items, {
    kind: 'css-images',
    title: items.length === 1 ? 'An image that CSS could draw' : 'Images that CSS could draw',
    advice:
      'Draw them with HTML and CSS: margins for spacers, borders and gradients for rules, characters or inline SVG for symbols, text for words.',
    how: `judged by pixels, colours and alt text; ${replacementBytes} bytes of HTML and CSS taken off for each`,
    sure: 'likely',
    visit: 'first',
  });
}

/** Returns the URLs of images that CSS could draw. No other advice is given on them, because CSS is to replace them. */
export function drawnUrls(subject: Subject): ReadonlySet<string> {
  return new Set(drawnImages(subject).map(({ url }) => url));
}

function drawnImages(subject: Subject): FindingItem[] {
  return subject.loaded.flatMap((image) => itemOf(image, subject));
}

function itemOf({ row }: Loaded, { load, trials, imageTags }: Subject): FindingItem[] {
  const trial = trials.images.get(row.url);
  if (row.kind !== 'image' || trial === undefined || isCounter(row.url, load.url, trial)) return [];
  const alt = imageTags.find(({ url }) => url === row.url)?.alt ?? '';
  const what = drawnAs(trial, row.encodedBytes, alt);
  if (what === null) return [];
  const { width, height } = trial.look as Look;
  const bytes = row.transferBytes - replacementBytes;
  const note = `${formatBytes(row.encodedBytes)}, ${width} x ${height}: ${what}`;
  return [{ url: row.url, note, saves: { bytes, requests: 1, roundTrips: 0 } }];
}

/** Whether an image may count visitors, which most images of at most 4 pixels do. Such an image gets no advice. */
function isCounter(url: string, page: string, { look }: ImageTrial): boolean {
  if (look === null || look.width * look.height > 4) return false;
  return url.includes('?') || new URL(url).host !== new URL(page).host;
}

/** Says in words what CSS would draw in place of the image; null: CSS cannot draw it. */
function drawnAs(
  { look, frames, isLossless }: ImageTrial,
  bytes: number,
  alt: string,
): string | null {
  if (look === null || frames > 1) return null;
  const { width, height, colours, ground } = look;
  if (look.isTransparent) return 'transparent';
  if (colours === 1) return 'one colour';
  if (!isLossless) return null;
  if (look.isStriped) return 'stripes or a gradient';
  const isSmall = bytes <= symbol.bytes && width * height <= symbol.pixels;
  const isLine = height <= words.height && width >= height * words.ratio;
  const hasWords = /[\p{L}\p{N}]{2}/u.test(alt) && isLine;
  if (hasWords && ground >= words.ground && colours <= words.colours) {
    return `words, ${JSON.stringify(alt.slice(0, 40))}`;
  }
  return isSmall && colours <= symbol.colours ? `a symbol of ${colours} colours` : null;
}

/** Largest image that the audit examines, pixels; it does not advise to draw a larger image with CSS. */
export const mostPixels = 512 * 512;

/** Finds the properties of an image by its pixels. @param rgba Four bytes per pixel, row by row */
export function lookOf(rgba: Buffer, width: number, height: number): Look {
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at++) {
    if (rgba[at * 4 + 3] !== 0) pixels[at] = rgba.readUInt32BE(at * 4);
  }
  const columns = groundOf(pixels, width, height, (column, row) => row * width + column);
  const rows = groundOf(pixels, height, width, (row, column) => row * width + column);
  return {
    width,
    height,
    colours: new Set(pixels).size,
    isTransparent: pixels.every((pixel) => pixel === 0),
    isStriped: columns === 1 || rows === 1,
    ground: Math.max(columns, rows),
  };
}

/**
 * Returns the share of the pixels that are background: they have the most common colour of their row (or column).
 * Slightly different colours, as from dithering, count as one.
 */
function groundOf(
  pixels: Uint32Array,
  lines: number,
  length: number,
  index: (line: number, at: number) => number,
): number {
  let common = 0;
  for (let line = 0; line < lines; line++) {
    const counts = new Map<number, number>();
    let most = 0;
    for (let at = 0; at < length; at++) {
      const pixel = pixels[index(line, at)] as number;
      // Only the upper four bits of each channel are compared, so similar colours count as one.
      const colour = pixel & 0xf0f0f0f0;
      const count = (counts.get(colour) ?? 0) + 1;
      counts.set(colour, count);
      most = Math.max(most, count);
    }
    common += most;
  }
  return common / pixels.length;
}
