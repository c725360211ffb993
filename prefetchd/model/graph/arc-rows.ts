// Maps each row to its arcs: one block of an ArcPool, filled from its first slot. A full row moves to a larger block,
// and a row that is three quarters empty to a smaller one.

import { growArray } from '../tables/grow-array.ts';
import { type ArcChunk, ArcPool } from './arc-pool.ts';

/** For each row: first slot, number of arcs, log2 of the block's slots (0 for no block). */
const fields = 3;
const none = -1;

export class ArcRows {
  readonly pool = new ArcPool();
  #rows = new Int32Array(64 * fields);
  /** Number of arcs of all rows. */
  size = 0;

  length(row: number): number {
    const at = row * fields;
    return at < this.#rows.length ? (this.#rows[at + 1] as number) : 0;
  }

  /** First slot of a non-empty row. */
  first(row: number): number {
    return this.#rows[row * fields] as number;
  }

  /** The chunk of a non-empty row; its arcs begin at `start(row)`. */
  chunk(row: number): ArcChunk {
    return this.pool.chunk(this.first(row));
  }

  start(row: number): number {
    const first = this.first(row);
    return first - this.pool.chunk(first).base;
  }

  /** Append `slots` slots (at least one) to a row. @returns the first of them, in `chunk(row)` */
  extend(row: number, slots: number): number {
    const at = row * fields;
    if (at >= this.#rows.length) this.#grow(row);
    const before = this.#rows[at + 1] as number;
    const length = before + slots;
    let order = Math.max(1, this.#rows[at + 2] as number);
    while (length > 2 ** order) order++;
    if (order !== this.#rows[at + 2]) this.#move(row, order);
    this.#rows[at + 1] = length;
    this.size += slots;
    return this.start(row) + before;
  }

  /** Keep only the first `length` arcs. */
  shorten(row: number, length: number): void {
    if (length === 0) {
      this.forget(row);
      return;
    }
    const at = row * fields;
    const start = this.start(row);
    const before = this.#rows[at + 1] as number;
    this.chunk(row).counts.fill(none, start + length, start + before);
    this.size -= before - length;
    this.#rows[at + 1] = length;
    let order = this.#rows[at + 2] as number;
    while (order > 1 && length <= 2 ** (order - 2)) order--;
    if (order !== this.#rows[at + 2]) this.#move(row, order);
  }

  /** Remove all arcs of a row. */
  forget(row: number): void {
    const at = row * fields;
    if (at >= this.#rows.length || this.#rows[at + 2] === 0) return;
    this.size -= this.#rows[at + 1] as number;
    this.pool.release(this.#rows[at] as number, this.#rows[at + 2] as number);
    this.#rows.fill(0, at, at + fields);
  }

  /** Bytes of all typed arrays, including free and spare slots. */
  get typedBytes(): number {
    return this.pool.typedBytes + this.#rows.byteLength;
  }

  /** Move a row to a block of 2^order slots. */
  #move(row: number, order: number): void {
    const at = row * fields;
    const before = this.#rows[at] as number;
    const beforeOrder = this.#rows[at + 2] as number;
    const length = this.#rows[at + 1] as number;
    const block = this.pool.take(order, row);
    if (length > 0) {
      const from = this.pool.chunk(before);
      const to = this.pool.chunk(block);
      for (let i = 0; i < length; i++) to.copy(before - from.base + i, block - to.base + i, from);
    }
    if (beforeOrder > 0) this.pool.release(before, beforeOrder);
    this.#rows[at] = block;
    this.#rows[at + 2] = order;
  }

  #grow(row: number): void {
    const rows = Math.max(row + 1, Math.ceil((this.#rows.length / fields) * 1.5));
    this.#rows = growArray(this.#rows, new Int32Array(rows * fields));
  }
}
