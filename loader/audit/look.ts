// Properties of an image, counted on its pixels, that decide whether CSS could draw it.

export interface Look {
  width: number;
  height: number;
  /** Number of different colours; all transparent pixels count as one. */
  colours: number;
  isTransparent: boolean;
  /** Whether each row, or each column, has one colour. */
  isStriped: boolean;
  /**
   * Share of the pixels (0..1) that have the most common colour of their column or, if these are more, of their row:
   * the background of words, plain or a gradient.
   */
  ground: number;
}

/** Most pixels of an image that is examined; larger images are not drawn with CSS. */
export const mostPixels = 512 * 512;

/** @param rgba Four bytes per pixel, row by row */
export function lookOf(rgba: Uint8Array, width: number, height: number): Look {
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at++) {
    const [r, g, b, a] = rgba.subarray(at * 4, at * 4 + 4) as unknown as [
      number,
      number,
      number,
      number,
    ];
    pixels[at] = a === 0 ? 0 : ((r << 24) | (g << 16) | (b << 8) | a) >>> 0;
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

/** Share of the most common colour in each of `lines`; slightly different colours, as from dithering, count as one. */
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
      // The upper four bits of each channel are compared.
      const colour = pixel & 0xf0f0f0f0;
      const count = (counts.get(colour) ?? 0) + 1;
      counts.set(colour, count);
      most = Math.max(most, count);
    }
    common += most;
  }
  return common / pixels.length;
}
