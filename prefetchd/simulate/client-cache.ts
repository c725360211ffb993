// Simulates the cache of one client: LRU over blocks (Padmanabhan 1995, 8: 8 KB blocks, 4 MB per client). A file is
// always read from first to last block, so its blocks are adjacent in LRU order, and the first ones are evicted first.
// The cached part of a file is therefore its last `held` blocks, so a number for each file suffices. A test ensures
// equality with an LRU list of single blocks. (A file that lost a block is the oldest in a full cache; reading it again
// evicts its remaining blocks one by one before they are reached. So the file is cached entirely or effectively not at
// all, unless its size changed.)

import type { TraceFile } from './trace.ts';

/** A prefetch that brought a file into the cache. */
export interface PrefetchedFile {
  bytes: number;
  /** Time of the access at which the predictor advised the prefetch, ms. */
  advisedAtMs: number;
}

interface Cached {
  held: number;
  /** The prefetch that brought the file; null: the client fetched it by itself, or has read it since. */
  prefetched: PrefetchedFile | null;
}

export class ClientCache {
  /** Size of the simulated cache, blocks. */
  readonly capacity: number;
  /** Number of blocks that cached files occupy. */
  used = 0;
  /** Cached files, the least recently used first. */
  readonly #files = new Map<TraceFile, Cached>();

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** Returns the number of blocks of `file` in the cache. */
  held(file: TraceFile): number {
    return this.#files.get(file)?.held ?? 0;
  }

  /** Reads the file's blocks, first to last. @returns how many were cached, and the prefetch that brought them */
  read(file: TraceFile, blocks: number): Cached {
    const held = this.#makeRoom(file, blocks);
    const cached = this.#renew(file, blocks);
    const { prefetched } = cached;
    cached.prefetched = null;
    return { held, prefetched: held > 0 ? prefetched : null };
  }

  /** Caches the whole file of a prefetch that has arrived. */
  insert(file: TraceFile, blocks: number, prefetched: PrefetchedFile): void {
    this.#makeRoom(file, blocks);
    this.#renew(file, blocks).prefetched = prefetched;
  }

  /** Evicts blocks so that the whole file fits. @returns how many of its cached blocks survive until they are read */
  #makeRoom(file: TraceFile, blocks: number): number {
    const own = this.held(file);
    let excess = this.used - own + Math.min(blocks, this.capacity) - this.capacity;
    let survives = blocks <= this.capacity;
    for (const [oldest, cached] of this.#files) {
      if (excess <= 0) break;
      if (oldest === file) {
        // The file itself is the least recently used one: each of its blocks is evicted just before it is read.
        survives = false;
        continue;
      }
      const lost = Math.min(cached.held, excess);
      excess -= lost;
      cached.held -= lost;
      this.used -= lost;
      if (cached.held === 0) this.#files.delete(oldest);
    }
    return survives ? Math.min(own, blocks) : 0;
  }

  /** Caches the whole file and makes it the most recently used. */
  #renew(file: TraceFile, blocks: number): Cached {
    const cached = this.#files.get(file) ?? { held: 0, prefetched: null };
    this.#files.delete(file);
    this.#files.set(file, cached);
    const held = Math.min(blocks, this.capacity);
    this.used += held - cached.held;
    cached.held = held;
    return cached;
  }
}
