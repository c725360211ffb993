// The accesses of a trace, one at a time; reading them in order is fastest.

import type { Access } from '../access.ts';
import { type Trace, usualSize } from './trace.ts';
import { Block, blockAccesses } from './trace-blocks.ts';

/** Most client names that are kept: those of the clients that came first. */
const mostNames = 65_536;

export class TraceReader {
  readonly #trace: Trace;
  readonly #block = new Block();
  #unpacked = -1;
  #row = 0;
  /** Names of clients by number; the first word stands for the address. */
  readonly #names: string[] = [];

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  /** Go to an access, which the fields below then describe. */
  seek(index: number): void {
    const { first, run } = this.#trace;
    const at = first + index;
    const block = Math.floor(at / blockAccesses);
    if (block !== this.#unpacked) {
      const left = run.count - block * blockAccesses;
      this.#block.unpack(run.blocks[block] as Uint8Array, Math.min(left, blockAccesses));
      this.#unpacked = block;
    }
    this.#row = at - block * blockAccesses;
  }

  get client(): number {
    return this.#block.client[this.#row] as number;
  }

  get url(): number {
    return this.#block.url[this.#row] as number;
  }

  get timeMs(): number {
    return this.#block.timeMs[this.#row] as number;
  }

  get bytes(): number {
    const bytes = this.#block.bytes[this.#row] as number;
    return bytes === usualSize ? (this.#trace.sizes[this.url] as number) : bytes;
  }

  get status(): number {
    return this.#block.status[this.#row] as number;
  }

  /** Server time, ms; NaN: not known. */
  get durationMs(): number {
    return this.#block.durationMs[this.#row] as number;
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

/** A reader that is at each access from `from` to `to` - 1 in turn. */
export function* rowsOf(trace: Trace, from = 0, to = trace.count): Generator<TraceReader> {
  const reader = new TraceReader(trace);
  for (let index = from; index < to; index++) {
    reader.seek(index);
    yield reader;
  }
}
