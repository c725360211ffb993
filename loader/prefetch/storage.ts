// What becomes of a prefetch that is over: it is a page's, or goes into the cache, where it waits for its first use,
// or is dropped. What waits holds no more than a part of the cache's room.

import type { HttpCache } from '../cache/http-cache.ts';
import { cacheResponseOf } from './cache-response.ts';
import type { PrefetchJob } from './prefetch-job.ts';
import type { PrefetchTotals } from './prefetch-totals.ts';
import { Unused } from './unused.ts';

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
    const now = Date.now();
    this.unused.makeRoom(body.length);
    if (response.status !== 304) {
      this.#cache.store([{ request, response, body, prefetchedAtMs: now }]);
    } else if (validation !== null) {
      this.#cache.freshen(request, validation, response, now);
    }
    const { receivedAtMs } = response;
    if (this.#cache.fateOf(request.url, receivedAtMs) !== 'waits') return false;
    this.unused.add(request.url, { bytes: body.length, receivedAtMs });
    return true;
  }
}
