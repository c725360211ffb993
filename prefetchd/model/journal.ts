// What a graph learned since it was last asked: counts to add, by node and by arc, for stores and other nodes
// of a service. Counts are in units of gains like those of the tables, and scaled with them.
//
// An id is used again after its URL went (nodes.ts). An entry keeps the number of the access that wrote it; one
// written before its id was born is of the URL that went, which was weak, and is forgotten with it.

import { maxCountedClients } from './client-sets.ts';

export interface JournalEntry {
  count: number;
  /** Fingerprints of clients, each once (client-sets.ts). */
  clients: number[];
  /** Number of the access that wrote it last. */
  last: number;
}

/** Ids lie below it (options.ts), so that two make an exact number. */
const idRange = 2 ** 21;

/** Of a NodeTable. */
interface Births {
  /** Number of the current access. */
  readonly sequence: number;
  /** Number of the access from which on an id means the URL it means now. */
  born(id: number): number;
}

export class Journal {
  readonly #nodes: Births;
  readonly #maxArcs: number;
  #accesses = new Map<number, JournalEntry>();
  #arcs: Map<number, JournalEntry>[];

  /** @param maxArcs of each graph; while nobody asks, arcs beyond it are left out */
  constructor(nodes: Births, graphs: number, maxArcs: number) {
    this.#nodes = nodes;
    this.#maxArcs = maxArcs;
    this.#arcs = Array.from({ length: graphs }, () => new Map());
  }

  get isEmpty(): boolean {
    return this.#accesses.size === 0;
  }

  access(id: number, amount: number): void {
    const last = this.#nodes.sequence;
    const entry = this.#accesses.get(id);
    if (entry === undefined || entry.last < this.#nodes.born(id)) {
      this.#accesses.set(id, { count: amount, clients: [], last });
      return;
    }
    entry.count += amount;
    entry.last = last;
  }

  arc(graph: number, from: number, to: number, amount: number, client: number): void {
    const arcs = this.#arcs[graph] as Map<number, JournalEntry>;
    const key = from * idRange + to;
    const last = this.#nodes.sequence;
    const entry = arcs.get(key);
    if (entry === undefined || this.#isGone(entry, from, to)) {
      if (entry === undefined && arcs.size >= this.#maxArcs) return;
      arcs.set(key, { count: amount, clients: [client], last });
      return;
    }
    entry.count += amount;
    entry.last = last;
    if (entry.clients.length < maxCountedClients && !entry.clients.includes(client)) {
      entry.clients.push(client);
    }
  }

  /** Nodes written to since the last `clear`. */
  *accesses(): IterableIterator<[id: number, amount: number]> {
    for (const [id, entry] of this.#accesses) {
      if (entry.last >= this.#nodes.born(id)) yield [id, entry.count];
    }
  }

  *arcs(graph: number): IterableIterator<[from: number, to: number, entry: JournalEntry]> {
    for (const [key, entry] of this.#arcs[graph] as Map<number, JournalEntry>) {
      const from = Math.floor(key / idRange);
      const to = key % idRange;
      if (!this.#isGone(entry, from, to)) yield [from, to, entry];
    }
  }

  clear(): void {
    this.#accesses = new Map();
    this.#arcs = this.#arcs.map(() => new Map());
  }

  scale(factor: number): void {
    for (const entries of [this.#accesses, ...this.#arcs]) {
      for (const entry of entries.values()) entry.count *= factor;
    }
  }

  #isGone(entry: JournalEntry, from: number, to: number): boolean {
    return entry.last < this.#nodes.born(from) || entry.last < this.#nodes.born(to);
  }
}
