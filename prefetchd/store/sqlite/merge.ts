// Merges an addition into the rows it touches, by the rules of merge.ts but on bytes. This is the most frequent work
// of an SQLite store, so it creates no objects and copies arcs that were not credited.
//
// The arcs of a row are sorted, so only the credited ones are sorted here and then merged with the rest; among
// equals, the credited ones come first.

import {
  type ArcColumns,
  fingerprintsPerArc,
  type GraphDelta,
} from '../../model/delta/graph-delta.ts';
import type { DeltaRows } from '../delta-rows.ts';
import { Credited } from './credited.ts';
import { bytesPerArc, DamagedRecord, type RecordHead, RecordReader } from './record.ts';
import { RowWriter } from './row.ts';

export interface MergeOptions {
  /** By URL of the delta: its id. */
  ids: Uint32Array;
  /** All ids are lower. */
  nodes: number;
  /** Units per access. */
  unit: number;
  maxArcsPerUrl: number;
}

/** Zeroed memory by id, reused by the next addition: additions come many times a second, and memory outside the
 *  heap is reclaimed late. */
let room: Int32Array = new Int32Array(0);

export class RowMerger {
  readonly #delta: GraphDelta;
  readonly #rows: DeltaRows;
  readonly #options: MergeOptions;
  readonly #writer: RowWriter;
  readonly #credited = new Credited();
  /** By id, for the current row: place among its arcs, plus one; for a credited arc, its negated credited place. */
  readonly #places: Int32Array;
  /** The old row, and where the arcs of the current graph start in it. */
  #view: DataView = new DataView(new ArrayBuffer(0));
  #start = 0;
  /** Arcs gained by all rows so far. */
  gained = 0;

  /** @throws PrefetchdError `invalid-option` for columns that do not fit together */
  constructor(delta: GraphDelta, rows: DeltaRows, options: MergeOptions) {
    this.#delta = delta;
    this.#rows = rows;
    this.#options = options;
    this.#writer = new RowWriter(delta.graphs.length);
    const { nodes } = options;
    this.#places = nodes <= room.length ? room : new Int32Array(Math.ceil(nodes * 1.25));
    room = new Int32Array(0); // a damaged row loses it
  }

  /** Call after the last row. */
  end(): void {
    room = this.#places;
  }

  /** True if the delta contains data for the URL, given by index, beyond its existence. */
  isTouched(url: number): boolean {
    if ((this.#delta.accesses[url] as number) > 0) return true;
    return this.#delta.graphs.some((_, graph) => this.#rows.places(url, graph).length > 0);
  }

  /**
   * The new row of a URL, valid until the next call.
   * @param bytes the old row; null if there is none
   * @throws DamagedRecord
   */
  merged(url: number, bytes: Uint8Array | null): Uint8Array {
    const { ids, nodes, unit } = this.#options;
    const { accesses, kinds, graphs, urls } = this.#delta;
    const id = ids[url] as number;
    const size = { nodes, graphs: graphs.length };
    const head =
      bytes === null
        ? emptyHead(id, urls[url] as string, size.graphs)
        : this.#read(bytes, id, size);
    const given = graphs.map((_, graph) => this.#rows.places(url, graph));
    const most = given.reduce(
      (sum, { length }, graph) => sum + length + (head.arcs[graph] as number),
      0,
    );
    const writer = this.#writer;
    const added = (accesses[url] as number) * unit;
    writer.begin({ ...head, kind: kinds[url] as number, accesses: head.accesses + added }, most);
    for (let graph = 0; graph < graphs.length; graph++) {
      const before = head.arcs[graph] as number;
      const after = this.#graph(graph, before, given[graph] as Uint32Array);
      writer.end(graph, after);
      this.gained += after - before;
      this.#start += bytesPerArc * before;
    }
    return writer.bytes();
  }

  #read(bytes: Uint8Array, id: number, size: { nodes: number; graphs: number }): RecordHead {
    const reader = new RecordReader(bytes, size);
    const head = reader.head();
    if (head.id !== id) throw new DamagedRecord('a row has another’s id');
    this.#start = reader.skipArcs(head.arcs);
    if (!reader.isAtEnd) throw new DamagedRecord('a row is longer than what it holds');
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return head;
  }

  /** @returns the number of arcs of the graph in the new row */
  #graph(graph: number, before: number, given: Uint32Array): number {
    const credited = this.#credited;
    credited.clear(given.length);
    for (let at = 0; at < before; at++) this.#places[this.#targetAt(at)] = at + 1;
    const columns = this.#delta.graphs[graph] as ArcColumns;
    for (let n = 0; n < given.length; n++) this.#credit(columns, given[n] as number);
    const after = this.#write(before);
    for (let at = 0; at < before; at++) this.#places[this.#targetAt(at)] = 0;
    for (let n = 0; n < credited.length; n++) this.#places[credited.to[n] as number] = 0;
    return after;
  }

  /** Target of an arc of the old row. @throws DamagedRecord */
  #targetAt(at: number): number {
    const start = this.#start + bytesPerArc * at;
    const to = this.#view.getUint32(start + 16, true);
    if (to >= this.#options.nodes) throw new DamagedRecord('an arc leads nowhere');
    const count = this.#view.getFloat64(start, true);
    if (!(count >= 0 && count < Infinity)) throw new DamagedRecord('an arc has no count');
    return to;
  }

  #credit({ to, counts, clients, seen }: ArcColumns, at: number): void {
    const credited = this.#credited;
    const { ids, unit } = this.#options;
    const target = ids[to[at] as number] as number;
    const own = this.#ownOf(target);
    credited.counts[own] = (credited.counts[own] as number) + (counts[at] as number) * unit;
    credited.see(own, seen[at] as number);
    const { era } = this.#delta;
    if (era === 0) return;
    const first = at * fingerprintsPerArc;
    for (let n = first; n < first + fingerprintsPerArc; n++) {
      const print = clients[n] as number;
      if (print !== 0) credited.meet(own, era, print);
    }
  }

  /** The place of an arc among the credited ones; it is added if needed. */
  #ownOf(target: number): number {
    const place = this.#places[target] as number;
    if (place < 0) return -place - 1;
    const start = this.#start + bytesPerArc * (place - 1);
    const record = place > 0 ? { view: this.#view, start } : undefined;
    const own = this.#credited.add(target, record);
    this.#places[target] = -own - 1;
    return own;
  }

  /** Write credited arcs and the rest of the old row, strongest first. @returns their number */
  #write(before: number): number {
    const { counts, to, lows, highs, eras } = this.#credited;
    const order = this.#credited.sorted();
    const view = this.#view;
    let [next, at, written] = [0, 0, 0];
    while (written < this.#options.maxArcsPerUrl) {
      while (at < before && (this.#places[this.#targetAt(at)] as number) < 0) at++;
      if (next === order.length && at === before) break;
      const own = order[next] as number;
      const start = this.#start + bytesPerArc * at;
      if (
        at === before ||
        (next < order.length && (counts[own] as number) >= view.getFloat64(start, true))
      ) {
        this.#writer.arc(
          counts[own] as number,
          lows[own] as number,
          highs[own] as number,
          to[own] as number,
          eras[own] as number,
        );
        next++;
      } else {
        this.#writer.copy(view, start);
        at++;
      }
      written++;
    }
    return written;
  }
}

function emptyHead(id: number, url: string, graphs: number): RecordHead {
  return {
    id,
    kind: 0,
    accesses: 0,
    urlLength: url.length,
    arcs: new Array<number>(graphs).fill(0),
  };
}
