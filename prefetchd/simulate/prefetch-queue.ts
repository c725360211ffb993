// The pending prefetches of each client in the timed model. A client has one line: prefetches use it one after the
// other, in the order advised, each once the previous one has arrived and the client's own fetch is done. (The paper
// judges each prefetch alone, as if all ran in parallel, and does not discuss their interaction, 8.2.)
//
// Nothing happens between two accesses of a client, so time only advances with accesses (`advance`). A demand for a
// waiting file removes the file from the queue: its prefetch was never requested.

export interface PrefetchArrival {
  client: number;
  file: number;
  bytes: number;
  blocks: number;
  advisedAtMs: number;
}

export interface PrefetchQueueOptions {
  /** Clients are numbered 0 .. clients - 1. */
  clients: number;
  /** Returns the duration of a fetch of that many bytes, ms. */
  durationMs: (bytes: number) => number;
  /** Called when a prefetch is requested. */
  onStart: (file: number, bytes: number) => void;
  onArrival: (arrival: PrefetchArrival) => void;
}

/** The line of one client. */
interface ClientQueue {
  /** Pending prefetches by file number, in the order advised. */
  waiting: Map<number, PrefetchArrival>;
  /** Time when the line becomes free, ms. */
  busyUntilMs: number;
  /** true while the first pending prefetch is being fetched. */
  isStarted: boolean;
}

export class SimulatedQueue {
  readonly #durationMs: (bytes: number) => number;
  readonly #onStart: (file: number, bytes: number) => void;
  readonly #onArrival: (arrival: PrefetchArrival) => void;
  readonly #lines: ClientQueue[];

  constructor({ clients, durationMs, onStart, onArrival }: PrefetchQueueOptions) {
    this.#durationMs = durationMs;
    this.#onStart = onStart;
    this.#onArrival = onArrival;
    const idle = () => ({ waiting: new Map(), busyUntilMs: 0, isStarted: false });
    this.#lines = Array.from({ length: clients }, idle);
  }

  has(client: number, file: number): boolean {
    return this.#of(client).waiting.has(file);
  }

  /** Appends a prefetch to the client's queue. */
  add(prefetch: PrefetchArrival): void {
    this.#of(prefetch.client).waiting.set(prefetch.file, prefetch);
  }

  /** Called when the client's own fetch occupies the line until `untilMs`. */
  occupy(client: number, untilMs: number): void {
    const line = this.#of(client);
    line.busyUntilMs = Math.max(line.busyUntilMs, untilMs);
  }

  /** Starts every prefetch due before `nowMs`, and delivers every prefetch that ends by then. */
  advance(client: number, nowMs: number): void {
    const line = this.#of(client);
    if (line.waiting.size === 0) return;
    for (const prefetch of line.waiting.values()) {
      const { file, bytes, advisedAtMs } = prefetch;
      if (!line.isStarted) {
        const startMs = Math.max(line.busyUntilMs, advisedAtMs);
        if (startMs >= nowMs) return;
        line.isStarted = true;
        line.busyUntilMs = startMs + this.#durationMs(bytes);
        this.#onStart(file, bytes);
      }
      if (line.busyUntilMs > nowMs) return;
      line.waiting.delete(file);
      line.isStarted = false;
      this.#onArrival(prefetch);
    }
  }

  /**
   * Called when the client requests `file` itself, after `advance` to that time; the file leaves the queue.
   * @returns the remaining time of its prefetch, ms; null if none is being fetched
   */
  removeRequested(client: number, file: number, nowMs: number): number | null {
    const line = this.#of(client);
    if (!line.waiting.has(file)) return null;
    const [first] = line.waiting.keys();
    line.waiting.delete(file);
    if (first !== file || !line.isStarted) return null;
    line.isStarted = false;
    return line.busyUntilMs - nowMs;
  }

  /** Called when the client is forgotten: pending prefetches are fetched to the end. */
  finish(client: number): void {
    this.advance(client, Number.POSITIVE_INFINITY);
    this.#of(client).busyUntilMs = 0;
  }

  #of(client: number): ClientQueue {
    return this.#lines[client] as ClientQueue;
  }
}
