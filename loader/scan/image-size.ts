// Width and height of an image from its first bytes, as soon as they suffice. The formats are the
// business of the image-size package; here is only how many bytes to show it, and when.

import { createRequire } from 'node:module';

export interface Size {
  width: number;
  height: number;
}

/** More than this is not gathered for one image: metadata of photographs is rarely larger. */
const mostBytes = 256 * 1024;

export class ImageSizeProbe {
  size: Size | null = null;
  #bytes: Buffer = Buffer.alloc(0);
  #nextTry = 10; // a GIF tells after ten bytes (GIF89a, 18)
  #given = false;

  /** @returns true when this chunk told the size. */
  write(chunk: Uint8Array): boolean {
    if (this.size !== null || this.#given) return false;
    this.#bytes =
      this.#bytes.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#bytes, chunk]);
    if (this.#bytes.length < this.#nextTry) return false;
    this.size = measure(this.#bytes);
    this.#nextTry = Math.max(64, this.#bytes.length * 2);
    if (this.size !== null || this.#bytes.length > mostBytes) this.#give();
    return this.size !== null;
  }

  /** No more bytes come. @returns true when all of them together told the size. */
  end(): boolean {
    if (this.size !== null || this.#given) return false;
    this.size = measure(this.#bytes);
    this.#give();
    return this.size !== null;
  }

  #give(): void {
    this.#given = true;
    this.#bytes = Buffer.alloc(0);
  }
}

let imageSize: ((bytes: Uint8Array) => { width: number; height: number }) | null = null;

function measure(bytes: Buffer): Size | null {
  imageSize ??= createRequire(import.meta.url)('image-size').imageSize as typeof imageSize;
  try {
    const size = imageSize?.(bytes);
    return size && size.width > 0 && size.height > 0
      ? { width: size.width, height: size.height }
      : null;
  } catch {
    return null; // too few bytes, or no image: both mean unknown so far
  }
}
