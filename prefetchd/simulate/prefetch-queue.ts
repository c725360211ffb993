// What each client has still to prefetch in the timed model. A client has one line: prefetches go over
// it one after the other, in the order they were advised, each starting when the one before has arrived
// and the client's own fetch is done. (The paper judges each prefetch by itself, as if all ran beside
// each other; it does not say what they do to one another, 8.2.)
//
// Nothing happens here between two accesses of a client, so time moves on only when it makes one
// (`advance`). A demand for a file that waits takes it out of the line: it was never asked for.

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
  /** Duration of fetching so many bytes, ms. */
  durationMs: (bytes: number) => number;
  /** The request for a prefetch has left. */
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
  /** Until when the line is taken, ms. */
  readonly #busyUntilMs: Float64Array;
  /** The first of the line is under way. */
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

  /** Put a prefetch at the end of the client's line. */
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

  /** The client's own fetch has the line until then. */
  occupy(client: number, untilMs: number): void {
    if (untilMs > (this.#busyUntilMs[client] as number)) this.#busyUntilMs[client] = untilMs;
  }

  /** All that starts before `nowMs` starts, all that ends until then arrives. */
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
   * The client asks for `file` itself, after `advance` to that moment: it leaves the line.
   * @returns how long its prefetch, under way, still takes, ms; null when none is under way
   */
  take(client: number, file: number, nowMs: number): number | null {
    if (this.#table.size === 0) return null;
    const entry = this.#table.get(client, file);
    if (entry === none) return null;
    const underWay = this.#first[client] === entry && this.#started[client] === 1;
    this.#remove(client, entry);
    return underWay ? (this.#busyUntilMs[client] as number) - nowMs : null;
  }

  /** The client is forgotten: what waits is fetched to the end. */
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
