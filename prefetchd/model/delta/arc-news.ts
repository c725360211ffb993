// Arcs of one graph that were credited since somebody asked: a row each in typed columns, found by hash of
// both ends, and chained by the URL they leave, so that they are given URL by URL.
//
// A row is of its target while the target's id was `generationOf` (nodes.ts) when the row says it was; rows of a
// source that goes are freed with it (journal.ts). Rows that were freed are used again first.

import { growArray } from '../tables/grow-array.ts';
import { HashIndex } from '../tables/hash-index.ts';
import type { Generations } from '../tables/id-listener.ts';
import type { DeltaColumns } from './delta-columns.ts';
import { fingerprintsPerArc } from './graph-delta.ts';

/** Room for more rows is given back when the last of them is taken. */
const keptRows = 2 ** 15;
const firstRows = 64;

export class ArcNews {
  readonly #nodes: Generations;
  readonly #maxArcs: number;
  /** Rows in use. */
  size = 0;
  /** By id: the first row of its chain, plus one; 0: none. */
  #firsts = new Int32Array(0);
  #index = new HashIndex();
  #from = new Int32Array(firstRows);
  #to = new Int32Array(firstRows);
  /** Low 32 bits of the number of the access at which the target was born. */
  #generations = new Int32Array(firstRows);
  #counts = new Float64Array(firstRows);
  /** Six for each row: fingerprints of distinct clients, then zeros. */
  #clients = new Uint16Array(firstRows * fingerprintsPerArc);
  /** The next row of a chain, or of those that are free, plus one; 0: none. */
  #next = new Int32Array(firstRows);
  /** The first free row below `#top`, plus one. */
  #free = 0;
  /** Rows ever used lie below it. */
  #top = 0;

  /** @param maxArcs rows at most; while nobody asks, arcs beyond it are left out */
  constructor(nodes: Generations, maxArcs: number) {
    this.#nodes = nodes;
    this.#maxArcs = maxArcs;
  }

  credit(from: number, to: number, amount: number, client: number): void {
    const generation = this.#nodes.generationOf(to) | 0;
    const hash = hashOf(from, to);
    let row = this.#index.first(hash);
    while (row >= 0 && (this.#to[row] !== to || this.#from[row] !== from)) {
      row = this.#index.next(row);
    }
    if (row >= 0 && this.#generations[row] === generation) {
      this.#counts[row] = (this.#counts[row] as number) + amount;
      this.#note(row, client);
      return;
    }
    if (row < 0) {
      if (this.size >= this.#maxArcs) return;
      row = this.#add(from, to, hash);
    }
    this.#generations[row] = generation;
    this.#counts[row] = amount;
    const place = row * fingerprintsPerArc;
    this.#clients.fill(0, place, place + fingerprintsPerArc);
    this.#clients[place] = client;
  }

  /** Move arcs that leave an id to columns, the latest first, at most so many. @returns how many went there */
  take(from: number, columns: DeltaColumns, graph: number, most: number): number {
    let taken = 0;
    for (let row = this.#first(from); row >= 0 && taken < most; row = this.#first(from)) {
      const to = this.#to[row] as number;
      if (this.#generations[row] === (this.#nodes.generationOf(to) | 0)) {
        const place = row * fingerprintsPerArc;
        columns.addArc(graph, from, to, this.#counts[row] as number, this.#clients, place, 0);
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

  /** All arcs that leave an id go. */
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
    this.#next = new Int32Array(firstRows);
  }
}

/** Of an arc, 32 bits, signed. */
function hashOf(from: number, to: number): number {
  const mixed = Math.imul(from, 0x9e3779b1) ^ Math.imul(to, 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
}
