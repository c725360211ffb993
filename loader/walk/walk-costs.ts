// Costs and benefits of prefetches, per page of a walk. Bytes as received and connections count for the page after
// which they were requested; bytes that a later page used are subtracted there. The rest is wasted, which is final
// when the walk is over.
//
// Invariant: for each page, bytes minus used bytes equals `wastedBytes`, which is not negative.

import type { HttpCache, Storable } from '../cache/http-cache.ts';
import type { PageLoad } from '../page-load.ts';
import { noPrefetches, type PrefetchTotals } from '../prefetch/storage.ts';
import type { WalkedPage } from './walk-record.ts';

interface Brought {
  bytes: number;
  /** The page after which the response was prefetched. */
  page: WalkedPage;
}

export class WalkCosts {
  readonly pages: WalkedPage[] = [];
  /** Times at which the stays on the pages began, ms since the epoch. */
  readonly #beganAtMs: number[] = [];
  /** Prefetched responses that wait for their first use, by URL. */
  readonly #brought = new Map<string, Brought>();
  /** Number of used bytes of each page's prefetches. */
  readonly #used = new Map<WalkedPage, number>();
  #before: PrefetchTotals = noPrefetches;

  /** Wraps `cache` to record what prefetches store in it. */
  watched(cache: HttpCache): HttpCache {
    const store = (entries: Storable[]): void => {
      cache.store(entries);
      for (const entry of entries) this.#note(entry);
    };
    return new Proxy(cache, {
      get(target, name) {
        if (name === 'store') return store;
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  /** Called when a page has loaded and its stay begins. */
  add(page: WalkedPage): void {
    this.pages.push(page);
    this.#beganAtMs.push(performance.timeOrigin + performance.now());
  }

  /**
   * Called when a page has loaded or the walk is over (null): prefetches since the previous page count for that one.
   * @param now Totals of the loader. @returns Number and bytes of resources that the page got from prefetches.
   */
  settle(load: PageLoad | null, now: PrefetchTotals): WalkedPage['used'] {
    const before = this.#before;
    this.#before = now;
    const used = { resources: 0, bytes: 0 };
    const last = this.pages.at(-1);
    if (last === undefined) return used;
    last.prefetch.bytes = now.bytes - before.bytes;
    last.prefetch.connections = now.connections - before.connections;
    for (const { url, prefetched, fromCache, encodedBytes } of load?.resources ?? []) {
      if (!prefetched) continue;
      // Prefetches that the page adopted in flight never were in the cache.
      const { bytes, page } = fromCache
        ? this.#claim(url, last)
        : { bytes: encodedBytes, page: last };
      used.resources++;
      used.bytes += bytes;
      this.#used.set(page, (this.#used.get(page) ?? 0) + bytes);
    }
    for (const page of this.pages) {
      page.prefetch.wastedBytes = page.prefetch.bytes - (this.#used.get(page) ?? 0);
      const wanted = page.load.bytes + page.used.bytes;
      page.addedTraffic = wanted === 0 ? null : page.prefetch.wastedBytes / wanted;
    }
    return used;
  }

  /** Records a stored response if it was prefetched. */
  #note({ request, response, receivedBytes }: Storable): void {
    const index = this.#beganAtMs.findLastIndex((beganAtMs) => beganAtMs <= response.requestedAtMs);
    const page = this.pages[Math.max(index, 0)];
    if (receivedBytes === undefined || page === undefined) return;
    this.#brought.set(request.url, { bytes: receivedBytes, page });
  }

  /** The prefetched response for a URL; 0 bytes if the prefetch only confirmed a stored response. */
  #claim(url: string, last: WalkedPage): Brought {
    const brought = this.#brought.get(url);
    this.#brought.delete(url);
    return brought ?? { bytes: 0, page: last };
  }
}
