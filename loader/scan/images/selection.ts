// Selects the source that an image uses (HTML 4.8.4.3.7, "selecting an image source"). The standard leaves the choice
// among densities open. Chromium 156 uses the smallest that is sharp on the screen, or else the largest.

import { listOf, partsOf, valuesOf } from '../style/css-tree.ts';
import type { Screen } from '../style/environment.ts';
import { matchesMedia } from '../style/media-query.ts';
import { isBare, isMathFunction, quantityOf } from '../style/quantity.ts';
import { type ImageCandidate, parseSrcset } from './srcset.ts';

export interface ImageSource {
  /** Value of the srcset attribute; `sizes` is that of the sizes attribute; null: the attribute is absent. */
  srcset: string | null;
  sizes: string | null;
  /** Whether the image has loading=lazy, so that its `sizes` may be `auto`. */
  isLazy?: boolean;
}

/**
 * Returns the URL, as written, of the source that an image uses on the screen.
 * @param src The src of an img; null: it has none, or the element is a source.
 * @returns null: there is no URL.
 */
export function selectImage(
  { srcset, sizes, isLazy = false }: ImageSource,
  src: string | null,
  screen: Screen,
): string | null {
  if (srcset === null) return src === '' ? null : src;
  const candidates = parseSrcset(srcset);
  const hasWidths = candidates.some(({ width }) => width !== null);
  const isOneThere = candidates.some(
    ({ width, density }) => width === null && (density ?? 1) === 1,
  );
  if (src !== null && src !== '' && !hasWidths && !isOneThere) {
    candidates.push({ url: src, width: null, density: 1 });
  }
  const width = hasWidths ? widthOf(sizes, isLazy, screen) : 0;
  const choices = candidates.map((each) => ({ url: each.url, density: densityOf(each, width) }));
  return best(choices, screen.dpr)?.url ?? null;
}

/** Returns the width that `sizes` states, CSS pixels. Chromium 156 reads on after `auto` only for lazy images. */
function widthOf(sizes: string | null, isLazy: boolean, screen: Screen): number {
  if (sizes === null || sizes.trim() === '') return screen.width;
  if (!isLazy && /^[\t\n\f\r ]*auto[\t\n\f\r ]*(?:,|$)/i.test(sizes)) return screen.width;
  return sourceSize(sizes, screen);
}

const densityOf = ({ width, density }: ImageCandidate, imageWidth: number): number =>
  width === null ? (density ?? 1) : width / imageWidth;

/** Returns the image source whose density suits the screen best; of several with the same density, the first. */
export function best<Choice extends { density: number }>(
  choices: readonly Choice[],
  dpr: number,
): Choice | null {
  const byDensity = choices.toSorted((one, other) => one.density - other.density);
  const sharp = byDensity.find(({ density }) => density >= dpr);
  return sharp ?? choices.find(({ density }) => density === byDensity.at(-1)?.density) ?? null;
}

/** Longest sizes attribute that is read, characters. */
const longestSizes = 16_384;

/**
 * Returns the width of an image by its sizes attribute (HTML 4.8.4.3.11, "parse a sizes attribute"), CSS pixels.
 * `auto`, the width in the layout, is skipped, because there is no layout. The default is 100vw.
 */
export function sourceSize(text: string, screen: Screen): number {
  const whole = screen.width;
  if (text.length > longestSizes) return whole;
  for (const item of listOf(text)) {
    const parts = partsOf(item);
    const size = sizeOf(parts.pop() ?? '', screen);
    const condition = parts.join('').trim();
    const isMet = /^(?:\(|not\b|$)/i.test(condition) && matchesMedia(condition, screen);
    if (size !== null && isMet) return size;
  }
  return whole;
}

/** Returns the length that a text such as `50vw` states, CSS pixels; null: the text is no length, or a negative one. */
function sizeOf(text: string, screen: Screen): number | null {
  const [value] = valuesOf(text) ?? [];
  const size = value === undefined || isBare(value) ? Number.NaN : quantityOf(value, screen);
  // A negative result of a function such as calc() is clamped to the smallest allowed value (CSS Values 4, 10.9).
  const isValid = size >= 0 || (value !== undefined && size < 0 && isMathFunction(value));
  return isValid ? Math.max(size, 0) : null;
}

/** Types of image sources that Chromium 156 supports (test/browser/images-and-media.test.ts). */
const imageTypes = new Set(
  `apng avif bmp gif jpeg jpg jxl pjpeg png svg+xml vnd.microsoft.icon webp
    x-icon x-png x-xbitmap`
    .split(/\s+/)
    .map((name) => `image/${name}`),
);

/** Whether Chromium 156 shows images of a type. @param essence Essence of a MIME type, in lower case. */
export const isImageType = (essence: string): boolean => imageTypes.has(essence);
