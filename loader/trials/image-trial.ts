// Converts one image to other formats and checks each against the original: without loss if the pixels are the same and
// an animation keeps its frames and times, with loss if it looks the same. Reading its properties comes first, as it is
// cheap; the conversions to try are separate, so that a caller with many images can try the cheap ones of all first,
// and results are kept if there is no time for more.

import { lookOf, mostPixels as mostLookedAt } from '../audit/look.ts';
import type { Conversion, ImageTrial } from '../audit/subject.ts';
import {
  differingShare,
  fitsPalette,
  isAnimatedPng,
  isSame,
  open,
  pixelsOf,
  type Sharp,
  sameLook,
} from './pixels.ts';

/** Qualities to try, from the smallest file to the largest. */
const qualities = [40, 50, 60, 70, 80];

/** Formats to convert. Others are text (SVG), or as small as they get (AVIF). */
const tried = new Set(['gif', 'jpeg', 'png', 'webp']);

/** For larger images an effort of one less is two to five times faster, and its files are up to a third larger. */
const avifEffort = { pixels: 512 * 512, small: 4, large: 3 };

export interface TriedImage {
  file: Buffer;
  /** Number of pixels of all frames. */
  pixels: number;
  delay: number[] | undefined;
  loop: number | undefined;
  /** Properties of the image; conversions are added as they are found. */
  trial: ImageTrial;
}

/** Looks for a smaller copy. @throws when the time is up; copies found until then are kept */
export type Recoding = (sharp: Sharp, picture: TriedImage) => Promise<void>;

/** @returns null: this is not an image that can be tried. @throws if the file is damaged or too large */
export async function pictureOf(sharp: Sharp, file: Buffer): Promise<TriedImage | null> {
  const {
    format = '',
    pages: frames = 1,
    delay,
    loop,
    orientation = 1,
    depth,
  } = await open(sharp, file).metadata();
  if (!tried.has(format) || isAnimatedPng(file) || orientation !== 1 || depth !== 'uchar')
    return null;
  const { rgba, width, height } = await pixelsOf(sharp, file);
  const pixels = width * height;
  const look = frames === 1 && pixels <= mostLookedAt ? lookOf(rgba, width, height) : null;
  const isLossless = format === 'gif' || format === 'png';
  return {
    file,
    pixels,
    delay,
    loop,
    trial: { format, frames, isLossless, look, conversions: [] },
  };
}

/** The conversions worth trying, from the cheapest. */
export function attemptsOn({ trial: { format, frames, isLossless } }: TriedImage): Recoding[] {
  // WebP may be with or without loss, and is a current format, so it is not converted.
  if (format === 'webp') return [];
  const exact = isLossless ? [exactWebp, exactPng] : [];
  return frames > 1 ? exact.slice(0, 1) : [...exact, lossyWebp, lossyAvif];
}

/** All conversions, from the lowest cost per pixel. */
export const attemptsByCost: readonly Recoding[] = [exactWebp, lossyWebp, exactPng, lossyAvif];

async function exactWebp(sharp: Sharp, picture: TriedImage): Promise<void> {
  const { file, delay, loop, trial } = picture;
  const webp = await open(sharp, file).webp({ lossless: true, effort: 6 }).toBuffer();
  const kept = await open(sharp, webp).metadata();
  const isWhole =
    trial.frames === 1 ||
    (kept.pages === trial.frames && kept.loop === loop && String(kept.delay) === String(delay));
  if (!isWhole || !isSame(await pixelsOf(sharp, file), await pixelsOf(sharp, webp))) return;
  trial.conversions.push({ format: 'webp', quality: null, bytes: webp.length });
}

/**
 * Uses a palette if it can hold all colours. Searching the best 256 of more takes seconds and never ends lossless.
 */
async function exactPng(sharp: Sharp, { file, trial }: TriedImage): Promise<void> {
  const original = await pixelsOf(sharp, file);
  for (const palette of fitsPalette(original) ? [true, false] : [false]) {
    const png = await sharp(file)
      .png({ palette, compressionLevel: 9, effort: 10, dither: 0, adaptiveFiltering: !palette })
      .toBuffer();
    if (!isSame(original, await pixelsOf(sharp, png))) continue;
    trial.conversions.push({ format: 'png', quality: null, bytes: png.length });
    return;
  }
}

async function lossyWebp(sharp: Sharp, picture: TriedImage): Promise<void> {
  await leastQuality(sharp, picture, 'webp', 4);
}

async function lossyAvif(sharp: Sharp, picture: TriedImage): Promise<void> {
  const { pixels, small, large } = avifEffort;
  await leastQuality(sharp, picture, 'avif', picture.pixels <= pixels ? small : large);
}

/** Finds the lowest quality by bisection: an image that looks the same does so at each higher quality, too. */
async function leastQuality(
  sharp: Sharp,
  { file, trial }: TriedImage,
  format: Conversion['format'] & ('webp' | 'avif'),
  effort: number,
): Promise<void> {
  const original = await pixelsOf(sharp, file);
  const others = trial.conversions;
  let [low, high] = [0, qualities.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const quality = qualities[middle] as number;
    const bytes = await sharp(file)[format]({ quality, effort }).toBuffer();
    if (bytes.length >= file.length) {
      high = middle - 1;
      continue;
    }
    const share = differingShare(original, await pixelsOf(sharp, bytes), sameLook.amount);
    if (share > sameLook.share) {
      low = middle + 1;
      continue;
    }
    high = middle - 1;
    trial.conversions = [...others, { format, quality, bytes: bytes.length }];
  }
}
