// A log as numeric columns in shared memory, so that all workers read one copy: clients and URLs are numbers, and
// each access has the size of its file. Prefetches are left out, because the simulation decides what is prefetched.
// Accesses are sorted by time, because servers log a request when its response is done, and some logs are merged.
//
// The size of an access is that of a complete response (200). For others (304, 206, not logged) it is the last known
// size of the file or, before that, the first known.

import type { Access } from '../access.ts';

export interface Trace {
  readonly count: number;
  readonly clients: number;
  readonly urls: readonly string[];
  readonly client: Uint32Array;
  readonly url: Uint32Array;
  readonly timeMs: Float64Array;
  readonly bytes: Float64Array;
  readonly status: Uint16Array;
  /** Server time; NaN for an access without it. Null: no access has it. */
  readonly durationMs: Float64Array | null;
  /** By URL: 1 for a document, 0 for an embedded object; as of its last access. */
  readonly isDocument: Uint8Array;
}

const complete = 200;

export class TraceBuilder {
  readonly #clients = new Map<string, number>();
  readonly #urls = new Map<string, number>();
  readonly #client: number[] = [];
  readonly #url: number[] = [];
  readonly #timeMs: number[] = [];
  readonly #bytes: number[] = [];
  readonly #status: number[] = [];
  readonly #isDocument: number[] = [];
  /** Undefined until an access has one. */
  #durationMs: number[] | undefined;
  #prefetches = 0;

  get count(): number {
    return this.#client.length;
  }

  /** Prefetches left out. */
  get prefetches(): number {
    return this.#prefetches;
  }

  add(access: Access): void {
    if (access.prefetch) {
      this.#prefetches++;
      return;
    }
    const url = numberOf(this.#urls, access.url);
    this.#client.push(numberOf(this.#clients, access.client));
    this.#url.push(url);
    this.#timeMs.push(access.timeMs);
    this.#bytes.push(access.bytes);
    this.#status.push(access.status);
    if (access.durationMs !== undefined) {
      this.#durationMs ??= new Array<number>(this.count - 1).fill(Number.NaN);
    }
    this.#durationMs?.push(access.durationMs ?? Number.NaN);
    this.#isDocument[url] = access.kind === 'document' ? 1 : 0;
  }

  build(): Trace {
    const { count } = this;
    this.#order();
    const trace: Trace = {
      count,
      clients: this.#clients.size,
      urls: [...this.#urls.keys()],
      client: filled(new Uint32Array(new SharedArrayBuffer(count * 4)), this.#client),
      url: filled(new Uint32Array(new SharedArrayBuffer(count * 4)), this.#url),
      timeMs: filled(new Float64Array(new SharedArrayBuffer(count * 8)), this.#timeMs),
      bytes: new Float64Array(new SharedArrayBuffer(count * 8)),
      status: filled(new Uint16Array(new SharedArrayBuffer(count * 2)), this.#status),
      durationMs:
        this.#durationMs === undefined
          ? null
          : filled(new Float64Array(new SharedArrayBuffer(count * 8)), this.#durationMs),
      isDocument: filled(new Uint8Array(new SharedArrayBuffer(this.#urls.size)), this.#isDocument),
    };
    this.#fillSizes(trace);
    return trace;
  }

  /** Stable sort by time. */
  #order(): void {
    const times = this.#timeMs;
    if (times.every((timeMs, index) => index === 0 || timeMs >= (times[index - 1] as number)))
      return;
    const order = Array.from(times, (_, index) => index).sort(
      (left, right) => (times[left] as number) - (times[right] as number) || left - right,
    );
    const columns = [this.#client, this.#url, this.#bytes, this.#status, times];
    if (this.#durationMs !== undefined) columns.push(this.#durationMs);
    for (const column of columns) {
      const ordered = order.map((index) => column[index] as number);
      for (let index = 0; index < ordered.length; index++) column[index] = ordered[index] as number;
    }
  }

  #fillSizes({ count, bytes }: Trace): void {
    const size = new Float64Array(this.#urls.size);
    for (let index = count - 1; index >= 0; index--) {
      if (this.#tellsSize(index)) size[this.#url[index] as number] = this.#bytes[index] as number;
    }
    for (let index = 0; index < count; index++) {
      const url = this.#url[index] as number;
      if (this.#tellsSize(index)) size[url] = this.#bytes[index] as number;
      bytes[index] = size[url] as number;
    }
  }

  #tellsSize(index: number): boolean {
    return this.#status[index] === complete && (this.#bytes[index] as number) > 0;
  }
}

export function traceOf(accesses: Iterable<Access>): Trace {
  const builder = new TraceBuilder();
  for (const access of accesses) builder.add(access);
  return builder.build();
}

/** The accesses `from` .. `to` - 1 as a separate trace; numbers stay the same. */
export function sliceTrace(trace: Trace, from: number, to: number): Trace {
  return {
    ...trace,
    count: Math.max(0, Math.min(to, trace.count) - from),
    client: trace.client.subarray(from, to),
    url: trace.url.subarray(from, to),
    timeMs: trace.timeMs.subarray(from, to),
    bytes: trace.bytes.subarray(from, to),
    status: trace.status.subarray(from, to),
    durationMs: trace.durationMs?.subarray(from, to) ?? null,
  };
}

function numberOf(numbers: Map<string, number>, text: string): number {
  const known = numbers.get(text);
  if (known !== undefined) return known;
  const next = numbers.size;
  numbers.set(text, next);
  return next;
}

function filled<Column extends { [index: number]: number }>(
  column: Column,
  values: readonly number[],
): Column {
  for (let index = 0; index < values.length; index++) column[index] = values[index] as number;
  return column;
}
