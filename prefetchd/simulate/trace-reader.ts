// Reads the accesses of a trace, one at a time.

import type { Access } from '../access.ts';
import type { Trace } from './trace.ts';

/** Most client names that are cached: those of the clients that came first. */
const mostNames = 65_536;

export class TraceReader {
  readonly #trace: Trace;
  #row = 0;
  /** Cached names of clients by client number; the first word of a name stands for the address. */
  readonly #names: string[] = [];

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  /** Goes to an access, which the getters below then describe. */
  seek(index: number): void {
    this.#row = this.#trace.first + index;
  }

  get client(): number {
    return this.#trace.columns.client[this.#row] as number;
  }

  get url(): number {
    return this.#trace.columns.url[this.#row] as number;
  }

  get timeMs(): number {
    return this.#trace.columns.timeMs[this.#row] as number;
  }

  get bytes(): number {
    return this.#trace.columns.bytes[this.#row] as number;
  }

  get status(): number {
    return this.#trace.columns.status[this.#row] as number;
  }

  /** Server time, ms; NaN: not known. */
  get durationMs(): number {
    return this.#trace.columns.durationMs[this.#row] as number;
  }

  get isDocument(): boolean {
    return this.#trace.isDocument[this.url] === 1;
  }

  /** True if the client fetches objects that pages embed, so that it may be a person. */
  get isOfPerson(): boolean {
    return this.#trace.isPerson[this.client] === 1;
  }

  access(): Access {
    const { url, client, timeMs, status, bytes } = this;
    const { urls, address } = this.#trace;
    const name = this.#names[client] ?? `${address[client]} ${client}`;
    if (client < mostNames) this.#names[client] = name;
    return {
      client: name,
      url: urls[url] as string,
      timeMs,
      kind: this.isDocument ? 'document' : 'object',
      status,
      bytes,
      prefetch: false,
    };
  }
}

/** Yields a reader at each access from `from` to `to` - 1 in turn. */
export function* rowsOf(trace: Trace, from = 0, to = trace.count): Generator<TraceReader> {
  const reader = new TraceReader(trace);
  for (let index = from; index < to; index++) {
    reader.seek(index);
    yield reader;
  }
}
