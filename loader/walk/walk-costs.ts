// What prefetches cost and brought, page by page of a walk: bytes and connections belong to the page behind which
// they were asked for, and what a later page used is taken from there. What is left is wasted, known for sure when
// the walk is over.
//
// Invariant: over all pages, bytes less what was used is `wastedBytes`.

import type { HttpCache, Storable } from '../cache/http-cache.ts';
import type { PageLoad } from '../page-load.ts';
import { noPrefetches, type PrefetchTotals } from '../prefetch/prefetch-totals.ts';
import type { WalkedPage } from './walk-record.ts';

interface Brought {
  bytes: number;
  /** Behind which page. */
  page: WalkedPage;
}

export class WalkCosts {
  readonly pages: WalkedPage[] = [];
  /** What waits for its first use, by URL. */
  readonly #brought = new Map<string, Brought>();
  /** Of each page's prefetches, what was used. */
  readonly #used = new Map<WalkedPage, number>();
  #before: PrefetchTotals = noPrefetches;

  /** `cache`, to be used in its place: what prefetches store in it is noted. */
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
   * A page is there, or the walk is over (null): what came since the page before is of prefetches behind that one.
   * @param now of the loader. @returns what the page had from prefetches.
   */
  settle(load: PageLoad | null, now: PrefetchTotals): WalkedPage['used'] {
    const before = this.#before;
    this.#before = now;
    const used = { resources: now.used - before.used, bytes: now.usedBytes - before.usedBytes };
    const last = this.pages.at(-1);
    if (last === undefined) return used;
    last.prefetch.bytes = now.bytes - before.bytes;
    last.prefetch.connections = now.connections - before.connections;
    // What was still under way when the page took it over never was in the cache.
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

  /** @returns bytes that the page had from what was noted. */
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
