// One point of the sweep (p, i, timing model): its clients' caches and queues, and its counters. It receives the same
// accesses and candidates as every other point; see simulate.ts.

import { ClientCache } from './client-cache.ts';
import { SimulatedQueue } from './prefetch-queue.ts';
import { emptyTallies, type RunTally, type TallyByKind } from './tally.ts';
import { type FetchTime, fetchTimeMs, savingMs, type TimingModel } from './timing-model.ts';

export interface PointRunOptions {
  model: TimingModel;
  cacheBytes: number;
  blockBytes: number;
  fetchTime: FetchTime;
  capByLead: boolean;
  /** Number of client slots. */
  clients: number;
  /** For each URL: 1 if it is a document. */
  isDocument: Uint8Array;
}

export interface FileDemand {
  /** Slot of the client. */
  client: number;
  file: number;
  bytes: number;
  nowMs: number;
  wouldMiss: boolean;
}

export class PointRun {
  readonly tallies: TallyByKind = emptyTallies();
  /** true if the last `demand` found a block of the file missing in the cache. */
  missed = false;
  readonly #cache: ClientCache;
  readonly #line: SimulatedQueue | null;
  readonly #fetchTime: FetchTime;
  readonly #capByLead: boolean;
  readonly #isDocument: Uint8Array;

  constructor(options: PointRunOptions) {
    const { model, cacheBytes, blockBytes, fetchTime, clients } = options;
    this.#cache = new ClientCache({ capacityBytes: cacheBytes, blockBytes, clients });
    this.#fetchTime = fetchTime;
    this.#capByLead = options.capByLead;
    this.#isDocument = options.isDocument;
    this.#line =
      model === 'simple'
        ? null
        : new SimulatedQueue({
            clients,
            durationMs: (bytes) => fetchTimeMs(fetchTime, bytes),
            onStart: (file, bytes) => this.#countPrefetch(file, bytes),
            onArrival: ({ client, file, blocks, bytes, advisedAtMs }) =>
              this.#cache.insert(client, file, blocks, bytes, advisedAtMs),
          });
  }

  /** Called when the user requests `file`. `wouldMiss`: without prefetching, the file is not completely cached. */
  demand({ client, file, bytes, nowMs, wouldMiss }: FileDemand): void {
    const [cache, line] = [this.#cache, this.#line];
    line?.advance(client, nowMs);
    const remainingMs = line === null ? null : line.removeRequested(client, file, nowMs);
    const blocks = cache.blocksOf(bytes);
    const held = cache.access(client, file, blocks);
    const missing = cache.missingBytes(bytes, blocks, held);
    this.missed = held < blocks;

    const tally = this.#tallyOf(file);
    tally.accesses++;
    tally.blocks += blocks;
    tally.missedBlocks += blocks - held;
    if (wouldMiss) tally.wouldMiss++;
    let timeMs = this.missed ? fetchTimeMs(this.#fetchTime, missing) : 0;
    let helped = false;
    if (remainingMs !== null) {
      // The file is already being fetched: the user waits only for the rest, and nothing is fetched twice.
      timeMs = Math.min(timeMs, remainingMs);
      helped = true;
    } else if (this.missed) {
      tally.demandRequests++;
      tally.demandBytes += missing;
    }
    if (cache.prefetchedBytes > 0) {
      helped = true;
      const unhintedBytes = Math.min(bytes, missing + cache.prefetchedBytes);
      const unhintedMs = fetchTimeMs(this.#fetchTime, unhintedBytes);
      const leadMs = this.#capByLead ? nowMs - cache.advisedAtMs : Number.POSITIVE_INFINITY;
      timeMs = unhintedMs - savingMs(unhintedMs, timeMs, leadMs);
    }
    if (helped) {
      tally.usedPrefetches++;
      if (wouldMiss) tally.served++;
    }
    tally.accessTimeMs += timeMs;
    line?.occupy(client, nowMs + timeMs);
  }

  /** Called when the server advises the client to prefetch `file`. The client fetches the whole file, unless it is
   *  completely cached or larger than the cache. */
  advise(client: number, file: number, bytes: number, nowMs: number): void {
    const [cache, line] = [this.#cache, this.#line];
    const blocks = cache.blocksOf(bytes);
    if (blocks > cache.capacityBlocks || cache.held(client, file) >= blocks) return;
    if (line === null) {
      this.#countPrefetch(file, bytes);
      cache.insert(client, file, blocks, bytes, nowMs);
    } else if (!line.has(client, file)) {
      line.add({ client, file, blocks, bytes, advisedAtMs: nowMs });
    }
  }

  /** Called when the slot passes to another client. */
  forget(client: number): void {
    this.#line?.finish(client);
    this.#cache.clear(client);
  }

  /** Called when the log has ended: pending prefetches are fetched. */
  finish(clients: number): void {
    if (this.#line === null) return;
    for (let client = 0; client < clients; client++) this.#line.finish(client);
  }

  #countPrefetch(file: number, bytes: number): void {
    const tally = this.#tallyOf(file);
    tally.prefetches++;
    tally.prefetchedBytes += bytes;
  }

  #tallyOf(file: number): RunTally {
    return this.#isDocument[file] === 1 ? this.tallies.documents : this.tallies.objects;
  }
}
