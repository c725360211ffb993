// What was prefetched and waits for its first use: it is used once or wasted once. Another loader, or another
// process, may use or evict it in the cache meanwhile, so the cache is asked when the sums are wanted.
// Together it holds no more than its share of the cache: beyond it the oldest goes, so that
// what was prefetched never pushes out what was really used.

import type { HttpCache } from '../cache/http-cache.ts';

interface Waiting {
  bytes: number;
  /** Of the response that brought it: what the cache knows it by. */
  receivedAtMs: number;
}

const mostWaiting = 1_000;

export class Unused {
  readonly sums = { used: 0, usedBytes: 0, wasted: 0, wastedBytes: 0 };
  readonly #cache: HttpCache;
  readonly #maxBytes: number;
  /** By URL, the oldest first. */
  readonly #waiting = new Map<string, Waiting>();
  #bytes = 0;

  /** @param maxBytes bodies that wait, together. */
  constructor(cache: HttpCache, maxBytes: number) {
    this.#cache = cache;
    this.#maxBytes = maxBytes;
  }

  /** Before so much comes into the cache: the oldest give way. */
  makeRoom(moreBytes: number): void {
    for (const [oldest, { bytes, receivedAtMs }] of this.#waiting) {
      const isOver = this.#bytes + moreBytes > this.#maxBytes;
      const isFull = this.#waiting.size >= mostWaiting;
      if (!isOver && !isFull) return;
      // What was there before and only asked about takes no room, and is not the prefetch's to remove.
      if (bytes === 0 && !isFull) continue;
      if (isOver && bytes > 0) this.#cache.discard(oldest, receivedAtMs);
      this.#settle(oldest);
    }
  }

  /** It is in the cache now. */
  add(url: string, waiting: Waiting): void {
    this.#settle(url);
    this.#waiting.set(url, waiting);
    this.#bytes += waiting.bytes;
  }

  /** A page used it. */
  use(url: string): void {
    const waiting = this.#take(url);
    if (waiting !== null) this.countUsed(waiting.bytes);
  }

  /** A page used what was prefetched, without it ever having waited. */
  countUsed(bytes: number): void {
    this.sums.used++;
    this.sums.usedBytes += bytes;
  }

  /** Whatever became of those that wait in the cache is counted now. */
  look(): void {
    for (const [url, { receivedAtMs }] of this.#waiting) {
      if (this.#fateOf(url, receivedAtMs) !== 'waits') this.#settle(url);
    }
  }

  /** Nobody is left to use them. */
  close(): void {
    for (const url of this.#waiting.keys()) this.#settle(url);
  }

  /** It counts as used, or as wasted, from now on. */
  #settle(url: string): void {
    const waiting = this.#take(url);
    if (waiting === null) return;
    if (this.#fateOf(url, waiting.receivedAtMs) === 'used') {
      this.countUsed(waiting.bytes);
    } else {
      this.sums.wasted++;
      this.sums.wastedBytes += waiting.bytes;
    }
  }

  #take(url: string): Waiting | null {
    const waiting = this.#waiting.get(url);
    if (waiting === undefined) return null;
    this.#waiting.delete(url);
    this.#bytes -= waiting.bytes;
    return waiting;
  }

  #fateOf(url: string, receivedAtMs: number): 'waits' | 'used' | 'gone' {
    try {
      return this.#cache.fateOf(url, receivedAtMs);
    } catch {
      return 'gone'; // the cache was closed first
    }
  }
}
