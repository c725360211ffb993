// Costs and benefits of prefetches, per page of a walk (several pages loaded one after another). Connections and bytes
// (as received) count for the page on which the visitor stayed when they were requested. Bytes that no later page used
// are wasted, which is final when the walk is over. The functions compute what a page and a walk cost.
//
// Invariant: for each page, bytes minus used bytes equals `wastedBytes`, which is not negative.

import type { HttpCache, Storable } from '../cache/http-cache.ts';
import type { PageLoad, ResourceRecord } from '../page-load.ts';
import { noPrefetches, type PrefetchTotals } from '../prefetch/storage.ts';
import type { WalkedLoad, WalkedPage, WalkTotals } from './walk-record.ts';

interface Brought {
  bytes: number;
  /** The page on which the visitor stayed while the response was prefetched. */
  page: WalkedPage;
}

export class WalkCosts {
  readonly pages: WalkedPage[] = [];
  /** For each page, when the visitor's stay on it began, ms since the epoch. */
  readonly #beganAtMs: number[] = [];
  /** Prefetched responses that no page has used yet, by URL. */
  readonly #brought = new Map<string, Brought>();
  /** For each page, how many bytes of what was prefetched during the stay on it were used by later pages. */
  readonly #used = new Map<WalkedPage, number>();
  #before: PrefetchTotals = noPrefetches;

  /** Returns a proxy of `cache` that also records the prefetched responses that are stored in it. */
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

  /** Adds a page that has loaded, and on which the visitor now stays. */
  add(page: WalkedPage): void {
    this.pages.push(page);
    this.#beganAtMs.push(performance.timeOrigin + performance.now());
  }

  /**
   * Counts, for the last page added, what was prefetched since the previous call, and what `load` used of all
   * prefetches. Called when a page has loaded or, with null, when the walk is over.
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
      // A prefetched response that the page took over in flight was not in the cache, so `#brought` does not have it.
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

  /** Records a response that is being stored in the cache, if a prefetch brought it. */
  #note({ request, response, receivedBytes }: Storable): void {
    const index = this.#beganAtMs.findLastIndex((beganAtMs) => beganAtMs <= response.requestedAtMs);
    const page = this.pages[Math.max(index, 0)];
    if (receivedBytes === undefined || page === undefined) return;
    this.#brought.set(request.url, { bytes: receivedBytes, page });
  }

  /** Returns size and page of a URL's prefetched response, and forgets it; 0 bytes: the prefetch got only a 304. */
  #claim(url: string, last: WalkedPage): Brought {
    const brought = this.#brought.get(url);
    this.#brought.delete(url);
    return brought ?? { bytes: 0, page: last };
  }
}

/** Returns what a page of a walk cost. @param connections Number of connections that no earlier page used. */
export function walkedLoad(
  { resources, totals, timing }: PageLoad,
  connections: number,
): WalkedLoad {
  // A redirected page has a record for each redirect, too; the last of these records is that of the page shown.
  const document = resources.findLast(
    ({ initiator, purpose }) => initiator === null && purpose === 'use',
  );
  const ofPage = resources.filter(({ prefetched }) => !prefetched);
  return {
    timeMs: timing.completeMs,
    networkMs: networkMs(resources),
    requests: totals.requests,
    bytes: sum(ofPage, ({ encodedBytes }) => encodedBytes) + totals.unusedPartBytes,
    hits: resources.filter(
      ({ fromCache, attempts, partOf }) => fromCache && attempts === 0 && partOf === null,
    ).length,
    notModified: totals.notModified,
    errors: totals.errors,
    connections,
    error: document?.error ?? null,
  };
}

export function walkTotals(pages: readonly WalkedPage[]): WalkTotals {
  const ofLoads = (value: (load: WalkedLoad) => number) => sum(pages, ({ load }) => value(load));
  // Times of failed pages do not count, whether they failed early or late.
  const loaded = pages.filter(({ load }) => load.error === null);
  const prefetchBytes = sum(pages, ({ prefetch }) => prefetch.bytes);
  const usedBytes = sum(pages, ({ used }) => used.bytes);
  const wastedBytes = prefetchBytes - usedBytes;
  const trafficBytes = ofLoads(({ bytes }) => bytes) + prefetchBytes;
  const wantedBytes = trafficBytes - wastedBytes;
  return {
    pages: pages.length,
    failed: pages.length - loaded.length,
    timeMs: sum(loaded, ({ load }) => load.timeMs ?? 0),
    networkMs: sum(loaded, ({ load }) => load.networkMs),
    requests: ofLoads(({ requests }) => requests),
    hits: ofLoads(({ hits }) => hits),
    notModified: ofLoads(({ notModified }) => notModified),
    errors: ofLoads(({ errors }) => errors),
    prefetchRequests: sum(pages, ({ prefetch }) => prefetch.requests),
    prefetchBytes,
    usedBytes,
    wastedBytes,
    trafficBytes,
    addedTraffic: wantedBytes === 0 ? 0 : wastedBytes / wantedBytes,
    connections: sum(pages, ({ load, prefetch }) => load.connections + prefetch.connections),
  };
}

/** Returns the time during which at least one resource was in flight: requested, not complete and not failed, ms. */
function networkMs(resources: readonly ResourceRecord[]): number {
  const spans = resources
    .filter(({ purpose, attempts, prefetched, fromCache, partOf }) => {
      const isWaitedFor = purpose === 'use' || purpose === 'rest';
      const isRequested = attempts > 0 || partOf !== null;
      return isWaitedFor && (isRequested || (prefetched && !fromCache));
    })
    .map(({ startMs, responseEndMs }) => ({ startMs, endMs: responseEndMs ?? startMs }))
    .toSorted((a, b) => a.startMs - b.startMs);
  let total = 0;
  let untilMs = 0;
  for (const { startMs, endMs } of spans) {
    total += Math.max(0, endMs - Math.max(startMs, untilMs));
    untilMs = Math.max(untilMs, endMs);
  }
  return total;
}

function sum<T>(list: readonly T[], value: (each: T) => number): number {
  return list.reduce((total, each) => total + value(each), 0);
}
