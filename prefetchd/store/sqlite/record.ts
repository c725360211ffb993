// A URL's row in an SQLite store, both ways: everything about the URL except its text, in one blob.
//
//   0  f64 accesses       12 u32 characters of the URL (UTF-16), top bits: its kind
//   8  u32 id             16 u32 arcs of each graph, then the arcs of all graphs, 24 bytes each:
//
//   0  f64 count           8 u32 u32 six fingerprints of ten bits, and `seen` in the top bits
//   16 u32 id of the URL   20 u32 era of the fingerprints
//
// Little endian. A row contains its own id and the length of its URL, so many rows can be read as one blob, and rows
// that were mixed up or overwritten are detected.

import { type ArcColumns, fingerprintsPerArc } from '../../model/delta/graph-delta.ts';

/** Header before the arcs. */
export interface RecordHead {
  id: number;
  kind: number;
  accesses: number;
  /** Characters of the URL. */
  urlLength: number;
  /** Number of arcs of each graph. */
  arcs: number[];
}

/** Columns of a graph with the era of each arc's fingerprints. */
export type EraColumns = ArcColumns & { eras: Uint32Array };

export interface GraphSize {
  nodes: number;
  graphs: number;
}

/** A row contains impossible values. */
export class DamagedRecord extends Error {}

/** In the top bits of the length: by kind. */
export const kindBits = [0, 2 ** 31, 2 ** 30] as const;
const lengthMask = 2 ** 30 - 1;
export const fixedBytes = 16;
export const bytesPerArc = 24;
/** Width of a fingerprint; three fit in a word. */
const bits = 10;
const mask = 2 ** bits - 1;

export function eraColumns(length: number): EraColumns {
  return {
    from: new Uint32Array(length),
    to: new Uint32Array(length),
    counts: new Float64Array(length),
    clients: new Uint16Array(length * fingerprintsPerArc),
    seen: new Uint8Array(length),
    eras: new Uint32Array(length),
  };
}

/** Reads consecutive records. */
export class RecordReader {
  readonly #view: DataView;
  readonly #size: GraphSize;
  #at = 0;

  constructor(bytes: Uint8Array, size: GraphSize) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#size = size;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#view.byteLength;
  }

  /** @throws DamagedRecord */
  head(): RecordHead {
    const start = this.#take(fixedBytes + 4 * this.#size.graphs);
    const accesses = this.#view.getFloat64(start, true);
    if (!(accesses >= 0 && accesses < Infinity)) throw new DamagedRecord('a row has no accesses');
    const length = this.#view.getUint32(start + 12, true);
    return {
      id: this.#view.getUint32(start + 8, true),
      kind: length >= kindBits[1] ? 1 : length >= kindBits[2] ? 2 : 0,
      accesses,
      urlLength: length & lengthMask,
      arcs: Array.from({ length: this.#size.graphs }, (_, graph) =>
        this.#view.getUint32(start + fixedBytes + 4 * graph, true),
      ),
    };
  }

  /** Read the next arcs, all of one URL, into the columns from index `first` on. @throws DamagedRecord */
  arcs(columns: EraColumns, first: number, length: number, source: number): void {
    const { from, to, counts, clients, seen, eras } = columns;
    const { nodes } = this.#size;
    const view = this.#view;
    let start = this.#take(bytesPerArc * length);
    for (let at = first; at < first + length; at++, start += bytesPerArc) {
      const count = view.getFloat64(start, true);
      const low = view.getUint32(start + 8, true);
      const high = view.getUint32(start + 12, true);
      const target = view.getUint32(start + 16, true);
      if (!(count >= 0 && count < Infinity)) throw new DamagedRecord('an arc has no count');
      if (target >= nodes) throw new DamagedRecord('an arc leads nowhere');
      from[at] = source;
      to[at] = target;
      counts[at] = count;
      seen[at] = (low >>> 30) + ((high >>> 30) << 2);
      eras[at] = view.getUint32(start + 20, true);
      if (low << 2 === 0) continue;
      const place = at * fingerprintsPerArc;
      clients[place] = low & mask;
      clients[place + 1] = (low >>> bits) & mask;
      clients[place + 2] = (low >>> (2 * bits)) & mask;
      clients[place + 3] = high & mask;
      clients[place + 4] = (high >>> bits) & mask;
      clients[place + 5] = (high >>> (2 * bits)) & mask;
    }
  }

  /** Skip the arcs of all graphs. @returns where the first of them starts @throws DamagedRecord */
  skipArcs(arcs: readonly number[]): number {
    return this.#take(bytesPerArc * sum(arcs));
  }

  #take(bytes: number): number {
    const start = this.#at;
    this.#at = start + bytes;
    if (this.#at > this.#view.byteLength) throw new DamagedRecord('a row is cut short');
    return start;
  }
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
