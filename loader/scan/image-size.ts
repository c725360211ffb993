// Finds the width and height of an image as soon as its first bytes suffice. The image-size package reads the formats;
// this file decides how many bytes to pass to it, and when.

import { createRequire } from 'node:module';

export interface Size {
  width: number;
  height: number;
}

/** Limit on the bytes that are kept of an image; the metadata of a photo is rarely longer. */
const mostBytes = 256 * 1024;
/** A GIF has its size in the first ten bytes (GIF89a, 18). */
const leastBytes = 10;
/** Number of bytes within which most images state their size. */
const usualBytes = 512;

export class ImageSizeProbe {
  size: Size | null = null;
  #chunks: Uint8Array[] = [];
  #length = 0;
  #nextTry = leastBytes;
  #isOver = false;

  /** Takes the next bytes of the image. @returns true if they complete the part that states the size */
  write(chunk: Uint8Array): boolean {
    if (this.#isOver) return false;
    // If a first chunk contains the size, the rest of it is not copied.
    const isFirst = this.#length === 0 && chunk.length > usualBytes;
    if (isFirst && this.#measure([chunk.subarray(0, usualBytes)])) return true;
    this.#chunks.push(Uint8Array.from(chunk));
    this.#length += chunk.length;
    if (this.#length < this.#nextTry) return false;
    this.#nextTry = Math.max(64, this.#length * 2);
    return this.#length > mostBytes ? this.end() : this.#measure(this.#chunks);
  }

  /** Ends the image, of which no bytes follow. @returns true if the size is known only now */
  end(): boolean {
    if (this.#isOver) return false;
    this.#measure(this.#chunks);
    this.#isOver = true;
    this.#chunks = [];
    return this.size !== null;
  }

  #measure(chunks: readonly Uint8Array[]): boolean {
    // The bytes are copied once more, because image-size reads past the end of a view.
    this.size = measure(new Uint8Array(Buffer.concat(chunks)));
    this.#isOver = this.size !== null;
    if (this.#isOver) this.#chunks = [];
    return this.#isOver;
  }
}

let imageSize: ((bytes: Uint8Array) => { width: number; height: number }) | null = null;

function measure(bytes: Uint8Array): Size | null {
  imageSize ??= createRequire(import.meta.url)('image-size').imageSize as typeof imageSize;
  try {
    const size = imageSize?.(bytes);
    return size && size.width > 0 && size.height > 0
      ? { width: size.width, height: size.height }
      : null;
  } catch {
    return null; // the bytes do not suffice yet, or are no image
  }
}
