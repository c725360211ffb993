// A dependency graph for each client, all of them in one ArcTable: a row for each pair of client and
// URL, found through one Map by the number client * 2^21 + id. Clients are told by a hash of 32 bits, so
// that habits outlast the client's place in the windows; two with the same hash share their habits.
// At most twice `maxNodes` rows and `maxArcs` arcs: the weakest tenth goes when full.

import { ArcTable } from './arcs.ts';
import { grown } from './grown.ts';
import type { Holder } from './nodes.ts';
import type { ModelOptions } from './options.ts';
import { cutOfWeakest, goesWith } from './weakest.ts';

/** Ids lie below it (options.ts), so a key is an exact number. */
const idRange = 2 ** 21;
const maxArcsPerRow = 32;

export class Habits implements Holder {
  readonly arcs: ArcTable;
  /** Aged accesses of the client to the URL, by row. */
  accesses = new Float64Array(64);
  readonly #maxRows: number;
  readonly #rows = new Map<number, number>();
  readonly #free: number[] = [];
  #lasts = new Float64Array(64);
  #top = 0;

  constructor(options: Pick<ModelOptions, 'maxNodes' | 'maxArcs'>) {
    this.#maxRows = 2 * options.maxNodes;
    this.arcs = new ArcTable({ maxArcs: options.maxArcs, maxArcsPerRow });
  }

  /** The row of what a client did after a URL; -1 when there is none. */
  rowOf(client: number, id: number): number {
    return this.#rows.get(client * idRange + id) ?? -1;
  }

  /** The client asked for the URL. */
  access(client: number, id: number, gain: number, sequence: number): void {
    let row = this.rowOf(client, id);
    if (row < 0) {
      if (this.#rows.size >= this.#maxRows) this.#dropWeakest(Math.ceil(this.#rows.size / 10));
      row = this.#free.pop() ?? this.#top++;
      if (row === this.accesses.length) this.#grow();
      this.#rows.set(client * idRange + id, row);
      this.accesses[row] = 0;
    }
    this.accesses[row] = (this.accesses[row] as number) + gain;
    this.#lasts[row] = sequence;
  }

  /** An access of the client to `from`, which counted `gain`, is now followed by `to`. */
  follow(client: number, from: number, to: number, gain: number, sequence: number): void {
    const row = this.rowOf(client, from);
    if (row >= 0) this.arcs.credit(row, to, gain, sequence, 0);
  }

  forget(gone: Uint8Array): void {
    this.#dropRows((_row, key) => gone[key % idRange] === 1);
    this.arcs.forgetTargets(gone);
  }

  scale(factor: number): void {
    for (let row = 0; row < this.#top; row++) {
      this.accesses[row] = (this.accesses[row] as number) * factor;
    }
    this.arcs.scale(factor);
  }

  get typedBytes(): number {
    return this.arcs.typedBytes + this.accesses.length * 16;
  }

  #dropWeakest(quota: number): void {
    const rows = [...this.#rows.values()];
    const counts = Float64Array.from(rows, (row) => this.accesses[row] as number);
    const lasts = Float64Array.from(rows, (row) => this.#lasts[row] as number);
    const cut = cutOfWeakest(counts, lasts, quota);
    this.#dropRows((row) =>
      goesWith(cut, this.accesses[row] as number, this.#lasts[row] as number),
    );
  }

  #dropRows(goes: (row: number, key: number) => boolean): void {
    for (const [key, row] of this.#rows) {
      if (!goes(row, key)) continue;
      this.#rows.delete(key);
      this.arcs.clear(row);
      this.#free.push(row);
    }
  }

  #grow(): void {
    const length = Math.min(this.#maxRows, Math.ceil(this.accesses.length * 1.5));
    this.accesses = grown(this.accesses, new Float64Array(length));
    this.#lasts = grown(this.#lasts, new Float64Array(length));
  }
}
