// Builds a delta from a predictor: ids become indexes into the URLs of the delta (graph-delta.ts), and counts are
// aged to the present.

import type { AccessKind } from '../../access.ts';
import { growArray } from '../tables/grow-array.ts';
import { type ArcColumns, fingerprintsPerArc, type GraphDelta } from './graph-delta.ts';

const firstRows = 256;

/** The predictor's name and tables, which resolve its ids. */
interface Source {
  readonly name: string;
  readonly window: number;
  readonly tables: {
    readonly nodes: {
      readonly gain: number;
      urlOf(id: number): string;
      kindOf(id: number): AccessKind;
      isShortLived(id: number): boolean;
    };
    readonly graphs: readonly unknown[];
  };
}

/** A delta under construction. */
export class DeltaColumns {
  readonly #predictor: Source;
  readonly #era: number;
  readonly #indexes = new Map<number, number>();
  readonly #urls: string[] = [];
  readonly #kinds: number[] = [];
  readonly #accesses: number[] = [];
  readonly #graphs: Rows[];

  constructor(predictor: Source, era: number) {
    this.#predictor = predictor;
    this.#era = era;
    this.#graphs = predictor.tables.graphs.map(() => new Rows());
  }

  addNode(id: number, count: number): void {
    const at = this.#indexOf(id);
    this.#accesses[at] = (this.#accesses[at] as number) + count / this.#predictor.tables.nodes.gain;
  }

  /** @param clients six fingerprints from `place` on: those of the arc, then zeros, or no fingerprints at all */
  addArc(
    graph: number,
    from: number,
    to: number,
    count: number,
    clients: { readonly [index: number]: number },
    place: number,
    seen: number,
  ): void {
    const rows = this.#graphs[graph] as Rows;
    const at = rows.add();
    rows.from[at] = this.#indexOf(from);
    rows.to[at] = this.#indexOf(to);
    rows.counts[at] = count / this.#predictor.tables.nodes.gain;
    rows.seen[at] = seen;
    const first = at * fingerprintsPerArc;
    for (let n = 0; n < fingerprintsPerArc; n++) rows.clients[first + n] = clients[place + n] ?? 0;
  }

  delta(): GraphDelta {
    return {
      predictor: this.#predictor.name,
      window: this.#predictor.window,
      era: this.#era,
      urls: this.#urls,
      kinds: Uint8Array.from(this.#kinds),
      accesses: Float64Array.from(this.#accesses),
      graphs: this.#graphs.map((rows) => rows.columns()),
    };
  }

  #indexOf(id: number): number {
    const known = this.#indexes.get(id);
    if (known !== undefined) return known;
    const { nodes } = this.#predictor.tables;
    const index = this.#urls.push(nodes.urlOf(id)) - 1;
    this.#indexes.set(id, index);
    this.#kinds.push(nodes.kindOf(id) === 'object' ? 1 : nodes.isShortLived(id) ? 2 : 0);
    this.#accesses.push(0);
    return index;
  }
}

/** Growable arc columns. */
class Rows implements ArcColumns {
  from = new Uint32Array(firstRows);
  to = new Uint32Array(firstRows);
  counts = new Float64Array(firstRows);
  clients = new Uint16Array(firstRows * fingerprintsPerArc);
  seen = new Uint8Array(firstRows);
  #length = 0;

  /** @returns the index of the new row, which the caller fills */
  add(): number {
    if (this.#length === this.from.length) {
      const rows = 2 * this.#length;
      this.from = growArray(this.from, new Uint32Array(rows));
      this.to = growArray(this.to, new Uint32Array(rows));
      this.counts = growArray(this.counts, new Float64Array(rows));
      this.clients = growArray(this.clients, new Uint16Array(rows * fingerprintsPerArc));
      this.seen = growArray(this.seen, new Uint8Array(rows));
    }
    return this.#length++;
  }

  columns(): ArcColumns {
    return {
      from: this.from.slice(0, this.#length),
      to: this.to.slice(0, this.#length),
      counts: this.counts.slice(0, this.#length),
      clients: this.clients.slice(0, this.#length * fingerprintsPerArc),
      seen: this.seen.slice(0, this.#length),
    };
  }
}
