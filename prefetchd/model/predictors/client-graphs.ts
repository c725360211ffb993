// A dependency graph per client, all in one ArcTable with a row for each pair of client and URL. Clients are
// identified by a 32-bit hash, so habits outlast the client's slot in the windows; clients with equal hashes share
// their habits. At most twice `maxNodes` rows and `maxArcs` arcs: beyond that, a weak one is evicted
// (sampled-eviction.ts). A row of an evicted URL is older than the generation of its id (nodes.ts).

import { ArcTable } from '../graph/arcs.ts';
import type { NodeTable } from '../graph/nodes.ts';
import type { ModelOptions } from '../model-options.ts';
import { growArray } from '../tables/grow-array.ts';
import { HashIndex } from '../tables/hash-index.ts';
import type { IdListener } from '../tables/id-listener.ts';
import { type Ranked, SampledEviction } from '../tables/sampled-eviction.ts';

const maxArcsPerRow = 32;
/** All arcs of a row belong to one client. */
const oneself = 1;

/** Per row: the client's hash, the URL's id (-1: free), aged accesses, latest access. */
const fields = 4;
const url = 1;
const count = 2;
const last = 3;
const free = -1;

export class ClientGraphs implements IdListener, Ranked {
  readonly arcs: ArcTable;
  readonly #maxRows: number;
  readonly #nodes: NodeTable;
  readonly #index = new HashIndex();
  readonly #hand = new SampledEviction();
  readonly #free: number[] = [];
  #rows = new Float64Array(64 * fields);
  #top = 0;

  constructor(options: Pick<ModelOptions, 'maxNodes' | 'maxArcs'>, nodes: NodeTable) {
    this.#maxRows = 2 * options.maxNodes;
    this.#nodes = nodes;
    this.arcs = new ArcTable({ maxArcs: options.maxArcs, maxArcsPerRow }, nodes);
  }

  /** The row for what a client requested after a URL; -1 if there is none. */
  rowOf(client: number, id: number): number {
    const row = this.#find(client, id);
    return row < 0 || this.isGone(row) ? -1 : row;
  }

  /** Aged accesses of the client to the URL. */
  accesses(row: number): number {
    return this.#rows[row * fields + count] as number;
  }

  /** Record an access of the client to the URL. */
  access(client: number, id: number, gain: number): void {
    let row = this.#find(client, id);
    if (row < 0) row = this.#add(client, id);
    else if (this.isGone(row)) this.#clear(row);
    const at = row * fields;
    this.#rows[at + count] = (this.#rows[at + count] as number) + gain;
    this.#rows[at + last] = this.#nodes.sequence;
  }

  /** Record that the client's access to `from`, which counted `gain`, was followed by `to`. */
  follow(client: number, from: number, to: number, gain: number): void {
    const row = this.rowOf(client, from);
    if (row >= 0) this.arcs.credit(row, to, gain, oneself);
  }

  /** Rows of an evicted URL, and arcs that lead to it, stay until they are met. */
  forget(id: number): void {
    this.arcs.forgetTarget(id);
  }

  /** Forget all clients. */
  clear(): void {
    for (let row = 0; row < this.#top; row++) if (this.has(row)) this.#remove(row);
  }

  scale(factor: number): void {
    for (let at = count; at < this.#top * fields; at += fields) {
      this.#rows[at] = (this.#rows[at] as number) * factor;
    }
    this.arcs.scale(factor);
  }

  has(row: number): boolean {
    return this.#rows[row * fields + url] !== free;
  }

  isWeaker(row: number, than: number): boolean {
    const difference = this.accesses(row) - this.accesses(than);
    return difference < 0 || (difference === 0 && this.#last(row) < this.#last(than));
  }

  /** True if the row's URL was evicted. */
  isGone(row: number): boolean {
    return this.#last(row) < this.#nodes.generationOf(this.#rows[row * fields + url] as number);
  }

  get typedBytes(): number {
    return this.arcs.typedBytes + this.#rows.byteLength + this.#index.typedBytes;
  }

  #last(row: number): number {
    return this.#rows[row * fields + last] as number;
  }

  #find(client: number, id: number): number {
    const rows = this.#rows;
    let row = this.#index.first(hashOf(client, id));
    while (row >= 0 && (rows[row * fields] !== client || rows[row * fields + url] !== id)) {
      row = this.#index.next(row);
    }
    return row;
  }

  #add(client: number, id: number): number {
    if (this.#top - this.#free.length >= this.#maxRows) {
      this.#remove(this.#hand.weakest(this, this.#top));
    }
    const row = this.#free.pop() ?? this.#top++;
    const at = row * fields;
    if (at === this.#rows.length) this.#grow();
    this.#rows[at] = client;
    this.#rows[at + url] = id;
    this.#rows[at + count] = 0;
    this.#index.add(row, hashOf(client, id));
    return row;
  }

  #remove(row: number): void {
    this.#clear(row);
    this.#index.remove(row);
    this.#rows[row * fields + url] = free;
    this.#free.push(row);
  }

  #clear(row: number): void {
    this.#rows[row * fields + count] = 0;
    this.arcs.forgetRow(row);
  }

  #grow(): void {
    const rows = Math.min(this.#maxRows, Math.ceil((this.#rows.length / fields) * 1.5));
    this.#rows = growArray(this.#rows, new Float64Array(rows * fields));
  }
}

function hashOf(client: number, id: number): number {
  const hash = Math.imul(client ^ Math.imul(id, 0x9e3779b1), 0x85ebca6b);
  return hash ^ (hash >>> 15);
}
