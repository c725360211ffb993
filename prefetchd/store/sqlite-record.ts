// A URL's row in an SQLite store: all that is known of the URL but its text, in one blob, both ways.
//
//   0  f64 accesses       12 u32 characters of the URL (UTF-16), top bit: it is an object
//   8  u32 id             16 u32 arcs of each graph, then the arcs of all graphs, 24 bytes each:
//
//   0  f64 count           8 u32 u32 six fingerprints of ten bits, and `seen` in the top bits
//   16 u32 id of the URL   20 u32 era of the fingerprints
//
// Little-endian. A row names its own id and the length of its URL, so many rows can be read in one piece,
// and rows that were mixed up or overwritten are found out.

import { type ArcColumns, fingerprintsPerArc } from '../graph-delta.ts';
import { printsAt } from './delta-rows.ts';
import type { KeptArc } from './merge.ts';

export interface UrlRecord {
  id: number;
  kind: number;
  accesses: number;
  /** Characters of the URL. */
  urlLength: number;
  /** By graph. */
  arcs: KeptArc<number>[][];
}

/** Columns of a graph with the era of each arc's fingerprints. */
export type EraColumns = ArcColumns & { eras: Uint32Array };

export interface GraphSize {
  nodes: number;
  graphs: number;
}

/** What a row says cannot be. */
export class DamagedRecord extends Error {}

const objectBit = 2 ** 31;
const fixedBytes = 16;
const bytesPerArc = 24;
const inOneWord = 3;
const bits = 10;
const mask = 2 ** bits - 1;

export function bytesOfRecord({ id, kind, accesses, urlLength, arcs }: UrlRecord): Uint8Array {
  const graphs = arcs.length;
  const start = fixedBytes + 4 * graphs;
  const count = sum(arcs.map((list) => list.length));
  const bytes = new Uint8Array(start + bytesPerArc * count);
  const view = new DataView(bytes.buffer);
  view.setFloat64(0, finite(accesses), true);
  view.setUint32(8, id, true);
  view.setUint32(12, urlLength + (kind === 1 ? objectBit : 0), true);
  let at = start;
  for (let graph = 0; graph < graphs; graph++) {
    const list = arcs[graph] as KeptArc<number>[];
    view.setUint32(fixedBytes + 4 * graph, list.length, true);
    for (const arc of list) {
      view.setFloat64(at, finite(arc.count), true);
      view.setUint32(at + 8, wordOf(arc.prints, 0) + (arc.seen & 3) * 2 ** 30, true);
      view.setUint32(at + 12, wordOf(arc.prints, inOneWord) + (arc.seen >> 2) * 2 ** 30, true);
      view.setUint32(at + 16, arc.to, true);
      view.setUint32(at + 20, arc.era, true);
      at += bytesPerArc;
    }
  }
  return bytes;
}

/** @throws DamagedRecord */
export function recordOfBytes(bytes: Uint8Array, size: GraphSize): UrlRecord {
  const reader = new RecordReader(bytes, size);
  const head = reader.head();
  reader.checkRoom(head.arcs);
  const arcs = head.arcs.map((length) => {
    const columns = eraColumns(length);
    reader.arcs(columns, 0, length, head.id);
    return Array.from({ length }, (_, at) => keptArcAt(columns, at));
  });
  if (!reader.isAtEnd) throw new DamagedRecord('a row is longer than what it holds');
  return { ...head, arcs };
}

export function keptArcAt(columns: EraColumns, at: number): KeptArc<number> {
  return {
    to: columns.to[at] as number,
    count: columns.counts[at] as number,
    prints: printsAt(columns.clients, at),
    era: columns.eras[at] as number,
    seen: columns.seen[at] as number,
  };
}

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

/** Reads records that stand one after the other. */
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

  /** What stands before the arcs; `arcs` are their numbers by graph. @throws DamagedRecord */
  head(): Omit<UrlRecord, 'arcs'> & { arcs: number[] } {
    const start = this.#take(fixedBytes + 4 * this.#size.graphs);
    const accesses = this.#view.getFloat64(start, true);
    if (!(accesses >= 0 && accesses < Infinity)) throw new DamagedRecord('a row has no accesses');
    const length = this.#view.getUint32(start + 12, true);
    return {
      id: this.#view.getUint32(start + 8, true),
      kind: length >= objectBit ? 1 : 0,
      accesses,
      urlLength: length % objectBit,
      arcs: Array.from({ length: this.#size.graphs }, (_, graph) =>
        this.#view.getUint32(start + fixedBytes + 4 * graph, true),
      ),
    };
  }

  /** The next arcs, of one URL, into the columns from an index on. @throws DamagedRecord */
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

  /** @throws DamagedRecord when so many arcs, by graph, cannot follow */
  checkRoom(arcs: readonly number[]): void {
    this.skipArcs(arcs);
    this.#at -= bytesPerArc * sum(arcs);
  }

  /** @throws DamagedRecord */
  skipArcs(arcs: readonly number[]): void {
    this.#take(bytesPerArc * sum(arcs));
  }

  #take(bytes: number): number {
    const start = this.#at;
    this.#at = start + bytes;
    if (this.#at > this.#view.byteLength) throw new DamagedRecord('a row is cut short');
    return start;
  }
}

function wordOf(prints: readonly number[], first: number): number {
  let word = 0;
  for (let place = inOneWord - 1; place >= 0; place--) {
    word = word * 2 ** bits + (prints[first + place] ?? 0);
  }
  return word;
}

/** Aged units of a huge count may be more than a double holds. */
const finite = (value: number): number => Math.min(value, Number.MAX_VALUE);

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
