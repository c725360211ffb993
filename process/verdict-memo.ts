// Caches verdicts on many texts. Verdicts are few and small, so only a 64-bit hash of each text is stored: nine bytes
// instead of a hundred or more per Map entry, and a single memory access. A newer text replaces an older one.
//
// The hash has a random seed per process, so nobody can find two URLs with equal hashes, of which the harmless one
// would pass for the other. An accidental match has a chance of one in 2^64 per lookup.

import { randomBytes } from 'node:crypto';

/** A power of two. */
const slots = 2 ** 16;
const seed = randomBytes(8);
const seeds = [seed.readInt32LE(0), seed.readInt32LE(4)] as const;

export class VerdictMemo<T> {
  readonly #judge: (text: string) => T;
  readonly #hashes = new Int32Array(2 * slots);
  /** Index into `#values`, plus one; 0: no verdict. */
  readonly #places = new Uint8Array(slots);
  readonly #values: T[] = [];

  /** @param judge returns at most 255 different values */
  constructor(judge: (text: string) => T) {
    this.#judge = judge;
  }

  of(text: string): T {
    let [one, other] = seeds as readonly [number, number];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      one = Math.imul(one ^ code, 0x01000193);
      other = Math.imul((other << 5) ^ (other >>> 27) ^ code, 0x9e3779b1);
    }
    one = mixed(one ^ text.length);
    other = mixed(other ^ one);
    const slot = one & (slots - 1);
    const place = this.#places[slot] as number;
    if (place > 0 && this.#hashes[2 * slot] === one && this.#hashes[2 * slot + 1] === other) {
      return this.#values[place - 1] as T;
    }
    const value = this.#judge(text);
    this.#hashes[2 * slot] = one;
    this.#hashes[2 * slot + 1] = other;
    this.#places[slot] = this.#placeOf(value) + 1;
    return value;
  }

  #placeOf(value: T): number {
    const place = this.#values.indexOf(value);
    return place >= 0 ? place : this.#values.push(value) - 1;
  }
}

function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  const whole = Math.imul(half ^ (half >>> 12), 0x297a2d39);
  return whole ^ (whole >>> 15);
}
