// Costs and benefits of prefetches, per page of a walk. Bytes and connections count for the page after which they
// were requested; bytes that a later page used are subtracted there. The rest is wasted, which is final when the
// walk is over.
//
// Invariant: over all pages, bytes less used bytes equals `wastedBytes`.

import type { HttpCache, Storable } from '../cache/http-cache.ts';
import type { PageLoad } from '../page-load.ts';
import { noPrefetches, type PrefetchTotals } from '../prefetch/prefetch-totals.ts';
import type { WalkedPage } from './walk-record.ts';

interface Brought {
  bytes: number;
  /** The page after which it was prefetched. */
  page: WalkedPage;
}

export class WalkCosts {
  readonly pages: WalkedPage[] = [];
  /** Prefetched responses that wait for their first use, by URL. */
  readonly #brought = new Map<string, Brought>();
  /** Used bytes of each page's prefetches. */
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

  /**
   * Called when a page has loaded or the walk is over (null): prefetches since the previous page count for that one.
   * @param now Totals of the loader. @returns What the page got from prefetches.
   */
  settle(load: PageLoad | null, now: PrefetchTotals): WalkedPage['used'] {
    const before = this.#before;
    this.#before = now;
    const used = { resources: now.used - before.used, bytes: now.usedBytes - before.usedBytes };
    const last = this.pages.at(-1);
    if (last === undefined) return used;
    last.prefetch.bytes = now.bytes - before.bytes;
    last.prefetch.connections = now.connections - before.connections;
    // Prefetches that the page adopted in flight were never in the cache.
    const fromCache = this.#take(load);
    this.#count(last, used.bytes - fromCache);
    for (const page of this.pages) {
      page.prefetch.wastedBytes = page.prefetch.bytes - (this.#used.get(page) ?? 0);
      const wanted = page.load.bytes + page.used.bytes;
      page.addedTraffic = wanted === 0 ? null : page.prefetch.wastedBytes / wanted;
    }
    return used;
  }

  /** Only prefetches store with a note. */
  #note({ request, body, note }: Storable): void {
    const page = this.pages.at(-1);
    if (note === undefined || page === undefined) return;
    this.#brought.set(request.url, { bytes: body.length, page });
  }

  /** @returns Bytes that the page got from recorded prefetches. */
  #take(load: PageLoad | null): number {
    let bytes = 0;
    for (const { url, prefetched, fromCache } of load?.resources ?? []) {
      const brought = this.#brought.get(url);
      if (!prefetched || !fromCache || brought === undefined) continue;
      this.#brought.delete(url);
      this.#count(brought.page, brought.bytes);
      bytes += brought.bytes;
    }
    return bytes;
  }

  #count(page: WalkedPage, bytes: number): void {
    this.#used.set(page, (this.#used.get(page) ?? 0) + bytes);
  }
}
