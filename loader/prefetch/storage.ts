// Decides the outcome of a finished prefetch: a page took it over in flight (adopted it), or it is stored until its
// first use, or dropped. A stored response is counted once, as used when a page of this loader gets it, or as wasted.
// Unused prefetches take a limited share of the cache; beyond it the oldest are removed, so that prefetching does not
// evict responses that were really used.

import { cacheResponse, type StoredHead } from '../cache/entry.ts';
import type { HttpCache } from '../cache/http-cache.ts';
import type { PrefetchJob } from './prefetch-job.ts';

/** The costs and benefits of prefetching, as `loader.stats().prefetch` reports them. */
export interface PrefetchTotals {
  /** Number of requests sent to prefetch something. */
  requests: number;
  /** Number of bodies that were stored, or that a page took over in flight, whether used, wasted, or not used yet. */
  kept: number;
  /** Length of all bodies as received, including dropped ones, bytes. */
  bytes: number;
  /** Number of connections used for prefetches. */
  connections: number;
  /** Number of the `kept` bodies that a page used. */
  used: number;
  usedBytes: number;
  /** Number of `kept` bodies that will not be used: evicted, replaced, removed, expired, or unused at the end. */
  wasted: number;
  wastedBytes: number;
  /** Number of cancelled or unusable prefetches: refused, redirected, too large, not storable, or failed. */
  dropped: number;
}

export const noPrefetches: Readonly<PrefetchTotals> = Object.freeze({
  requests: 0,
  kept: 0,
  bytes: 0,
  connections: 0,
  used: 0,
  usedBytes: 0,
  wasted: 0,
  wastedBytes: 0,
  dropped: 0,
});

/** Prefetched responses that no page has used yet may fill the cache's capacity divided by this number. */
const shareOfCache = 4;

export class Storage {
  /** Limit on the bytes of all stored prefetched responses that no page has used yet. */
  readonly room: number;
  readonly unused: Unused;
  readonly #cache: HttpCache;
  readonly #totals: PrefetchTotals;

  /** @param totals Its counts `kept` and `dropped` are increased here. */
  constructor(cache: HttpCache, totals: PrefetchTotals) {
    this.#cache = cache;
    this.#totals = totals;
    this.room = Math.floor(cache.maxBytes / shareOfCache);
    this.unused = new Unused(cache, this.room);
  }

  /**
   * Decides the outcome of a finished prefetch, stores its response if possible, and counts it.
   * @returns whether resources or hints in the response may be used @throws LoaderError if the cache is closed
   */
  settle(job: PrefetchJob): boolean {
    const { state, isRefused, isAdopted, target } = job;
    if (isAdopted) this.unused.countUsed(job.receivedBytes);
    const isWhole = state === 'whole' && !isRefused;
    if (isWhole && !isAdopted && target.isRules) return true;
    const isKept = !isAdopted && isWhole && this.#isKept(job);
    if (isAdopted || isKept) this.#totals.kept++;
    else this.#totals.dropped++;
    return isKept;
  }

  /** Stores the response if it is known to belong to its request. @returns Whether it was stored. */
  #isKept(job: PrefetchJob): boolean {
    const { request, exchange, validation, head, batch, body, receivedBytes } = job;
    if (head === null || !exchange?.attempt.inStep || !exchange.attempt.framed) return false;
    const response = cacheResponse(head, batch?.sentAt);
    this.unused.makeRoom(body.length);
    if (response.status !== 304) {
      this.#cache.store([{ request, response, body, receivedBytes }]);
    } else if (validation !== null) {
      this.#cache.freshen(request, validation, response);
    }
    const { receivedAtMs } = response;
    if (usableEntry(this.#cache, request.url, receivedAtMs) === undefined) return false;
    this.unused.add(request.url, { bytes: body.length, receivedBytes, receivedAtMs });
    return true;
  }
}

interface Waiting {
  /** Length of the body as stored, bytes. */
  bytes: number;
  /** Length of the body as received, bytes. */
  receivedBytes: number;
  /** Time of receipt, ms since the epoch, which identifies the prefetched response in the cache. */
  receivedAtMs: number;
}

const mostWaiting = 1_000;

export class Unused {
  readonly sums = { used: 0, usedBytes: 0, wasted: 0, wastedBytes: 0 };
  readonly #cache: HttpCache;
  readonly #maxBytes: number;
  /** The stored prefetched responses that no page has used yet, by URL, oldest first. */
  readonly #waiting = new Map<string, Waiting>();
  #bytes = 0;

  /** @param maxBytes Limit on the bytes of all prefetched bodies that no page has used. */
  constructor(cache: HttpCache, maxBytes: number) {
    this.#cache = cache;
    this.#maxBytes = maxBytes;
  }

  /** Removes from the cache the oldest prefetched responses that no page has used, to make room for so many bytes. */
  makeRoom(moreBytes: number): void {
    for (const [oldest, { bytes, receivedAtMs }] of this.#waiting) {
      const isOver = this.#bytes + moreBytes > this.#maxBytes;
      const isFull = this.#waiting.size >= mostWaiting;
      if (!isOver && !isFull) return;
      // A prefetch that only revalidated a stored response (304) stored no body, and that response must not be removed.
      if (bytes === 0 && !isFull) continue;
      const entry = usableEntry(this.#cache, oldest, receivedAtMs);
      if (isOver && bytes > 0 && entry !== undefined) this.#cache.remove([entry.id]);
      this.#waste(oldest);
    }
  }

  /** Records that a prefetched response was stored in the cache and has not been used by a page. */
  add(url: string, waiting: Waiting): void {
    this.#waste(url);
    this.#waiting.set(url, waiting);
    this.#bytes += waiting.bytes;
  }

  /** Records that a page used the stored response of a URL. @returns Whether this was the first use of a prefetch. */
  use(url: string): boolean {
    const waiting = this.#remove(url);
    if (waiting !== null) this.countUsed(waiting.receivedBytes);
    return waiting !== null;
  }

  /** Counts a prefetched response as used by a page. Called directly if the page took it over before it was stored. */
  countUsed(bytes: number): void {
    this.sums.used++;
    this.sums.usedBytes += bytes;
  }

  /** Counts as wasted the unused prefetched responses that the cache has evicted, or that have expired in it. */
  sweep(): void {
    for (const [url, { receivedAtMs }] of this.#waiting) {
      if (usableEntry(this.#cache, url, receivedAtMs) === undefined) this.#waste(url);
    }
  }

  /** Counts as wasted all prefetched responses that no page has used; called when the loader is closed. */
  close(): void {
    for (const url of this.#waiting.keys()) this.#waste(url);
  }

  #waste(url: string): void {
    const waiting = this.#remove(url);
    if (waiting === null) return;
    this.sums.wasted++;
    this.sums.wastedBytes += waiting.receivedBytes;
  }

  #remove(url: string): Waiting | null {
    const waiting = this.#waiting.get(url);
    if (waiting === undefined) return null;
    this.#waiting.delete(url);
    this.#bytes -= waiting.bytes;
    return waiting;
  }
}

/** Returns the cache's entry for a prefetched response; undefined if it is gone, or cannot answer requests any more. */
function usableEntry(cache: HttpCache, url: string, receivedAtMs: number): StoredHead | undefined {
  try {
    const entry = cache.stored(url).find((stored) => stored.receivedAtMs === receivedAtMs);
    return entry !== undefined && cache.isUsable(entry) ? entry : undefined;
  } catch {
    return undefined; // a closed cache has no entries
  }
}
