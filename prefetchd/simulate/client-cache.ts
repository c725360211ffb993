// The caches of all clients of a simulated site: LRU over blocks (Padmanabhan 1995, 8: 8 KB blocks, 4 MB per client).
// A file is always read from first to last block, so its blocks are adjacent in LRU order, and the first ones are
// evicted first. The cached part of a file is therefore just a count, its last `held` blocks: one entry per file, not
// one per block. A test ensures equality with an LRU list of single blocks. (A file that lost a block is the oldest in
// a full cache; reading it again evicts its remaining blocks one by one before they are reached. So the file is cached
// entirely or effectively not at all, unless its size changed.)

export interface ClientCacheOptions {
  capacityBytes: number;
  blockBytes: number;
  /** Clients are numbered 0 .. clients - 1. */
  clients: number;
}

interface Cached {
  held: number;
  /** Bytes of the file that a prefetch brought and that have not been used since; 0 if there are none. */
  prefetchedBytes: number;
  advisedAtMs: number;
}

interface Cache {
  /** Cached files by file number, the least recently used first. */
  files: Map<number, Cached>;
  /** Number of blocks used. */
  used: number;
}

export class ClientCache {
  readonly blockBytes: number;
  readonly capacityBlocks: number;
  /** For the last `access`: bytes of the file that a prefetch brought and that were used for the first time. */
  prefetchedBytes = 0;
  /** For the last `access`, if `prefetchedBytes` is not 0: time when that prefetch was advised, ms. */
  advisedAtMs = 0;
  readonly #caches: Cache[];

  constructor({ capacityBytes, blockBytes, clients }: ClientCacheOptions) {
    this.blockBytes = blockBytes;
    this.capacityBlocks = Math.floor(capacityBytes / blockBytes);
    this.#caches = Array.from({ length: clients }, () => ({ files: new Map(), used: 0 }));
  }

  /** Number of blocks of `file` in the client's cache. */
  held(client: number, file: number): number {
    return this.#of(client).files.get(file)?.held ?? 0;
  }

  /** Number of blocks that the client uses. */
  used(client: number): number {
    return this.#of(client).used;
  }

  /** The client reads the file's `blocks` blocks, first to last. @returns how many of them were cached */
  access(client: number, file: number, blocks: number): number {
    const cache = this.#of(client);
    const hits = this.#makeRoom(cache, file, blocks);
    const cached = this.#renew(cache, file, blocks);
    this.prefetchedBytes = hits > 0 ? cached.prefetchedBytes : 0;
    this.advisedAtMs = cached.advisedAtMs;
    cached.prefetchedBytes = 0;
    return hits;
  }

  /** A prefetch of `file` with `bytes` bytes has arrived: the whole file is cached. */
  insert(client: number, file: number, blocks: number, bytes: number, advisedAtMs: number): void {
    const cache = this.#of(client);
    this.#makeRoom(cache, file, blocks);
    Object.assign(this.#renew(cache, file, blocks), { prefetchedBytes: bytes, advisedAtMs });
  }

  /** Bytes to transfer if `held` of a file's blocks are cached; the first ones are missing. */
  missingBytes(bytes: number, blocks: number, held: number): number {
    if (held === 0) return bytes;
    return Math.min(bytes, Math.max(0, blocks - held) * this.blockBytes);
  }

  /** Number of blocks that a file takes; an empty file takes one. */
  blocksOf(bytes: number): number {
    return Math.max(1, Math.ceil(bytes / this.blockBytes));
  }

  clear(client: number): void {
    this.#of(client).files.clear();
    this.#of(client).used = 0;
  }

  #of(client: number): Cache {
    return this.#caches[client] as Cache;
  }

  /** Evicts blocks so that the whole file fits. @returns how many blocks of the file are still cached when read */
  #makeRoom(cache: Cache, file: number, blocks: number): number {
    const own = cache.files.get(file)?.held ?? 0;
    let excess = cache.used - own + Math.min(blocks, this.capacityBlocks) - this.capacityBlocks;
    let survives = blocks <= this.capacityBlocks;
    if (excess <= 0) return survives ? Math.min(own, blocks) : 0;
    for (const [oldest, cached] of cache.files) {
      if (excess <= 0) break;
      if (oldest === file) {
        // The file's own blocks are the oldest: each is evicted just before it is reached.
        survives = false;
        continue;
      }
      const lost = Math.min(cached.held, excess);
      excess -= lost;
      cached.held -= lost;
      cache.used -= lost;
      if (cached.held === 0) cache.files.delete(oldest);
    }
    return survives ? Math.min(own, blocks) : 0;
  }

  /** Caches the whole file and makes it the most recently used. */
  #renew(cache: Cache, file: number, blocks: number): Cached {
    const { files } = cache;
    const cached = files.get(file) ?? { held: 0, prefetchedBytes: 0, advisedAtMs: 0 };
    files.delete(file);
    files.set(file, cached);
    const held = Math.min(blocks, this.capacityBlocks);
    cache.used += held - cached.held;
    cached.held = held;
    return cached;
  }
}
