// The accesses of a log as columns of numbers, 34 bytes an access, in shared memory, so that all workers read one copy.

import { growArray } from '../grow-array.ts';

export interface AccessColumns {
  timeMs: Float64Array;
  bytes: Float64Array;
  /** Time that the server took, ms; NaN if it is not known. */
  durationMs: Float64Array;
  client: Uint32Array;
  url: Uint32Array;
  status: Uint16Array;
}

export class ColumnWriter {
  count = 0;
  #columns: AccessColumns = grown(null, 1024);

  push({ client, url, timeMs, bytes, status, durationMs }: Record<keyof AccessColumns, number>) {
    if (this.count === this.#columns.timeMs.length) {
      this.#columns = grown(this.#columns, 2 * this.count);
    }
    const [row, to] = [this.count++, this.#columns];
    to.timeMs[row] = timeMs;
    to.bytes[row] = bytes;
    to.durationMs[row] = durationMs;
    to.client[row] = client;
    to.url[row] = url;
    to.status[row] = status;
  }

  /** The accesses sorted by time; accesses of equal time keep their order. The columns may be longer than `count`. */
  sorted(): AccessColumns {
    const { timeMs } = this.#columns;
    const order = Array.from({ length: this.count }, (_, row) => row);
    order.sort((left, right) => (timeMs[left] as number) - (timeMs[right] as number));
    for (const column of Object.values(this.#columns)) {
      const before = column.slice();
      order.forEach((from, to) => {
        column[to] = before[from];
      });
    }
    return this.#columns;
  }
}

function grown(from: AccessColumns | null, length: number): AccessColumns {
  const wide = (old: Float64Array = new Float64Array()) =>
    growArray(old, sharedColumn(Float64Array, length));
  const narrow = (old: Uint32Array = new Uint32Array()) =>
    growArray(old, sharedColumn(Uint32Array, length));
  return {
    timeMs: wide(from?.timeMs),
    bytes: wide(from?.bytes),
    durationMs: wide(from?.durationMs),
    client: narrow(from?.client),
    url: narrow(from?.url),
    status: growArray(from?.status ?? new Uint16Array(), sharedColumn(Uint16Array, length)),
  };
}

export function sharedColumn<Column>(
  ColumnOf: { new (buffer: SharedArrayBuffer): Column; BYTES_PER_ELEMENT: number },
  length: number,
): Column {
  return new ColumnOf(new SharedArrayBuffer(length * ColumnOf.BYTES_PER_ELEMENT));
}
