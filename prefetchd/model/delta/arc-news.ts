// Arcs of one graph that were credited since the last `take`: one row each in typed columns, found by a hash of both
// ends and chained by source, so they can be taken URL by URL.
//
// A row is valid while the generation of its target (nodes.ts) is the one recorded in the row. The journal frees a
// row when its source is evicted. Freed rows are reused first.

import { growArray } from '../tables/grow-array.ts';
import { HashIndex } from '../tables/hash-index.ts';
import type { Generations } from '../tables/id-listener.ts';
import type { DeltaColumns } from './delta-columns.ts';
import { fingerprintsPerArc, mergedSeen } from './graph-delta.ts';

/** Larger columns are released when their last row is taken. */
const keptRows = 2 ** 15;
const firstRows = 64;

export class ArcNews {
  readonly #nodes: Generations;
  readonly #maxArcs: number;
  size = 0;
  /** For each id: first row of its chain, plus one; 0 for none. */
  #firsts = new Int32Array(0);
  #index = new HashIndex();
  #from = new Int32Array(firstRows);
  #to = new Int32Array(firstRows);
  /** Generation of the target: low 32 bits of the access number. */
  #generations = new Int32Array(firstRows);
  #counts = new Float64Array(firstRows);
  /** Six per row: fingerprints of distinct clients, then zeros. */
  #clients = new Uint16Array(firstRows * fingerprintsPerArc);
  #seen = new Uint8Array(firstRows);
  /** Next row in a chain or in the free list, plus one; 0 for none. */
  #next = new Int32Array(firstRows);
  /** First free row below `#top`, plus one. */
  #free = 0;
  /** All rows ever used have lower numbers. */
  #top = 0;

  /** @param maxArcs most rows; further arcs are left out until rows are taken */
  constructor(nodes: Generations, maxArcs: number) {
    this.#nodes = nodes;
    this.#maxArcs = maxArcs;
  }

  credit(from: number, to: number, amount: number, client: number, seen: number): void {
    const generation = this.#nodes.generationOf(to) | 0;
    const hash = hashOf(from, to);
    let row = this.#index.first(hash);
    while (row >= 0 && (this.#to[row] !== to || this.#from[row] !== from)) {
      row = this.#index.next(row);
    }
    if (row >= 0 && this.#generations[row] === generation) {
      this.#counts[row] = (this.#counts[row] as number) + amount;
      this.#seen[row] = mergedSeen(this.#seen[row] as number, seen);
      this.#note(row, client);
      return;
    }
    if (row < 0) {
      if (this.size >= this.#maxArcs) return;
      row = this.#add(from, to, hash);
    }
    this.#generations[row] = generation;
    this.#counts[row] = amount;
    this.#seen[row] = seen;
    const place = row * fingerprintsPerArc;
    this.#clients.fill(0, place, place + fingerprintsPerArc);
    this.#clients[place] = client;
  }

  /** Move up to `most` arcs that leave an id to the columns, latest first. @returns the number of arcs moved */
  take(from: number, columns: DeltaColumns, graph: number, most: number): number {
    let taken = 0;
    for (let row = this.#first(from); row >= 0 && taken < most; row = this.#first(from)) {
      const to = this.#to[row] as number;
      if (this.#generations[row] === (this.#nodes.generationOf(to) | 0)) {
        const place = row * fingerprintsPerArc;
        const count = this.#counts[row] as number;
        columns.addArc(graph, from, to, count, this.#clients, place, this.#seen[row] as number);
        taken++;
      }
      this.#freeFirst(from, row);
    }
    this.#giveRoomBack();
    return taken;
  }

  has(from: number): boolean {
    return this.#first(from) >= 0;
  }

  /** Free all arcs that leave an id. */
  forget(from: number): void {
    for (let row = this.#first(from); row >= 0; row = this.#first(from)) {
      this.#freeFirst(from, row);
    }
    this.#giveRoomBack();
  }

  scale(factor: number): void {
    for (let row = 0; row < this.#top; row++) {
      this.#counts[row] = (this.#counts[row] as number) * factor;
    }
  }

  #first(from: number): number {
    return from < this.#firsts.length ? (this.#firsts[from] as number) - 1 : -1;
  }

  #note(row: number, client: number): void {
    const place = row * fingerprintsPerArc;
    for (let at = place; at < place + fingerprintsPerArc; at++) {
      if (this.#clients[at] === client) return;
      if (this.#clients[at] !== 0) continue;
      this.#clients[at] = client;
      return;
    }
  }

  #add(from: number, to: number, hash: number): number {
    let row = this.#free - 1;
    if (row >= 0) this.#free = this.#next[row] as number;
    else row = this.#top++;
    if (row === this.#to.length) this.#grow();
    if (from >= this.#firsts.length) {
      const ids = Math.max(from + 1, Math.ceil(this.#firsts.length * 1.5));
      this.#firsts = growArray(this.#firsts, new Int32Array(ids));
    }
    this.#from[row] = from;
    this.#to[row] = to;
    this.#next[row] = this.#firsts[from] as number;
    this.#firsts[from] = row + 1;
    this.#index.add(row, hash);
    this.size++;
    return row;
  }

  #freeFirst(from: number, row: number): void {
    this.#index.remove(row);
    this.#firsts[from] = this.#next[row] as number;
    this.#next[row] = this.#free;
    this.#free = row + 1;
    this.size--;
  }

  #grow(): void {
    const rows = Math.min(this.#maxArcs, Math.ceil(this.#to.length * 1.5));
    this.#from = growArray(this.#from, new Int32Array(rows));
    this.#to = growArray(this.#to, new Int32Array(rows));
    this.#generations = growArray(this.#generations, new Int32Array(rows));
    this.#counts = growArray(this.#counts, new Float64Array(rows));
    this.#clients = growArray(this.#clients, new Uint16Array(rows * fingerprintsPerArc));
    this.#seen = growArray(this.#seen, new Uint8Array(rows));
    this.#next = growArray(this.#next, new Int32Array(rows));
  }

  #giveRoomBack(): void {
    if (this.size > 0) return;
    this.#free = 0;
    this.#top = 0;
    if (this.#to.length <= keptRows) return;
    this.#index = new HashIndex();
    this.#from = new Int32Array(firstRows);
    this.#to = new Int32Array(firstRows);
    this.#generations = new Int32Array(firstRows);
    this.#counts = new Float64Array(firstRows);
    this.#clients = new Uint16Array(firstRows * fingerprintsPerArc);
    this.#seen = new Uint8Array(firstRows);
    this.#next = new Int32Array(firstRows);
  }
}

/** Signed 32-bit hash of an arc. */
function hashOf(from: number, to: number): number {
  const mixed = Math.imul(from, 0x9e3779b1) ^ Math.imul(to, 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
}
