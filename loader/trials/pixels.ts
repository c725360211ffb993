// Decodes images with sharp, and compares their pixels.

import type { Sharp as Image, SharpOptions } from 'sharp';

/** Opens an image. */
export type Sharp = (file: Buffer, options?: SharpOptions) => Image;

/** Most pixels of all frames that are decoded; a decoder may need four bytes for each. */
export const mostPixels = 16 * 1024 * 1024;

/** Images look the same if at most this share of their pixels differ by more than `amount` of 255 in a channel. */
export const sameLook = { amount: 32, share: 0.002 } as const;

export interface Pixels {
  /** Four bytes per pixel; all frames, one below the other. */
  rgba: Buffer;
  width: number;
  height: number;
}

export const open = (sharp: Sharp, file: Buffer) =>
  sharp(file, { animated: true, limitInputPixels: mostPixels });

export async function pixelsOf(sharp: Sharp, file: Buffer): Promise<Pixels> {
  const decoded = open(sharp, file).toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' });
  const { data, info } = await decoded.toBuffer({ resolveWithObject: true });
  return { rgba: data, width: info.width, height: info.height };
}

/** Share of the pixels (0..1) that differ by more than `amount` when shown on white. */
export function differingShare(one: Pixels, other: Pixels, amount: number): number {
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

/** Whether all pixels are the same; the colour of transparent ones does not count. */
export function isSame(one: Pixels, other: Pixels): boolean {
  if (one.rgba.length !== other.rgba.length || one.width !== other.width) return false;
  const [a, b] = [one.rgba, other.rgba];
  for (let at = 0; at < a.length; at += 4) {
    if (a[at + 3] !== b[at + 3]) return false;
    if (a[at + 3] === 0) continue;
    if (a[at] !== b[at] || a[at + 1] !== b[at + 1] || a[at + 2] !== b[at + 2]) return false;
  }
  return true;
}

/** Whether at most 256 colours are used; all transparent pixels count as one colour. */
export function fitsPalette({ rgba }: Pixels): boolean {
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
export function isAnimatedPng(file: Buffer): boolean {
  const control = file.indexOf('acTL', 0, 'latin1');
  const data = file.indexOf('IDAT', 0, 'latin1');
  return control !== -1 && (data === -1 || control < data);
}
