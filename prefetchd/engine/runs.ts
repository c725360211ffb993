// How often a URL was asked for by one address with nobody else in between, by its id in the graph: what is invented
// to be forgotten pushes out itself there, and nothing of this. An id that is given to another URL keeps the run of
// the one before, until somebody else asks.

import { growArray } from '../model/tables/grow-array.ts';

const runBits = 3;
const runMask = 2 ** runBits - 1;

export class Runs {
  /** By id: 13 bits of the address's hash, and the length of its run. */
  #runs = new Uint16Array(64);

  /** An access, if the run of its address is not longer than `most` with it, 1..7. @returns whether it is not.
   *  @param address its hash */
  lengthen(id: number, address: number, most: number): boolean {
    if (id >= this.#runs.length) {
      this.#runs = growArray(this.#runs, new Uint16Array(Math.max(id + 1, this.#runs.length * 2)));
    }
    const held = this.#runs[id] as number;
    const who = (address ^ (address >>> 16)) & (0xffff & ~runMask);
    const run = (held & ~runMask) === who ? held & runMask : 0;
    if (run >= most) return false;
    this.#runs[id] = who | (run + 1);
    return true;
  }

  clear(): void {
    this.#runs.fill(0);
  }
}
