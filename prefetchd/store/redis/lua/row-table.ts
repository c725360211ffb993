// The rows of one graph (values.ts) in one contiguous buffer: a Buffer for each of a hundred thousand rows would cost
// more garbage collection time than reading them takes.

import { recordBytes } from '../values.ts';

/** The length of a row precedes it. */
const headBytes = 4;

export class RowTable {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #view = viewOf(this.#bytes);
  #end = 0;
  /** By id of the source URL: where its row begins. */
  readonly #starts = new Map<number, number>();

  /** Invalid after a `set`. */
  get view(): DataView {
    return this.#view;
  }

  set(from: number, row: Uint8Array): void {
    const start = this.#end + headBytes;
    this.#end = start + row.length;
    if (this.#end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * this.#end);
      this.#bytes.copy(larger);
      this.#bytes = larger;
      this.#view = viewOf(larger);
    }
    this.#view.setUint32(start - headBytes, row.length);
    this.#bytes.set(row, start);
    this.#starts.set(from, start);
  }

  /** Offset in `view`; -1 if the URL has no arcs. */
  startOf(from: number): number {
    return this.#starts.get(from) ?? -1;
  }

  /** @param start of a row */
  recordsAt(start: number): number {
    return Math.floor(this.#view.getUint32(start - headBytes) / recordBytes);
  }

  /** The bytes themselves, valid until the next `set`; empty if the URL has no arcs. */
  row(from: number): Buffer {
    const start = this.startOf(from);
    if (start < 0) return this.#bytes.subarray(0, 0);
    return this.#bytes.subarray(start, start + recordBytes * this.recordsAt(start));
  }

  *rows(): Generator<[from: number, row: Buffer]> {
    for (const from of this.#starts.keys()) yield [from, this.row(from)];
  }

  /** Number of arcs with at most `maxArcsPerUrl` per URL. */
  size(maxArcsPerUrl: number): number {
    let arcs = 0;
    for (const start of this.#starts.values()) {
      arcs += Math.min(this.recordsAt(start), maxArcsPerUrl);
    }
    return arcs;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
