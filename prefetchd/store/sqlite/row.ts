// Writes a URL's row (record.ts) arc by arc into one buffer, which is reused for all rows.

import { bytesPerArc, fixedBytes, kindBits, type RecordHead } from './record.ts';

export class RowWriter {
  readonly #graphs: number;
  #bytes = new Uint8Array(4096);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  constructor(graphs: number) {
    this.#graphs = graphs;
  }

  /** Begin a row. @param mostArcs limit for all graphs together */
  begin({ id, kind, accesses, urlLength }: Omit<RecordHead, 'arcs'>, mostArcs: number): void {
    const start = fixedBytes + 4 * this.#graphs;
    const room = start + bytesPerArc * mostArcs;
    if (room > this.#bytes.length) {
      this.#bytes = new Uint8Array(2 * room);
      this.#view = new DataView(this.#bytes.buffer);
    }
    this.#view.setFloat64(0, finite(accesses), true);
    this.#view.setUint32(8, id, true);
    this.#view.setUint32(12, urlLength + (kindBits[kind] ?? 0), true);
    this.#at = start;
  }

  /** @param low three fingerprints and a part of `seen`, as in the record; likewise `high` */
  arc(count: number, low: number, high: number, to: number, era: number): void {
    const view = this.#view;
    const at = this.#at;
    view.setFloat64(at, finite(count), true);
    view.setUint32(at + 8, low, true);
    view.setUint32(at + 12, high, true);
    view.setUint32(at + 16, to, true);
    view.setUint32(at + 20, era, true);
    this.#at = at + bytesPerArc;
  }

  /** Copy an arc from another row. */
  copy(view: DataView, start: number): void {
    for (let offset = 0; offset < bytesPerArc; offset += 4) {
      this.#view.setUint32(this.#at + offset, view.getUint32(start + offset, true), true);
    }
    this.#at += bytesPerArc;
  }

  /** Call after the last arc of a graph. */
  end(graph: number, arcs: number): void {
    this.#view.setUint32(fixedBytes + 4 * graph, arcs, true);
  }

  /** The row, valid until the next one begins. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }
}

/** Aged units of a huge count may exceed a double. */
const finite = (value: number): number => Math.min(value, Number.MAX_VALUE);
