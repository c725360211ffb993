// The pending prefetches of each client in the timed model. A client has one line: prefetches use it one after the
// other, in the order advised, each once the previous one has arrived and the client's own fetch is done. (The paper
// judges each prefetch alone, as if all ran in parallel, and does not discuss their interaction, 8.2.)
//
// Nothing happens between two accesses of a client, so time only advances with accesses (`advance`). A demand for a
// waiting file removes the file from the queue: its prefetch was never requested.

import { PairTable } from './pair-table.ts';

const none = -1;

export interface Arrival {
  client: number;
  file: number;
  bytes: number;
  blocks: number;
  advisedAtMs: number;
}

export interface PrefetchQueueOptions {
  /** Clients are numbered 0 .. clients - 1. */
  clients: number;
  /** Duration of a fetch of that many bytes, ms. */
  durationMs: (bytes: number) => number;
  /** Called when a prefetch is requested. */
  onStart: (file: number, bytes: number) => void;
  onArrival: (arrival: Arrival) => void;
}

export class PrefetchQueue {
  readonly #durationMs: (bytes: number) => number;
  readonly #onStart: (file: number, bytes: number) => void;
  readonly #onArrival: (arrival: Arrival) => void;
  readonly #table = new PairTable();
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  /** Time when the line becomes free, ms. */
  readonly #busyUntilMs: Float64Array;
  /** For each client: 1 if the first prefetch in the queue is being fetched. */
  readonly #started: Uint8Array;
  readonly #file: number[] = [];
  readonly #bytes: number[] = [];
  readonly #blocks: number[] = [];
  readonly #advisedAtMs: number[] = [];
  readonly #next: number[] = [];
  readonly #previous: number[] = [];
  #free = none;

  constructor({ clients, durationMs, onStart, onArrival }: PrefetchQueueOptions) {
    this.#durationMs = durationMs;
    this.#onStart = onStart;
    this.#onArrival = onArrival;
    this.#first = new Int32Array(clients).fill(none);
    this.#last = new Int32Array(clients).fill(none);
    this.#busyUntilMs = new Float64Array(clients);
    this.#started = new Uint8Array(clients);
  }

  has(client: number, file: number): boolean {
    return this.#table.size > 0 && this.#table.get(client, file) !== none;
  }

  /** Append a prefetch to the client's queue. */
  add({ client, file, bytes, blocks, advisedAtMs }: Arrival): void {
    const entry = this.#allocate();
    this.#file[entry] = file;
    this.#bytes[entry] = bytes;
    this.#blocks[entry] = blocks;
    this.#advisedAtMs[entry] = advisedAtMs;
    const last = this.#last[client] as number;
    this.#previous[entry] = last;
    this.#next[entry] = none;
    if (last === none) this.#first[client] = entry;
    else this.#next[last] = entry;
    this.#last[client] = entry;
    this.#table.set(client, file, entry);
  }

  /** The client's own fetch occupies the line until `untilMs`. */
  occupy(client: number, untilMs: number): void {
    if (untilMs > (this.#busyUntilMs[client] as number)) this.#busyUntilMs[client] = untilMs;
  }

  /** Start every prefetch due before `nowMs`, and deliver every prefetch that ends by then. */
  advance(client: number, nowMs: number): void {
    for (;;) {
      const entry = this.#first[client] as number;
      if (entry === none) return;
      const bytes = this.#bytes[entry] as number;
      if (this.#started[client] === 0) {
        const advisedAtMs = this.#advisedAtMs[entry] as number;
        const startMs = Math.max(this.#busyUntilMs[client] as number, advisedAtMs);
        if (startMs >= nowMs) return;
        this.#started[client] = 1;
        this.#busyUntilMs[client] = startMs + this.#durationMs(bytes);
        this.#onStart(this.#file[entry] as number, bytes);
      }
      if ((this.#busyUntilMs[client] as number) > nowMs) return;
      const arrival = {
        client,
        file: this.#file[entry] as number,
        bytes,
        blocks: this.#blocks[entry] as number,
        advisedAtMs: this.#advisedAtMs[entry] as number,
      };
      this.#remove(client, entry);
      this.#onArrival(arrival);
    }
  }

  /**
   * The client requests `file` itself, after `advance` to that time; the file leaves the queue.
   * @returns the remaining time of its prefetch, ms; null if none is being fetched
   */
  take(client: number, file: number, nowMs: number): number | null {
    if (this.#table.size === 0) return null;
    const entry = this.#table.get(client, file);
    if (entry === none) return null;
    const underWay = this.#first[client] === entry && this.#started[client] === 1;
    this.#remove(client, entry);
    return underWay ? (this.#busyUntilMs[client] as number) - nowMs : null;
  }

  /** The client is forgotten: pending prefetches are fetched to the end. */
  finish(client: number): void {
    this.advance(client, Number.POSITIVE_INFINITY);
    this.#busyUntilMs[client] = 0;
  }

  #remove(client: number, entry: number): void {
    if (this.#first[client] === entry) this.#started[client] = 0;
    const previous = this.#previous[entry] as number;
    const next = this.#next[entry] as number;
    if (previous === none) this.#first[client] = next;
    else this.#next[previous] = next;
    if (next === none) this.#last[client] = previous;
    else this.#previous[next] = previous;
    this.#table.delete(client, this.#file[entry] as number);
    this.#next[entry] = this.#free;
    this.#free = entry;
  }

  #allocate(): number {
    if (this.#free === none) return this.#file.length;
    const entry = this.#free;
    this.#free = this.#next[entry] as number;
    return entry;
  }
}
