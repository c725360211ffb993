// Consecutive accesses to a URL by one address, counted by the URL's id in the graph. An attacker's invented URLs
// evict each other from the graph and affect nothing here. A reused id inherits the previous URL's run until another
// address requests it.

import { growArray } from '../model/tables/grow-array.ts';

const runBits = 3;
const runMask = 2 ** runBits - 1;

export class Runs {
  /** By id: 13 bits of the address's hash, and the length of its run. */
  #runs = new Uint16Array(64);

  /** Record an access if the run of its address then has at most `most` (1..7) accesses. @returns true if it does
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
