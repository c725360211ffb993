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
  /** The first `#length` of these came; it doubles when it is full. */
  #bytes: Uint8Array = new Uint8Array(64);
  #length = 0;
  #nextTry = 10; // a GIF tells after ten bytes (GIF89a, 18)
  #given = false;

  /** @returns true when this chunk told the size. */
  write(chunk: Uint8Array): boolean {
    if (this.size !== null || this.#given) return false;
    this.#gather(chunk);
    if (this.#length < this.#nextTry) return false;
    this.size = measure(this.#bytes.slice(0, this.#length));
    this.#nextTry = Math.max(64, this.#length * 2);
    if (this.size !== null || this.#length > mostBytes) this.#give();
    return this.size !== null;
  }

  /** No more bytes come. @returns true when all of them together told the size. */
  end(): boolean {
    if (this.size !== null || this.#given) return false;
    this.size = measure(this.#bytes.slice(0, this.#length));
    this.#give();
    return this.size !== null;
  }

  #gather(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = needed;
  }

  #give(): void {
    this.#given = true;
    this.#bytes = new Uint8Array(0);
  }
}

let imageSize: ((bytes: Uint8Array) => { width: number; height: number }) | null = null;

/** @param bytes in memory of their own: image-size reads on behind a view that is too short. */
function measure(bytes: Uint8Array): Size | null {
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
