// What a graph learned since the last `take`: counts to add, per node and per arc, for stores and other nodes of a
// service. Counts use the gain units of the tables and are scaled with them. Everything is in typed arrays, so
// recording causes no garbage, and the caps of the tables limit what waits: repeated credits add to the same row.
//
// URLs with changes wait in a queue, each at most once. Each call to `take` removes as many as it asks for from the
// head, with the arcs that leave them. Evicting a URL drops its pending changes, so its id can be reused (nodes.ts).

import { growArray } from '../tables/grow-array.ts';
import type { Generations, IdListener } from '../tables/id-listener.ts';
import { ArcNews } from './arc-news.ts';
import type { DeltaColumns } from './delta-columns.ts';

export class Journal implements IdListener {
  readonly #arcs: readonly ArcNews[];
  /** Accesses to add, by id. */
  #accesses = new Float64Array(64);
  /** For each id: 1 if it is in the queue. */
  #isWaiting = new Uint8Array(64);
  /** Ring buffer of ids, large enough for every id. */
  #queue = new Int32Array(64);
  #head = 0;
  /** Ids in the queue, including those whose changes were dropped. */
  waiting = 0;

  /** @param maxArcs limit per graph */
  constructor(nodes: Generations, graphs: number, maxArcs: number) {
    this.#arcs = Array.from({ length: graphs }, () => new ArcNews(nodes, maxArcs));
  }

  /** Number of pending arcs. */
  get arcs(): number {
    return this.#arcs.reduce((sum, { size }) => sum + size, 0);
  }

  access(id: number, amount: number): void {
    this.#wait(id);
    this.#accesses[id] = (this.#accesses[id] as number) + amount;
  }

  arc(graph: number, from: number, to: number, amount: number, client: number, seen = 0): void {
    this.#wait(from);
    (this.#arcs[graph] as ArcNews).credit(from, to, amount, client, seen);
  }

  /** Move changes to the columns: at most `most` URLs and `most` arcs. */
  take(columns: DeltaColumns, most: number): void {
    let arcs = 0;
    for (let urls = 0; urls < most && arcs < most && this.waiting > 0; urls++) {
      const id = this.#queue[this.#head] as number;
      const accesses = this.#accesses[id] as number;
      if (accesses > 0) columns.addNode(id, accesses);
      this.#accesses[id] = 0;
      for (let graph = 0; graph < this.#arcs.length; graph++) {
        arcs += (this.#arcs[graph] as ArcNews).take(id, columns, graph, most - arcs);
      }
      // The URL stays at the head until all its arcs are taken.
      if (this.#arcs.some((news) => news.has(id))) return;
      this.#isWaiting[id] = 0;
      this.#head = (this.#head + 1) % this.#queue.length;
      this.waiting--;
    }
  }

  forget(id: number): void {
    if (this.#isWaiting[id] !== 1) return;
    this.#accesses[id] = 0;
    for (const news of this.#arcs) news.forget(id);
  }

  clear(): void {
    for (; this.waiting > 0; this.waiting--) {
      const id = this.#queue[this.#head] as number;
      this.forget(id);
      this.#isWaiting[id] = 0;
      this.#head = (this.#head + 1) % this.#queue.length;
    }
  }

  scale(factor: number): void {
    for (let id = 0; id < this.#accesses.length; id++) {
      this.#accesses[id] = (this.#accesses[id] as number) * factor;
    }
    for (const news of this.#arcs) news.scale(factor);
  }

  #wait(id: number): void {
    if (id >= this.#isWaiting.length) this.#grow(id);
    if (this.#isWaiting[id] === 1) return;
    this.#isWaiting[id] = 1;
    this.#queue[(this.#head + this.waiting++) % this.#queue.length] = id;
  }

  #grow(id: number): void {
    const ids = Math.max(id + 1, Math.ceil(this.#isWaiting.length * 1.5));
    this.#accesses = growArray(this.#accesses, new Float64Array(ids));
    this.#isWaiting = growArray(this.#isWaiting, new Uint8Array(ids));
    const queue = new Int32Array(ids);
    queue.set(this.#queue.subarray(this.#head));
    queue.set(this.#queue.subarray(0, this.#head), this.#queue.length - this.#head);
    this.#queue = queue;
    this.#head = 0;
  }
}
