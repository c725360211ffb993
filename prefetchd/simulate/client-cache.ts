// The caches of all clients of a simulated site: LRU over blocks (Padmanabhan 1995, 8: 8 KB blocks, 4 MB per client).
// A file is always read from first to last block, so its blocks are adjacent in LRU order, and the first ones are
// evicted first. The cached part of a file is therefore just a count, its last `held` blocks: one entry per file, not
// one per block. A test ensures equality with an LRU list of single blocks. (A file that lost a block is the oldest in
// a full cache; reading it again evicts its remaining blocks one by one before they are reached. So the file is cached
// entirely or effectively not at all, unless its size changed.)
//
// Entries are in typed arrays, linked by number, with one list per client, most recent first.

import { PairTable } from './pair-table.ts';

const none = -1;

export interface ClientCacheOptions {
  capacityBytes: number;
  blockBytes: number;
  /** Clients are numbered 0 .. clients - 1. */
  clients: number;
}

export class ClientCache {
  readonly blockBytes: number;
  readonly capacityBlocks: number;
  /** For the last `access`: bytes of the file that a prefetch brought and that were used for the first time. */
  prefetchedBytes = 0;
  /** For the last `access`, if `prefetchedBytes` is not 0: time when that prefetch was advised, ms. */
  advisedAtMs = 0;

  readonly #table = new PairTable();
  readonly #head: Int32Array;
  readonly #tail: Int32Array;
  readonly #used: Int32Array;
  #file = new Int32Array(64);
  #held = new Int32Array(64);
  #newer = new Int32Array(64);
  #older = new Int32Array(64);
  #prefetchedBytes = new Float64Array(64);
  #advisedAtMs = new Float64Array(64);
  #entries = 0;
  #free = none;

  constructor({ capacityBytes, blockBytes, clients }: ClientCacheOptions) {
    this.blockBytes = blockBytes;
    this.capacityBlocks = Math.floor(capacityBytes / blockBytes);
    this.#head = new Int32Array(clients).fill(none);
    this.#tail = new Int32Array(clients).fill(none);
    this.#used = new Int32Array(clients);
  }

  /** Number of blocks of `file` in the client's cache. */
  held(client: number, file: number): number {
    const entry = this.#table.get(client, file);
    return entry === none ? 0 : (this.#held[entry] as number);
  }

  /** Number of blocks that the client uses. */
  used(client: number): number {
    return this.#used[client] as number;
  }

  /** The client reads the file's `blocks` blocks, first to last. @returns how many of them were cached */
  access(client: number, file: number, blocks: number): number {
    let entry = this.#table.get(client, file);
    const hits = this.#read(client, entry, blocks);
    if (hits > 0) {
      this.prefetchedBytes = this.#prefetchedBytes[entry] as number;
      this.advisedAtMs = this.#advisedAtMs[entry] as number;
      this.#moveToHead(client, entry);
    } else {
      this.prefetchedBytes = 0;
      entry = this.#renew(client, file, entry);
    }
    this.#prefetchedBytes[entry] = 0;
    this.#hold(client, entry, blocks);
    return hits;
  }

  /** A prefetch of `file` with `bytes` bytes has arrived: the whole file is cached. */
  insert(client: number, file: number, blocks: number, bytes: number, advisedAtMs: number): void {
    let entry = this.#table.get(client, file);
    if (this.#read(client, entry, blocks) > 0) this.#moveToHead(client, entry);
    else entry = this.#renew(client, file, entry);
    this.#prefetchedBytes[entry] = bytes;
    this.#advisedAtMs[entry] = advisedAtMs;
    this.#hold(client, entry, blocks);
  }

  /** Bytes to transfer if `held` of a file's blocks are cached; the first ones are missing. */
  missingBytes(bytes: number, blocks: number, held: number): number {
    if (held === 0) return bytes;
    return Math.min(bytes, Math.max(0, blocks - held) * this.blockBytes);
  }

  /** An empty file takes one block too. */
  blocksOf(bytes: number): number {
    return Math.max(1, Math.ceil(bytes / this.blockBytes));
  }

  /** Clear the client's cache. */
  clear(client: number): void {
    for (let entry = this.#tail[client] as number; entry !== none; ) {
      const newer = this.#newer[entry] as number;
      this.#drop(client, entry);
      entry = newer;
    }
  }

  /** Make room for missing blocks. @returns the number of the file's blocks still cached when they are reached */
  #read(client: number, entry: number, blocks: number): number {
    const own = entry === none ? 0 : (this.#held[entry] as number);
    const others = (this.#used[client] as number) - own;
    let excess = others + Math.min(blocks, this.capacityBlocks) - this.capacityBlocks;
    let survives = blocks <= this.capacityBlocks;
    while (excess > 0) {
      const oldest = this.#tail[client] as number;
      if (oldest === entry) {
        // The file's own blocks are the oldest: each is evicted just before it is reached.
        survives = false;
        this.#moveToHead(client, entry);
      } else {
        excess -= this.#loseBlocks(client, oldest, excess);
      }
    }
    return survives ? Math.min(own, blocks) : 0;
  }

  #loseBlocks(client: number, entry: number, atMost: number): number {
    const held = this.#held[entry] as number;
    if (held <= atMost) {
      this.#drop(client, entry);
      return held;
    }
    this.#held[entry] = held - atMost;
    this.#used[client] = (this.#used[client] as number) - atMost;
    return atMost;
  }

  #hold(client: number, entry: number, blocks: number): void {
    const held = Math.min(blocks, this.capacityBlocks);
    this.#used[client] = (this.#used[client] as number) + held - (this.#held[entry] as number);
    this.#held[entry] = held;
  }

  /** A new entry at the head, or `entry` itself, emptied, if there was one. */
  #renew(client: number, file: number, entry: number): number {
    if (entry !== none) {
      this.#prefetchedBytes[entry] = 0;
      this.#moveToHead(client, entry);
      return entry;
    }
    const made = this.#allocate();
    this.#file[made] = file;
    this.#held[made] = 0;
    this.#prefetchedBytes[made] = 0;
    this.#table.set(client, file, made);
    this.#linkAtHead(client, made);
    return made;
  }

  #drop(client: number, entry: number): void {
    this.#used[client] = (this.#used[client] as number) - (this.#held[entry] as number);
    this.#unlink(client, entry);
    this.#table.delete(client, this.#file[entry] as number);
    this.#older[entry] = this.#free;
    this.#free = entry;
  }

  #moveToHead(client: number, entry: number): void {
    if (this.#head[client] === entry) return;
    this.#unlink(client, entry);
    this.#linkAtHead(client, entry);
  }

  #linkAtHead(client: number, entry: number): void {
    const head = this.#head[client] as number;
    this.#older[entry] = head;
    this.#newer[entry] = none;
    if (head === none) this.#tail[client] = entry;
    else this.#newer[head] = entry;
    this.#head[client] = entry;
  }

  #unlink(client: number, entry: number): void {
    const [newer, older] = [this.#newer[entry] as number, this.#older[entry] as number];
    if (newer === none) this.#head[client] = older;
    else this.#older[newer] = older;
    if (older === none) this.#tail[client] = newer;
    else this.#newer[older] = newer;
  }

  #allocate(): number {
    if (this.#free !== none) {
      const entry = this.#free;
      this.#free = this.#older[entry] as number;
      return entry;
    }
    if (this.#entries === this.#file.length) this.#grow();
    return this.#entries++;
  }

  #grow(): void {
    this.#file = doubled(this.#file);
    this.#held = doubled(this.#held);
    this.#newer = doubled(this.#newer);
    this.#older = doubled(this.#older);
    const [prefetchedBytes, advisedAtMs] = [this.#prefetchedBytes, this.#advisedAtMs];
    this.#prefetchedBytes = new Float64Array(prefetchedBytes.length * 2);
    this.#prefetchedBytes.set(prefetchedBytes);
    this.#advisedAtMs = new Float64Array(advisedAtMs.length * 2);
    this.#advisedAtMs.set(advisedAtMs);
  }
}

function doubled(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
