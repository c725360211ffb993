// The number of arcs, counted without visiting them. An arc to an evicted URL stays in its row until its place is
// needed (arcs.ts) but no longer counts, so this table keeps the number of arcs that lead to each URL.

import { growArray } from '../tables/grow-array.ts';

export class ArcCount {
  total = 0;
  /** Number of arcs that lead to each id. */
  #into = new Int32Array(64);

  add(to: number): void {
    if (to >= this.#into.length) this.#grow(to);
    this.#into[to] = (this.#into[to] as number) + 1;
    this.total++;
  }

  remove(to: number): void {
    this.#into[to] = (this.#into[to] as number) - 1;
    this.total--;
  }

  /** The URL is evicted, and with it all arcs that lead to it. */
  forget(to: number): void {
    if (to >= this.#into.length) return;
    this.total -= this.#into[to] as number;
    this.#into[to] = 0;
  }

  get typedBytes(): number {
    return this.#into.byteLength;
  }

  #grow(to: number): void {
    const length = Math.max(to + 1, Math.ceil(this.#into.length * 1.5));
    this.#into = growArray(this.#into, new Int32Array(length));
  }
}
