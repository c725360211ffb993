// The accesses of a log as columns of numbers, in compressed blocks: five to eight bytes per access instead of 34, so
// that twenty million accesses fit in memory. The blocks are in shared memory, so that all workers read one copy.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Number of accesses in each block but the last. */
export const blockAccesses = 16_384;
/** Bytes per access: three columns of eight bytes, two of four, one of two. */
const accessBytes = 3 * 8 + 2 * 4 + 2;
const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export interface Row {
  client: number;
  url: number;
  timeMs: number;
  bytes: number;
  status: number;
  /** Duration of the request, ms; NaN: not known. */
  durationMs: number;
}

export class Block {
  count = 0;
  readonly timeMs: Float64Array;
  readonly bytes: Float64Array;
  /** Server time, ms; NaN: not known. */
  readonly durationMs: Float64Array;
  readonly client: Uint32Array;
  readonly url: Uint32Array;
  readonly status: Uint16Array;
  readonly #columns: ReadonlyArray<Float64Array | Uint32Array | Uint16Array>;
  readonly #all: Uint8Array;

  constructor() {
    const buffer = new ArrayBuffer(accessBytes * blockAccesses);
    let at = 0;
    const next = (bytes: number) => {
      at += bytes * blockAccesses;
      return at - bytes * blockAccesses;
    };
    this.timeMs = new Float64Array(buffer, next(8), blockAccesses);
    this.bytes = new Float64Array(buffer, next(8), blockAccesses);
    this.durationMs = new Float64Array(buffer, next(8), blockAccesses);
    this.client = new Uint32Array(buffer, next(4), blockAccesses);
    this.url = new Uint32Array(buffer, next(4), blockAccesses);
    this.status = new Uint16Array(buffer, next(2), blockAccesses);
    const { timeMs, bytes, durationMs, client, url, status } = this;
    this.#columns = [timeMs, bytes, durationMs, client, url, status];
    this.#all = new Uint8Array(buffer);
  }

  get isFull(): boolean {
    return this.count === blockAccesses;
  }

  push({ client, url, timeMs, bytes, status, durationMs }: Row): void {
    const row = this.count++;
    this.timeMs[row] = timeMs;
    this.bytes[row] = bytes;
    this.durationMs[row] = durationMs;
    this.client[row] = client;
    this.url[row] = url;
    this.status[row] = status;
  }

  /** Append the access in `row` of another block. */
  copy(from: Block, row: number, bytes = from.bytes[row] as number): void {
    const to = this.count++;
    this.timeMs[to] = from.timeMs[row] as number;
    this.bytes[to] = bytes;
    this.durationMs[to] = from.durationMs[row] as number;
    this.client[to] = from.client[row] as number;
    this.url[to] = from.url[row] as number;
    this.status[to] = from.status[row] as number;
  }

  dropFirst(rows: number): void {
    for (const column of this.#columns) column.copyWithin(0, rows, this.count);
    this.count -= rows;
  }

  /** Compress the block and empty it. Times that are whole milliseconds are restored exactly. */
  pack(): Uint8Array {
    const { timeMs, count } = this;
    for (let row = count - 1; row > 0; row--) {
      timeMs[row] = (timeMs[row] as number) - (timeMs[row - 1] as number);
    }
    for (const column of this.#columns) column.fill(0, count);
    const packed = zstdCompressSync(this.#all, level);
    const shared = new Uint8Array(new SharedArrayBuffer(packed.length));
    shared.set(packed);
    this.count = 0;
    return shared;
  }

  /** @param count Number of accesses in the block */
  unpack(packed: Uint8Array, count: number): void {
    this.#all.set(zstdDecompressSync(packed, { maxOutputLength: this.#all.length }));
    this.count = count;
    const { timeMs } = this;
    for (let row = 1; row < count; row++) {
      timeMs[row] = (timeMs[row] as number) + (timeMs[row - 1] as number);
    }
  }
}
