// Arcs in few bytes: each row (a node that arcs leave) has a block in pooled typed arrays, 28 bytes an
// arc. Blocks are powers of two long; a block that is outgrown goes to the free list of its
// size, and a trim that leaves many packs everything anew.
//
// Invariant: a block is sorted by count, falling, and equal counts by use, latest first. So hints are
// read off its head, the weakest arc of a full row is its last, and the arcs that are used most are
// found first. An arc that is credited moves ahead of all that are not stronger.

import { bytesPerClientSet, ClientSets } from './client-sets.ts';
import { grown } from './grown.ts';
import type { Holder } from './nodes.ts';
import { cutOfWeakest, goesWith } from './weakest.ts';

export const bytesPerArcSlot = 4 + 8 + 8 + bytesPerClientSet;

export interface ArcCaps {
  maxArcs: number;
  maxArcsPerRow: number;
}

export class ArcTable implements Holder {
  /** Where each arc leads. */
  to = new Int32Array(256);
  /** Aged count of each arc, in units of past gains. */
  counts = new Float64Array(256);
  /** Number of the access that credited the arc last. */
  lasts = new Float64Array(256);
  clients = new ClientSets(256);
  /** Arcs in all. */
  size = 0;
  readonly #caps: ArcCaps;
  #starts = new Int32Array(64);
  #lengths = new Int32Array(64);
  /** Slots of the row's block; 0: it has none. */
  #rooms = new Int32Array(64);
  /** Slots given out so far. */
  #end = 0;
  /** Starts of free blocks, by log2 of their length. */
  #free: number[][] = [];

  constructor(caps: ArcCaps) {
    this.#caps = caps;
  }

  start(row: number): number {
    return row < this.#starts.length ? (this.#starts[row] as number) : 0;
  }

  length(row: number): number {
    return row < this.#lengths.length ? (this.#lengths[row] as number) : 0;
  }

  /** Index of an arc in the pools; -1 when there is none. */
  find(row: number, to: number): number {
    const end = this.start(row) + this.length(row);
    for (let at = this.start(row); at < end; at++) if (this.to[at] === to) return at;
    return -1;
  }

  /**
   * Add `amount` to an arc, which is made if need be.
   * @param client fingerprint of the client (client-sets.ts); 0: nobody in particular
   * @returns where the arc is now
   */
  credit(row: number, to: number, amount: number, sequence: number, client: number): number {
    let at = this.find(row, to);
    let count = amount;
    if (at >= 0) {
      count += this.counts[at] as number;
    } else {
      at = this.#slotForNew(row);
      this.clients.clear(at);
    }
    const start = this.#starts[row] as number;
    while (at > start && (this.counts[at - 1] as number) <= count) {
      this.clients.swap(at - 1, at);
      this.#move(at - 1, at);
      at--;
    }
    this.to[at] = to;
    this.counts[at] = count;
    this.lasts[at] = sequence;
    if (client !== 0) this.clients.add(at, client);
    return at;
  }

  /** All arcs of a row go. */
  clear(row: number): void {
    if (row >= this.#rooms.length) return;
    this.size -= this.#lengths[row] as number;
    this.#release(row);
    this.#lengths[row] = 0;
    this.#rooms[row] = 0;
  }

  forget(gone: Uint8Array): void {
    for (let row = 0; row < gone.length; row++) if (gone[row] === 1) this.clear(row);
    this.forgetTargets(gone);
  }

  /** Only what arcs lead to is an id of the NodeTable, rows are the owner's. */
  forgetTargets(gone: Uint8Array): void {
    this.#retain((at) => gone[this.to[at] as number] !== 1);
  }

  scale(factor: number): void {
    for (let at = 0; at < this.#end; at++) this.counts[at] = (this.counts[at] as number) * factor;
  }

  /** Bytes of all typed arrays, free and spare slots included. */
  get typedBytes(): number {
    return this.to.length * bytesPerArcSlot + this.#starts.length * 3 * 4;
  }

  #slotForNew(row: number): number {
    if (row >= this.#starts.length) this.#growRows(row);
    if (this.length(row) >= this.#caps.maxArcsPerRow) return this.start(row) + this.length(row) - 1;
    if (this.size >= this.#caps.maxArcs) this.#dropWeakest(Math.ceil(this.size / 10));
    const length = this.#lengths[row] as number;
    if (length === this.#rooms[row]) this.#widen(row, Math.max(2, length * 2));
    this.#lengths[row] = length + 1;
    this.size++;
    return (this.#starts[row] as number) + length;
  }

  #widen(row: number, room: number): void {
    const from = this.#starts[row] as number;
    const length = this.#lengths[row] as number;
    const start = this.#take(room);
    this.to.copyWithin(start, from, from + length);
    this.counts.copyWithin(start, from, from + length);
    this.lasts.copyWithin(start, from, from + length);
    for (let i = 0; i < length; i++) this.clients.move(from + i, start + i);
    this.#release(row);
    this.#starts[row] = start;
    this.#rooms[row] = room;
  }

  #take(room: number): number {
    const free = this.#free[log2(room)]?.pop();
    if (free !== undefined) return free;
    const start = this.#end;
    this.#end += room;
    if (this.#end > this.to.length) this.#resize(Math.max(this.#end, this.to.length * 1.5) | 0);
    return start;
  }

  #release(row: number): void {
    const room = this.#rooms[row] as number;
    if (room === 0) return;
    const list = log2(room);
    this.#free[list] ??= [];
    this.#free[list].push(this.#starts[row] as number);
  }

  #dropWeakest(quota: number): void {
    const counts = new Float64Array(this.size);
    const lasts = new Float64Array(this.size);
    let live = 0;
    for (let row = 0; row < this.#starts.length; row++) {
      const end = this.start(row) + this.length(row);
      for (let at = this.start(row); at < end; at++) {
        counts[live] = this.counts[at] as number;
        lasts[live++] = this.lasts[at] as number;
      }
    }
    const cut = cutOfWeakest(counts, lasts, quota);
    this.#retain((at) => !goesWith(cut, this.counts[at] as number, this.lasts[at] as number));
  }

  /** Drop arcs in place, in order. Rows keep their room, they will fill again; packed when spare. */
  #retain(keep: (at: number) => boolean): void {
    this.size = 0;
    for (let row = 0; row < this.#starts.length; row++) {
      const start = this.#starts[row] as number;
      const end = start + (this.#lengths[row] as number);
      let kept = start;
      for (let at = start; at < end; at++) {
        if (!keep(at)) continue;
        if (at !== kept) {
          this.#move(at, kept);
          this.clients.move(at, kept);
        }
        kept++;
      }
      this.#lengths[row] = kept - start;
      this.size += kept - start;
      if (kept === start) {
        this.#release(row);
        this.#rooms[row] = 0;
      }
    }
    if (this.#end > 2 * this.size + 1024) this.#pack();
  }

  /** Lay all blocks side by side in new pools. */
  #pack(): void {
    const before = { to: this.to, counts: this.counts, lasts: this.lasts, clients: this.clients };
    this.#free = [];
    this.#end = 0;
    this.to = new Int32Array(Math.max(256, 2 * this.size));
    this.counts = new Float64Array(this.to.length);
    this.lasts = new Float64Array(this.to.length);
    this.clients = new ClientSets(this.to.length);
    for (let row = 0; row < this.#starts.length; row++) {
      const from = this.#starts[row] as number;
      const length = this.#lengths[row] as number;
      this.#starts[row] = this.#end;
      this.#rooms[row] = roomFor(length);
      for (let i = 0; i < length; i++) {
        this.to[this.#end + i] = before.to[from + i] as number;
        this.counts[this.#end + i] = before.counts[from + i] as number;
        this.lasts[this.#end + i] = before.lasts[from + i] as number;
        this.clients.move(from + i, this.#end + i, before.clients);
      }
      this.#end += this.#rooms[row] as number;
    }
  }

  #move(from: number, to: number): void {
    this.to[to] = this.to[from] as number;
    this.counts[to] = this.counts[from] as number;
    this.lasts[to] = this.lasts[from] as number;
  }

  #resize(length: number): void {
    this.to = grown(this.to, new Int32Array(length));
    this.counts = grown(this.counts, new Float64Array(length));
    this.lasts = grown(this.lasts, new Float64Array(length));
    this.clients.resize(length);
  }

  #growRows(row: number): void {
    const length = Math.max(row + 1, Math.ceil(this.#starts.length * 1.5));
    this.#starts = grown(this.#starts, new Int32Array(length));
    this.#lengths = grown(this.#lengths, new Int32Array(length));
    this.#rooms = grown(this.#rooms, new Int32Array(length));
  }
}

/** The least power of two, from 2 on, that holds so many. */
function roomFor(length: number): number {
  return length === 0 ? 0 : 1 << Math.max(1, 32 - Math.clz32(length - 1));
}

function log2(powerOfTwo: number): number {
  return 31 - Math.clz32(powerOfTwo);
}
