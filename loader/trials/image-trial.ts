// Converts one image to other formats and checks each copy against the original. A copy is without loss if its pixels
// are the same and an animation keeps its frames and times, and with loss if it looks the same. The properties of an
// image are read first, which is cheap. Each conversion is separate, so that cheap ones of all images can come first.

import type { Sharp as Image, SharpOptions } from 'sharp';
import { lookOf, mostPixels as mostLookedAt } from '../audit/css-images.ts';
import type { ImageTrial } from '../audit/subject.ts';

/** The function of the package `sharp` that opens an image. */
export type Sharp = (file: Buffer, options?: SharpOptions) => Image;

/** Qualities of a lossy image format to try, from the smallest file to the largest. */
const qualities = [40, 50, 60, 70, 80];

/** Image formats that are converted; others are text (SVG), or as small as they get (AVIF). */
const tried = new Set(['gif', 'jpeg', 'png', 'webp']);

/**
 * Efforts of the AVIF encoder: images of more than `pixels` pixels get `large`, others `small`. An effort lower by
 * one is two to five times faster and makes files up to a third larger.
 */
const avifEffort = { pixels: 512 * 512, small: 4, large: 3 };

export interface TriedImage {
  file: Buffer;
  /** Number of pixels of all frames. */
  pixels: number;
  delay: number[] | undefined;
  loop: number | undefined;
  /** What `loadahead audit` reports: properties of the image, and its smaller copies, added as they are found. */
  trial: ImageTrial;
}

/** Looks for a smaller copy of an image. @throws when the time is up; copies found until then are kept */
export type TriedConversion = (sharp: Sharp, picture: TriedImage) => Promise<void>;

/**
 * Reads an image and its properties. @returns null: its format is not converted. @throws if it is damaged or
 * too large
 */
export async function pictureOf(sharp: Sharp, file: Buffer): Promise<TriedImage | null> {
  const found = await open(sharp, file).metadata();
  const { format = '', pages: frames = 1, delay, loop, orientation = 1, depth } = found;
  const isPlain = tried.has(format) && orientation === 1 && depth === 'uchar';
  if (!isPlain || isAnimatedPng(file)) return null;
  const { rgba, width, height } = await pixelsOf(sharp, file);
  const pixels = width * height;
  const look = frames === 1 && pixels <= mostLookedAt ? lookOf(rgba, width, height) : null;
  const isLossless = format === 'gif' || format === 'png';
  const trial = { format, frames, isLossless, look, conversions: [] };
  return { file, pixels, delay, loop, trial };
}

/** The conversions of an image, from the lowest cost per pixel to the highest. */
export const conversions: readonly TriedConversion[] = [exactWebp, lossyWebp, exactPng, lossyAvif];

/** Whether a conversion may yield a smaller copy. */
export function isWorthTrying(convert: TriedConversion, { trial }: TriedImage): boolean {
  const { format, frames, isLossless } = trial;
  // WebP may be with or without loss, and is a current format, so it is not converted.
  if (format === 'webp') return false;
  if (convert === exactWebp) return isLossless;
  return frames === 1 && (convert !== exactPng || isLossless);
}

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
 * Makes a PNG without loss, with a palette if that can hold all colours. Searching the best 256 of more colours takes
 * seconds and is never without loss.
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

/** Adds, in a lossy format, the smallest copy that looks like the original, if it has fewer bytes than that. */
async function leastQuality(
  sharp: Sharp,
  { file, trial }: TriedImage,
  format: 'webp' | 'avif',
  effort: number,
): Promise<void> {
  const original = await pixelsOf(sharp, file);
  for (const quality of qualities) {
    const bytes = await sharp(file)[format]({ quality, effort }).toBuffer();
    if (bytes.length >= file.length) return;
    const share = differingShare(original, await pixelsOf(sharp, bytes), sameLook.amount);
    if (share > sameLook.share) continue;
    trial.conversions.push({ format, quality, bytes: bytes.length });
    return;
  }
}

/** Limit on the pixels of all frames that are decoded; a decoder may need four bytes for each. */
const mostPixels = 16 * 1024 * 1024;

/** Images look the same if at most `share` (0..1) of their pixels differ by over `amount` (of 255) in a channel. */
const sameLook = { amount: 32, share: 0.002 } as const;

interface Pixels {
  /** Red, green, blue and alpha of each pixel, one byte each; all frames, one below the other. */
  rgba: Buffer;
  width: number;
  height: number;
}

const open = (sharp: Sharp, file: Buffer) =>
  sharp(file, { animated: true, limitInputPixels: mostPixels });

async function pixelsOf(sharp: Sharp, file: Buffer): Promise<Pixels> {
  const decoded = open(sharp, file).toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' });
  const { data, info } = await decoded.toBuffer({ resolveWithObject: true });
  return { rgba: data, width: info.width, height: info.height };
}

/** Returns the share of the pixels (0..1) that differ by more than `amount` when shown on white. */
function differingShare(one: Pixels, other: Pixels, amount: number): number {
  if (one.rgba.length !== other.rgba.length || one.width !== other.width) return 1;
  const [a, b] = [one.rgba, other.rgba];
  let differing = 0;
  for (let at = 0; at < a.length; at += 4) {
    for (let channel = at; channel < at + 3; channel++) {
      if (Math.abs(onWhite(a, channel, at + 3) - onWhite(b, channel, at + 3)) <= amount) continue;
      differing++;
      break;
    }
  }
  return (differing * 4) / a.length;
}

/** Whether two images have the same pixels; the colour of transparent pixels does not count. */
function isSame(one: Pixels, other: Pixels): boolean {
  if (one.rgba.length !== other.rgba.length || one.width !== other.width) return false;
  const [a, b] = [one.rgba, other.rgba];
  for (let at = 0; at < a.length; at += 4) {
    if (a[at + 3] !== b[at + 3]) return false;
    if (a[at + 3] === 0) continue;
    if (a[at] !== b[at] || a[at + 1] !== b[at + 1] || a[at + 2] !== b[at + 2]) return false;
  }
  return true;
}

/** Whether the image has at most 256 colours; all transparent pixels count as one colour. */
function fitsPalette({ rgba }: Pixels): boolean {
  const colours = new Set<number>();
  for (let at = 0; at < rgba.length; at += 4) {
    colours.add(rgba[at + 3] === 0 ? 0 : rgba.readUInt32LE(at));
    if (colours.size > 256) return false;
  }
  return true;
}

function onWhite(rgba: Buffer, channel: number, alpha: number): number {
  const share = (rgba[alpha] as number) / 255;
  return (rgba[channel] as number) * share + 255 * (1 - share);
}

/** Whether this is an APNG, of which sharp reads only the first frame. */
function isAnimatedPng(file: Buffer): boolean {
  const control = file.indexOf('acTL', 0, 'latin1');
  const data = file.indexOf('IDAT', 0, 'latin1');
  return control !== -1 && (data === -1 || control < data);
}
