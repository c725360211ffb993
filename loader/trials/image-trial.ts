// One image in other formats, each checked against the original: without loss if the pixels are the same and an
// animation has its frames and times, with loss if they look the same.

import { lookOf, mostPixels as mostLookedAt } from '../audit/look.ts';
import type { Conversion, ImageTrial } from '../audit/subject.ts';
import {
  differingShare,
  isAnimatedPng,
  isSame,
  open,
  type Pixels,
  pixelsOf,
  type Sharp,
  sameLook,
} from './pixels.ts';

/** From the smallest file; the first that looks the same is taken. */
const qualities = [40, 50, 60, 70, 80];

/** Others are text (SVG), or as short as they get (AVIF). */
const tried = new Set(['gif', 'jpeg', 'png', 'webp']);

/** @returns null: not an image that could be tried. @throws where the file is damaged or too large */
export async function imageTrial(sharp: Sharp, file: Buffer): Promise<ImageTrial | null> {
  const picture = open(sharp, file);
  const {
    format = '',
    pages: frames = 1,
    delay,
    loop,
    orientation = 1,
    depth,
  } = await picture.metadata();
  if (!tried.has(format) || isAnimatedPng(file) || orientation !== 1 || depth !== 'uchar')
    return null;
  const original = await pixelsOf(sharp, file);
  const { rgba, width, height } = original;
  const isLossless = format === 'gif' || format === 'png';
  const look = frames === 1 && width * height <= mostLookedAt ? lookOf(rgba, width, height) : null;
  // WebP may be with or without loss, and is of today.
  if (format === 'webp') return { format, frames, isLossless, look, conversions: [] };
  const exact = isLossless ? await withoutLoss(sharp, original, { file, frames, delay, loop }) : [];
  const lossy = frames === 1 ? await withLoss(sharp, file, original) : [];
  return { format, frames, isLossless, look, conversions: [...exact, ...lossy] };
}

interface Animation {
  file: Buffer;
  frames: number;
  delay: number[] | undefined;
  loop: number | undefined;
}

async function withoutLoss(
  sharp: Sharp,
  original: Pixels,
  { file, frames, delay, loop }: Animation,
): Promise<Conversion[]> {
  const webp = await open(sharp, file).webp({ lossless: true, effort: 6 }).toBuffer();
  const found: Conversion[] = [];
  const kept = await open(sharp, webp).metadata();
  const isWhole =
    frames === 1 ||
    (kept.pages === frames && kept.loop === loop && String(kept.delay) === String(delay));
  if (isWhole && isSame(original, await pixelsOf(sharp, webp))) {
    found.push({ format: 'webp', quality: null, bytes: webp.length });
  }
  if (frames > 1) return found;
  for (const palette of [true, false]) {
    const png = await sharp(file)
      .png({ palette, compressionLevel: 9, effort: 10, dither: 0, adaptiveFiltering: !palette })
      .toBuffer();
    if (!isSame(original, await pixelsOf(sharp, png))) continue;
    found.push({ format: 'png', quality: null, bytes: png.length });
    break;
  }
  return found;
}

async function withLoss(sharp: Sharp, file: Buffer, original: Pixels): Promise<Conversion[]> {
  const found: Conversion[] = [];
  for (const format of ['avif', 'webp'] as const) {
    for (const quality of qualities) {
      const bytes = await sharp(file)[format]({ quality, effort: 4 }).toBuffer();
      if (bytes.length >= file.length) break;
      const share = differingShare(original, await pixelsOf(sharp, bytes), sameLook.amount);
      if (share > sameLook.share) continue;
      found.push({ format, quality, bytes: bytes.length });
      break;
    }
  }
  return found;
}
