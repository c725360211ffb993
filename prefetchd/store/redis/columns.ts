// Converts rows of arcs from their Redis format (values.ts) to columns: strongest first; among equals, those credited
// last come first. One pass over the bytes, with a single object for a million arcs.

import {
  type ArcColumns,
  fingerprintsPerArc,
  mergedSeen,
  neverNext,
} from '../../model/delta/graph-delta.ts';
import { emptyArcs } from './encoding.ts';
import type { RowTable } from './lua/row-table.ts';
import { printsAtByte, recordBytes, worth } from './values.ts';

interface ColumnOptions {
  /** Age of the store, half-lives. */
  age: number;
  /** The present era; for others, only the number of fingerprints is returned. */
  era: number;
  maxArcsPerUrl: number;
}

/** URLs per batch; between batches, other work of the process can run. */
const urlsAtOnce = 2000;
/** Rows of up to this many arcs use insertion sort, which is faster for them. */
const fewArcs = 64;

/** @param ids of the URLs, in the order of the columns */
export async function rowColumns(
  ids: Float64Array,
  rows: RowTable,
  { age, era, maxArcsPerUrl }: ColumnOptions,
): Promise<ArcColumns> {
  const arcs = emptyArcs(rows.size(maxArcsPerUrl));
  const sorter = new RowSorter(ids, rows.view, age);
  let end = 0;
  for (let from = 0; from < ids.length; from++) {
    if (from % urlsAtOnce === urlsAtOnce - 1) await new Promise((resolve) => setImmediate(resolve));
    const start = rows.startOf(ids[from] as number);
    if (start < 0) continue;
    const length = Math.min(sorter.sort(start, rows.recordsAt(start)), maxArcsPerUrl);
    for (let nth = 0; nth < length; nth++, end++) {
      const arc = sorter.order[nth] as number;
      arcs.from[end] = from;
      arcs.to[end] = sorter.to[arc] as number;
      arcs.counts[end] = sorter.counts[arc] as number;
      arcs.seen[end] = takeClients(rows.view, start + arc * recordBytes, era, arcs.clients, end);
    }
  }
  return {
    from: arcs.from.subarray(0, end),
    to: arcs.to.subarray(0, end),
    counts: arcs.counts.subarray(0, end),
    clients: arcs.clients.subarray(0, end * fingerprintsPerArc),
    seen: arcs.seen.subarray(0, end),
  };
}

/** @returns `seen` (graph-delta.ts) */
function takeClients(
  view: DataView,
  at: number,
  era: number,
  clients: Uint16Array,
  arc: number,
): number {
  const isPresent = view.getUint32(at + 14, true) === era;
  let prints = 0;
  while (prints < fingerprintsPerArc) {
    const print = view.getUint16(at + printsAtByte + 2 * prints, true);
    if (print === 0) break;
    if (isPresent) clients[arc * fingerprintsPerArc + prints] = print;
    prints++;
  }
  const seen = view.getUint8(at + 18);
  return isPresent ? seen : mergedSeen(seen, neverNext + prints);
}

class RowSorter {
  /** By place in the row: index of the target URL, and count. */
  to = new Int32Array(256);
  counts = new Float64Array(256);
  /** Places in the row, strongest first. */
  order = new Int32Array(256);
  readonly #places = new Map<number, number>();
  readonly #view: DataView;
  readonly #age: number;
  #start = 0;
  #stretch = -1;
  /** Value of one unit in that stretch. */
  #unit = 0;

  constructor(ids: Float64Array, view: DataView, age: number) {
    this.#view = view;
    this.#age = age;
    for (let place = 0; place < ids.length; place++) this.#places.set(ids[place] as number, place);
  }

  /** Sort a row. @returns the number of arcs whose target exists */
  sort(start: number, records: number): number {
    this.#start = start;
    if (records > this.order.length) {
      this.to = new Int32Array(2 * records);
      this.counts = new Float64Array(2 * records);
      this.order = new Int32Array(2 * records);
    }
    const view = this.#view;
    const { order, counts } = this;
    let length = 0;
    for (let arc = 0; arc < records; arc++) {
      const at = start + arc * recordBytes;
      const place = this.#places.get(view.getUint32(at, true));
      if (place === undefined) continue;
      this.to[arc] = place;
      const stretch = view.getUint32(at + 8, true);
      if (stretch !== this.#stretch) this.#setUnit(stretch);
      counts[arc] = view.getFloat64(at + 19, true) * this.#unit;
      let nth = length++;
      if (records <= fewArcs) {
        for (; nth > 0 && this.#compare(arc, order[nth - 1] as number) < 0; nth--) {
          order[nth] = order[nth - 1] as number;
        }
      }
      order[nth] = arc;
    }
    if (records > fewArcs)
      order.subarray(0, length).sort((one, other) => this.#compare(one, other));
    return length;
  }

  /** Cached, because almost all arcs are of the same stretch. */
  #setUnit(stretch: number): void {
    this.#stretch = stretch;
    this.#unit = worth(1, stretch, this.#age);
  }

  /** Negative: the first comes before the other. */
  #compare(one: number, other: number): number {
    const stronger = (this.counts[other] as number) - (this.counts[one] as number);
    if (stronger !== 0) return stronger;
    const [first, second] = [this.#start + one * recordBytes, this.#start + other * recordBytes];
    const view = this.#view;
    const later = view.getUint32(second + 4, true) - view.getUint32(first + 4, true);
    return later || view.getUint16(first + 12, true) - view.getUint16(second + 12, true);
  }
}
