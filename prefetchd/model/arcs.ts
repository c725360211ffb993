// Arcs in few bytes: each row (a node that arcs leave) has a block of an ArcPool, and fills its first slots.
//
// Invariant: a row is sorted by count (arc-order.ts), falling; so hints are read off its head, its weakest
// arcs are at its end, and those used most are found first.
//
// An arc to a URL that went stays until somebody meets it: it was credited last before its target was `born`
// (nodes.ts), so it is told from an arc to the URL that has the id now. With all arcs taken, the weakest of a
// few goes (hand.ts), whichever rows they are of.

import { rise, settle, weakest } from './arc-order.ts';
import { type ArcChunk, ArcPool } from './arc-pool.ts';
import { grown } from './grown.ts';
import { Hand, type Ranked } from './hand.ts';
import type { Holder, NodeTable } from './nodes.ts';

export interface ArcCaps {
  maxArcs: number;
  maxArcsPerRow: number;
}

/** Of each row: first slot, arcs, log2 of the slots of its block (0: it has none). */
const fields = 3;
const none = -1;

export class ArcTable implements Holder, Ranked {
  readonly #caps: ArcCaps;
  readonly #nodes: Pick<NodeTable, 'born' | 'sequence'>;
  readonly #pool = new ArcPool();
  readonly #hand = new Hand();
  #rows = new Int32Array(64 * fields);
  /** Arcs in all, also those to URLs that went. */
  #size = 0;

  constructor(caps: ArcCaps, nodes: Pick<NodeTable, 'born' | 'sequence'>) {
    this.#caps = caps;
    this.#nodes = nodes;
  }

  /** Arcs in all; looks at every one. */
  get size(): number {
    for (let row = 0; row * fields < this.#rows.length; row++) this.#clearGone(row);
    return this.#size;
  }

  /** Arcs of a row; some may be gone, see `leadsNowhere`. */
  length(row: number): number {
    const at = row * fields;
    return at < this.#rows.length ? (this.#rows[at + 1] as number) : 0;
  }

  /** Where the arcs of a row are, which has some: there, from `start(row)` on. */
  chunk(row: number): ArcChunk {
    return this.#pool.chunk(this.#rows[row * fields] as number);
  }

  start(row: number): number {
    return (this.#rows[row * fields] as number) - this.chunk(row).base;
  }

  /** The arc leads to a URL that went. */
  leadsNowhere(chunk: ArcChunk, at: number): boolean {
    return (chunk.lasts[at] as number) < this.#nodes.born(chunk.to[at] as number);
  }

  /** Place of an arc in its chunk; -1 when there is none. */
  find(row: number, to: number): number {
    const at = this.#find(row, to);
    return at < 0 || this.leadsNowhere(this.chunk(row), at) ? none : at;
  }

  /**
   * Add `amount` to an arc, which is made if need be.
   * @param client fingerprint of the client (client-sets.ts); 0: nobody in particular, it is added from
   * elsewhere and is later than what was added before
   * @returns where it is in `chunk(row)` now
   */
  credit(row: number, to: number, amount: number, client: number): number {
    if (client === 0) this.#nodes.sequence++;
    let at = this.#find(row, to);
    if (at >= 0 && this.leadsNowhere(this.chunk(row), at)) {
      this.#drop(row, at);
      at = none;
    }
    const isNew = at < 0;
    if (isNew) at = this.#append(row);
    const first = this.#rows[row * fields] as number;
    const chunk = this.#pool.chunk(first);
    const { counts, clients } = chunk;
    if (isNew) clients.clear(at);
    const count = isNew ? amount : (counts[at] as number) + amount;
    const start = first - chunk.base;
    if (at > start && (counts[at - 1] as number) < count) at = rise(chunk, at, start, count);
    chunk.to[at] = to;
    counts[at] = count;
    chunk.lasts[at] = this.#nodes.sequence;
    if (client !== 0) clients.add(at, client);
    return at;
  }

  /** Put the first `head` arcs of a row, and those equal to the last of them, in order: among equals
   *  the latest first. */
  settle(row: number, head: number): void {
    if (head === 0) return;
    const start = this.start(row);
    settle(this.chunk(row), start, start + this.length(row), head);
  }

  /** The arcs of a row, best first. */
  *row(
    row: number,
  ): IterableIterator<[to: number, count: number, clients: number[], seen: number]> {
    const length = this.length(row);
    if (length === 0) return;
    this.settle(row, length);
    const chunk = this.chunk(row);
    const start = this.start(row);
    for (let at = start; at < start + length; at++) {
      if (this.leadsNowhere(chunk, at)) continue;
      const { to, counts, clients } = chunk;
      yield [to[at] as number, counts[at] as number, clients.list(at), clients.seen(at)];
    }
  }

  /** The fingerprints of all clients go, their numbers stay (client-sets.ts). */
  endEra(): void {
    this.#pool.endEra();
  }

  /** All arcs of a row go. */
  forget(row: number): void {
    const at = row * fields;
    if (at >= this.#rows.length || this.#rows[at + 2] === 0) return;
    this.#size -= this.#rows[at + 1] as number;
    this.#pool.release(this.#rows[at] as number, this.#rows[at + 2] as number);
    this.#rows.fill(0, at, at + fields);
  }

  scale(factor: number): void {
    this.#pool.scale(factor);
  }

  /** Of a slot, for the hand. */
  has(slot: number): boolean {
    const chunk = this.#pool.chunk(slot);
    return (chunk.counts[slot - chunk.base] as number) >= 0;
  }

  isWeaker(slot: number, than: number): boolean {
    const chunk = this.#pool.chunk(slot);
    const other = this.#pool.chunk(than);
    const at = slot - chunk.base;
    const otherAt = than - other.base;
    const difference = (chunk.counts[at] as number) - (other.counts[otherAt] as number);
    if (difference !== 0) return difference < 0;
    return (chunk.lasts[at] as number) < (other.lasts[otherAt] as number);
  }

  isGone(slot: number): boolean {
    const chunk = this.#pool.chunk(slot);
    return this.leadsNowhere(chunk, slot - chunk.base);
  }

  /** Bytes of all typed arrays, free and spare slots included. */
  get typedBytes(): number {
    return this.#pool.typedBytes + this.#rows.byteLength;
  }

  #find(row: number, to: number): number {
    const length = this.length(row);
    if (length === 0) return none;
    const first = this.#rows[row * fields] as number;
    const chunk = this.#pool.chunk(first);
    const targets = chunk.to;
    const start = first - chunk.base;
    const end = start + length;
    for (let at = start; at < end; at++) if (targets[at] === to) return at;
    return none;
  }

  /** A slot at the end of the row. */
  #append(row: number): number {
    if (row * fields >= this.#rows.length) this.#growRows(row);
    if (this.length(row) >= this.#caps.maxArcsPerRow) {
      this.#drop(row, this.#spare(row));
    }
    while (this.#size >= this.#caps.maxArcs) this.#dropWeakest();
    const at = row * fields;
    const length = this.#rows[at + 1] as number;
    const order = this.#rows[at + 2] as number;
    if (order === 0 || length === 2 ** order) this.#move(row, order + 1);
    this.#rows[at + 1] = length + 1;
    this.#size++;
    return this.start(row) + length;
  }

  #dropWeakest(): void {
    const slot = this.#hand.weakest(this, this.#pool.slots);
    const { owners, base } = this.#pool.chunk(slot);
    this.#drop(owners[(slot - base) >> 1] as number, slot - base);
  }

  #clearGone(row: number): void {
    const length = this.length(row);
    if (length === 0) return;
    const chunk = this.chunk(row);
    const start = this.start(row);
    let kept = start;
    for (let at = start; at < start + length; at++) {
      if (this.leadsNowhere(chunk, at)) continue;
      if (at !== kept) chunk.copy(at, kept);
      kept++;
    }
    this.#shorten(row, kept - start);
  }

  /** Which arc of a full row goes: its weakest, or one that is gone; each time another is looked at. */
  #spare(row: number): number {
    const turn = this.start(row) + (this.#nodes.sequence % this.length(row));
    const chunk = this.chunk(row);
    if (this.leadsNowhere(chunk, turn)) return turn;
    return weakest(chunk, this.start(row), this.start(row) + this.length(row));
  }

  /** An arc goes; the last of its equals takes its place. */
  #drop(row: number, at: number): void {
    const chunk = this.chunk(row);
    const length = this.length(row) - 1;
    const end = this.start(row) + length;
    if (chunk.counts[at] === chunk.counts[end]) chunk.copy(end, at);
    else for (let to = at; to < end; to++) chunk.copy(to + 1, to);
    this.#shorten(row, length);
  }

  /** Only the first `length` arcs stay, in a block that is at least a quarter full. */
  #shorten(row: number, length: number): void {
    if (length === 0) {
      this.forget(row);
      return;
    }
    const at = row * fields;
    const start = this.start(row);
    const before = this.#rows[at + 1] as number;
    this.chunk(row).counts.fill(none, start + length, start + before);
    this.#size -= before - length;
    this.#rows[at + 1] = length;
    let order = this.#rows[at + 2] as number;
    while (order > 1 && length <= 2 ** (order - 2)) order--;
    if (order !== this.#rows[at + 2]) this.#move(row, order);
  }

  /** Give a row a block of 2^order slots. */
  #move(row: number, order: number): void {
    const at = row * fields;
    const before = this.#rows[at] as number;
    const beforeOrder = this.#rows[at + 2] as number;
    const length = this.#rows[at + 1] as number;
    const block = this.#pool.take(order, row);
    if (length > 0) {
      const from = this.#pool.chunk(before);
      const to = this.#pool.chunk(block);
      for (let i = 0; i < length; i++) to.copy(before - from.base + i, block - to.base + i, from);
    }
    if (beforeOrder > 0) this.#pool.release(before, beforeOrder);
    this.#rows[at] = block;
    this.#rows[at + 2] = order;
  }

  #growRows(row: number): void {
    const rows = Math.max(row + 1, Math.ceil((this.#rows.length / fields) * 1.5));
    this.#rows = grown(this.#rows, new Int32Array(rows * fields));
  }
}
