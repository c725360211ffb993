// What was judged of a text before, for many texts: verdicts are few and small, so of each text only 64 bits of
// hash are kept, nine bytes instead of the hundred and more of a Map's entry, and one place in memory is looked
// at. A newer text takes the place of an older one.
//
// The hash is seeded by chance at each start, so nobody can look for two URLs that share one, of which the
// harmless one would speak for the other; that it happens by itself is a chance of one in 2^64 a look.

import { randomBytes } from 'node:crypto';

/** A power of two. */
const slots = 2 ** 16;
const seed = randomBytes(8);
const seeds = [seed.readInt32LE(0), seed.readInt32LE(4)] as const;

export class VerdictMemo<T> {
  readonly #judge: (text: string) => T;
  readonly #hashes = new Int32Array(2 * slots);
  /** Places in `#values`, plus one; 0: nothing was judged. */
  readonly #places = new Uint8Array(slots);
  readonly #values: T[] = [];

  /** @param judge gives one of at most 255 different values */
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
