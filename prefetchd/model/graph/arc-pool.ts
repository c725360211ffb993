// Storage for arcs: typed arrays in chunks of 4096 slots, 30 bytes per slot, allocated to rows in blocks of 2^n
// slots. The pool grows by whole chunks and never copies. Blocks are split and merged with their buddies (buddy
// system, Knuth, The Art of Computer Programming, 2.5), so room freed in small pieces can serve large rows.
//
// Invariant: a block of 2^n slots starts at a multiple of 2^n and so lies within one chunk. A block larger than a
// chunk has a chunk to itself, which is never split or merged.

import { neverNext } from '../delta/graph-delta.ts';
import { bytesPerClientSet, ClientSets } from '../tables/client-sets.ts';

export const bytesPerArcSlot = 4 + 8 + 8 + bytesPerClientSet + 4 / 2;

const chunkOrder = 12;
const none = -1;
/** Larger than any access number. */
const accessNumbers = 2 ** 45;

/** Parallel arrays; the slots of a block are consecutive. */
export class ArcChunk {
  /** Target of each arc. */
  readonly to: Int32Array;
  /** Aged count of each arc, in gain units; negative for an empty slot. */
  readonly counts: Float64Array;
  /** Number of the access that last credited the arc. */
  readonly lasts: Float64Array;
  readonly clients: ClientSets;
  /** For each pair of slots: the row that owns it; at the start of a free block, minus the block's order. */
  readonly owners: Int32Array;
  /** Number of the first slot. */
  readonly base: number;

  constructor(base: number, slots: number) {
    this.base = base;
    this.to = new Int32Array(slots);
    this.counts = new Float64Array(slots).fill(none);
    this.lasts = new Float64Array(slots);
    this.clients = new ClientSets(slots);
    this.owners = new Int32Array(slots / 2);
  }

  copy(from: number, to: number, chunk: ArcChunk = this): void {
    this.to[to] = chunk.to[from] as number;
    this.counts[to] = chunk.counts[from] as number;
    this.lasts[to] = chunk.lasts[from] as number;
    this.clients.copy(from, to, chunk.clients);
  }

  swap(one: number, other: number): void {
    swap(this.to, one, other);
    swap(this.counts, one, other);
    swap(this.lasts, one, other);
    this.clients.swap(one, other);
  }
}

/** Rank of an arc among those with equal weights: arcs that led to the next page come first, then later ones. */
export function tieRank({ clients, lasts }: ArcChunk, at: number): number {
  return (clients.seen(at) < neverNext ? accessNumbers : 0) + (lasts[at] as number);
}

export class ArcPool {
  /** Chunks by slot number divided by 4096. */
  readonly #chunks: ArcChunk[] = [];
  /** First free block of each order. Free blocks are doubly linked through `to`. */
  readonly #free = new Int32Array(32).fill(none);
  /** Number of slots of all chunks. */
  slots = 0;

  /** The chunk of a slot, where its index is `slot - base`. */
  chunk(slot: number): ArcChunk {
    return this.#chunks[slot >>> chunkOrder] as ArcChunk;
  }

  /** Allocate 2^order empty slots (order >= 1) to a row. @returns the first slot */
  take(order: number, row: number): number {
    let from = order;
    while (from < chunkOrder && this.#free[from] === none) from++;
    if (this.#free[from] === none) this.#add(from);
    const block = this.#free[from] as number;
    this.#unlink(block, from);
    while (from > order) this.#link(block + 2 ** --from, from);
    const { owners, base } = this.chunk(block);
    const pair = (block - base) >> 1;
    owners.fill(row, pair, pair + 2 ** (order - 1));
    return block;
  }

  release(block: number, order: number): void {
    const chunk = this.chunk(block);
    chunk.counts.fill(none, block - chunk.base, block - chunk.base + 2 ** order);
    while (order < chunkOrder) {
      const other = block ^ (2 ** order);
      const { owners, base } = this.chunk(other);
      if (owners[(other - base) >> 1] !== -order) break;
      this.#unlink(other, order);
      block = Math.min(block, other);
      order++;
    }
    this.#link(block, order);
  }

  scale(factor: number): void {
    for (const { counts } of new Set(this.#chunks)) {
      for (let at = 0; at < counts.length; at++) counts[at] = (counts[at] as number) * factor;
    }
  }

  endEra(): void {
    for (const { clients } of new Set(this.#chunks)) clients.endEra();
  }

  get typedBytes(): number {
    return this.slots * bytesPerArcSlot;
  }

  #add(order: number): void {
    const chunk = new ArcChunk(this.slots, 2 ** order);
    for (let i = 0; i < 2 ** (order - chunkOrder); i++) this.#chunks.push(chunk);
    this.slots += 2 ** order;
    this.#link(chunk.base, order);
  }

  #link(block: number, order: number): void {
    const { to, owners, base } = this.chunk(block);
    const next = this.#free[order] as number;
    const at = block - base;
    to[at] = next;
    to[at + 1] = none;
    owners[at >> 1] = -order;
    if (next !== none) this.#setPrevious(next, block);
    this.#free[order] = block;
  }

  #unlink(block: number, order: number): void {
    const { to, owners, base } = this.chunk(block);
    const at = block - base;
    const next = to[at] as number;
    const previous = to[at + 1] as number;
    owners[at >> 1] = 0;
    if (next !== none) this.#setPrevious(next, previous);
    if (previous === none) {
      this.#free[order] = next;
    } else {
      const before = this.chunk(previous);
      before.to[previous - before.base] = next;
    }
  }

  #setPrevious(block: number, previous: number): void {
    const { to, base } = this.chunk(block);
    to[block - base + 1] = previous;
  }
}

function swap(values: Int32Array | Float64Array, one: number, other: number): void {
  const value = values[one] as number;
  values[one] = values[other] as number;
  values[other] = value;
}
