// Simulates one client at one point of the sweep (threshold, limit, timing model), and counts what prefetching does
// (Padmanabhan 1995, 8.1 and 8.2). A cache hit takes no time. There are two timing models:
// simple: a prefetch arrives the instant it is advised; the results are an upper bound.
// timed:  a prefetch takes its time on the client's line (PrefetchQueue); if it is still being fetched at the
// demand, it saves the completed part, and nothing is fetched twice.
// In both models, an access saves at most its lead, the time from advice to demand: a browser requests a page's images
// within the same second anyway, so hints for them save nothing. The paper's simple model has no such cap
// (`capByLead: false`).

import type { Candidate } from './advisors.ts';
import { ClientCache } from './client-cache.ts';
import { fetchTimeMs } from './fetch-time.ts';
import type { SimulateSettings, TimingModel } from './simulate-options.ts';
import type { RunTally, TallyByKind } from './tally.ts';
import type { TraceAccess, TraceFile } from './trace.ts';

export class SimulatedBrowser {
  readonly #settings: SimulateSettings;
  readonly #tallies: TallyByKind;
  readonly #cache: ClientCache;
  readonly #line: PrefetchQueue | null;

  /** @param tallies Counts of all clients that are simulated with these settings; this client adds its own to them */
  constructor(settings: SimulateSettings, model: TimingModel, tallies: TallyByKind) {
    this.#settings = settings;
    this.#tallies = tallies;
    this.#cache = new ClientCache(Math.floor(settings.cacheBytes / settings.blockBytes));
    this.#line =
      model === 'simple'
        ? null
        : new PrefetchQueue({
            durationMs: (bytes) => fetchTimeMs(settings.fetchTime, bytes),
            onStart: (prefetch) => this.#countPrefetch(prefetch),
            onArrival: (prefetch) => this.#insert(prefetch, prefetch.advisedAtMs),
          });
  }

  /**
   * Simulates that the user requests a file.
   * @param wouldMiss true if, without prefetching, a part of the file would not be cached
   * @returns whether a block of the file is missing in the cache
   */
  demand({ file, bytes, timeMs: nowMs }: TraceAccess, wouldMiss: boolean): boolean {
    const { fetchTime, capByLead, blockBytes } = this.#settings;
    this.#line?.advance(nowMs);
    const remainingMs = this.#line?.removeRequested(file, nowMs) ?? null;
    const blocks = this.#blocksOf(bytes);
    const { held, prefetched } = this.#cache.read(file, blocks);
    const missing = held === 0 ? bytes : Math.min(bytes, (blocks - held) * blockBytes);
    const isMissed = held < blocks;

    const tally = this.#tallyOf(file);
    tally.accesses++;
    tally.blocks += blocks;
    tally.missedBlocks += blocks - held;
    if (wouldMiss) tally.wouldMiss++;
    let timeMs = isMissed ? fetchTimeMs(fetchTime, missing) : 0;
    let isHelped = false;
    if (remainingMs !== null) {
      // The file is already being fetched: the user waits only for the rest, and nothing is fetched twice.
      timeMs = Math.min(timeMs, remainingMs);
      isHelped = true;
    } else if (isMissed) {
      tally.demandRequests++;
      tally.demandBytes += missing;
    }
    if (prefetched !== null && prefetched.bytes > 0) {
      isHelped = true;
      const unhintedMs = fetchTimeMs(fetchTime, Math.min(bytes, missing + prefetched.bytes));
      const leadMs = capByLead ? nowMs - prefetched.advisedAtMs : Number.POSITIVE_INFINITY;
      timeMs = unhintedMs - Math.max(0, Math.min(unhintedMs - timeMs, leadMs));
    }
    if (isHelped) {
      tally.usedPrefetches++;
      if (wouldMiss) tally.served++;
    }
    tally.accessTimeMs += timeMs;
    this.#line?.occupy(nowMs + timeMs);
    return isMissed;
  }

  /** Takes the server's advice to prefetch a file. The client fetches the whole file, unless it is completely cached or
   *  larger than the cache. */
  advise(candidate: Candidate, nowMs: number): void {
    const blocks = this.#blocksOf(candidate.bytes);
    if (blocks > this.#cache.capacity || this.#cache.held(candidate.file) >= blocks) return;
    if (this.#line !== null) {
      this.#line.add(candidate, nowMs);
      return;
    }
    this.#countPrefetch(candidate);
    this.#insert(candidate, nowMs);
  }

  /** Lets the client fetch all that it still has to prefetch, when the log has ended or the client is forgotten. */
  finish(): void {
    this.#line?.advance(Number.POSITIVE_INFINITY);
  }

  #insert({ file, bytes }: Candidate, advisedAtMs: number): void {
    this.#cache.insert(file, this.#blocksOf(bytes), { bytes, advisedAtMs });
  }

  #countPrefetch({ file, bytes }: Candidate): void {
    const tally = this.#tallyOf(file);
    tally.prefetches++;
    tally.prefetchedBytes += bytes;
  }

  /** Returns the number of blocks of the client's cache that a file takes; an empty file takes one. */
  #blocksOf(bytes: number): number {
    return Math.max(1, Math.ceil(bytes / this.#settings.blockBytes));
  }

  #tallyOf(file: TraceFile): RunTally {
    return file.isDocument ? this.#tallies.documents : this.#tallies.objects;
  }
}

interface Pending extends Candidate {
  advisedAtMs: number;
}

interface PrefetchQueueOptions {
  /** Returns how long a fetch of so many bytes takes, ms. */
  durationMs: (bytes: number) => number;
  /** Called when the simulated client requests a prefetch. */
  onStart: (prefetch: Pending) => void;
  onArrival: (prefetch: Pending) => void;
}

/**
 * Holds the pending prefetches of one client in the timed model, in which a fetch takes time. A client has one line
 * (connection): prefetches use it one after the other, in the order advised, each once the previous one has arrived and
 * the client's own fetch is done. (Padmanabhan's paper judges each prefetch alone, as if all ran in parallel, 8.2.)
 *
 * Nothing happens between two accesses of a client, so time only advances with accesses (`advance`). If the client
 * requests a file whose prefetch still waits, the file leaves the queue: its prefetch was never sent.
 */
class PrefetchQueue {
  readonly #options: PrefetchQueueOptions;
  /** Prefetches that wait or are being fetched, in the order advised. */
  readonly #waiting = new Map<TraceFile, Pending>();
  /** Time when the client's line (its only connection) becomes free, ms. */
  #busyUntilMs = 0;
  /** True while the first pending prefetch is being fetched. */
  #isStarted = false;

  constructor(options: PrefetchQueueOptions) {
    this.#options = options;
  }

  /** Adds a prefetch to the end of the queue, unless one of the same file is pending. */
  add(candidate: Candidate, advisedAtMs: number): void {
    const { file } = candidate;
    if (!this.#waiting.has(file)) this.#waiting.set(file, { ...candidate, advisedAtMs });
  }

  /** Makes prefetches wait until `untilMs`, because the client's own fetch uses its line. */
  occupy(untilMs: number): void {
    this.#busyUntilMs = Math.max(this.#busyUntilMs, untilMs);
  }

  /** Starts every prefetch due before `nowMs`, and delivers every prefetch that ends by then. */
  advance(nowMs: number): void {
    const { durationMs, onStart, onArrival } = this.#options;
    for (const [file, prefetch] of this.#waiting) {
      if (!this.#isStarted) {
        const startMs = Math.max(this.#busyUntilMs, prefetch.advisedAtMs);
        if (startMs >= nowMs) return;
        this.#isStarted = true;
        this.#busyUntilMs = startMs + durationMs(prefetch.bytes);
        onStart(prefetch);
      }
      if (this.#busyUntilMs > nowMs) return;
      this.#waiting.delete(file);
      this.#isStarted = false;
      onArrival(prefetch);
    }
  }

  /**
   * Removes `file` from the queue, because the client requests it itself; call `advance` to that time first.
   * @returns the remaining time of its prefetch, ms; null if none is being fetched
   */
  removeRequested(file: TraceFile, nowMs: number): number | null {
    const [first] = this.#waiting.keys();
    if (!this.#waiting.delete(file) || first !== file || !this.#isStarted) return null;
    this.#isStarted = false;
    return this.#busyUntilMs - nowMs;
  }
}
