// Finds the width and height of an image as soon as its first bytes suffice. The image-size package reads the formats;
// this file decides how many bytes to pass to it, and when.

import { createRequire } from 'node:module';

export interface Size {
  width: number;
  height: number;
}

/** Most bytes that are buffered per image; the metadata of a photo is rarely longer. */
const mostBytes = 256 * 1024;
/** Number of bytes within which most images state their size. */
const usualBytes = 512;

export class ImageSizeProbe {
  size: Size | null = null;
  /** The first `#length` bytes are used; the buffer doubles when full. */
  #bytes: Uint8Array = new Uint8Array(64);
  #length = 0;
  #nextTry = 10; // a GIF has its size in the first ten bytes (GIF89a, 18)
  #given = false;

  /** @returns true if this chunk completes the bytes that contain the size. */
  write(chunk: Uint8Array): boolean {
    if (this.size !== null || this.#given) return false;
    // If a first chunk contains the size, the rest of it is not copied.
    if (this.#length === 0 && this.#tryMeasure(chunk.subarray(0, usualBytes))) return true;
    this.#gather(chunk);
    return this.#tryMeasure(this.#bytes.subarray(0, this.#length));
  }

  #tryMeasure(bytes: Uint8Array): boolean {
    if (bytes.length < this.#nextTry) return false;
    this.size = measure(bytes);
    this.#nextTry = Math.max(64, bytes.length * 2);
    if (this.size !== null || bytes.length > mostBytes) this.#release();
    return this.size !== null;
  }

  /** Called when no more bytes follow. @returns true if the bytes so far contain the size. */
  end(): boolean {
    if (this.size !== null || this.#given) return false;
    this.size = measure(this.#bytes.subarray(0, this.#length));
    this.#release();
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

  #release(): void {
    this.#given = true;
    this.#bytes = new Uint8Array(0);
  }
}

let imageSize: ((bytes: Uint8Array) => { width: number; height: number }) | null = null;

function measure(bytes: Uint8Array): Size | null {
  imageSize ??= createRequire(import.meta.url)('image-size').imageSize as typeof imageSize;
  try {
    const size = imageSize?.(new Uint8Array(bytes)); // copied: image-size reads past the end of a view
    return size && size.width > 0 && size.height > 0
      ? { width: size.width, height: size.height }
      : null;
  } catch {
    return null; // too few bytes so far, or not an image
  }
}
