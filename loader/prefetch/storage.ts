// What becomes of a prefetch that is over: a page took it, it goes into the cache and waits there for its first use, or
// it is dropped. What waits is used once or wasted once. Another loader, or another process, may use or evict it
// meanwhile, so the cache is asked (ledger.ts) when the sums are wanted. All that waits takes at most a part of the
// cache: beyond it the oldest is removed, so prefetching never pushes out what was really used.

import type { HttpCache } from '../cache/http-cache.ts';
import { discardUnused, type Fate, fateOf, unusedNote } from './ledger.ts';
import type { PrefetchJob } from './prefetch-job.ts';
import type { PrefetchTotals } from './prefetch-totals.ts';
import { cacheResponseOf } from './usable-response.ts';

/** Of the cache, what waits for its first use may fill one part in so many. */
const shareOfCache = 4;

export class Storage {
  /** Bytes of what waits, at most. */
  readonly room: number;
  readonly unused: Unused;
  readonly #cache: HttpCache;
  readonly #totals: PrefetchTotals;

  /** @param totals where it counts `kept` and `dropped`. */
  constructor(cache: HttpCache, totals: PrefetchTotals) {
    this.#cache = cache;
    this.#totals = totals;
    this.room = Math.floor(cache.maxBytes / shareOfCache);
    this.unused = new Unused(cache, this.room);
  }

  /** @returns whether it is there for what follows from it. @throws LoaderError when the cache is closed. */
  settle(job: PrefetchJob): boolean {
    const { state, isRefused, isAdopted, target } = job;
    if (isAdopted) this.unused.countUsed(job.bytes);
    const isWhole = state === 'whole' && !isRefused;
    if (isWhole && !isAdopted && target.isRules) return true;
    const isKept = !isAdopted && isWhole && this.#isKept(job);
    if (isAdopted || isKept) this.#totals.kept++;
    else this.#totals.dropped++;
    return isKept;
  }

  /** It is stored, when it is known to be the answer to its request. */
  #isKept(job: PrefetchJob): boolean {
    const { request, exchange, validation, body } = job;
    const response = cacheResponseOf(job);
    if (response === null || !exchange?.attempt.inStep || !exchange.attempt.framed) return false;
    this.unused.makeRoom(body.length);
    const note = unusedNote();
    if (response.status !== 304) {
      this.#cache.store([{ request, response, body, note }]);
    } else if (validation !== null) {
      this.#cache.freshen(request, validation, response, note);
    }
    const { receivedAtMs } = response;
    if (fateOf(this.#cache, request.url, receivedAtMs) !== 'waits') return false;
    this.unused.add(request.url, { bytes: body.length, receivedAtMs });
    return true;
  }
}

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
      if (isOver && bytes > 0) discardUnused(this.#cache, oldest, receivedAtMs);
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

  #fateOf(url: string, receivedAtMs: number): Fate {
    try {
      return fateOf(this.#cache, url, receivedAtMs);
    } catch {
      return 'gone'; // the cache was closed first
    }
  }
}
