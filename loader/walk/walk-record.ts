// The record of a walk: its pages, the time between them, and the prefetches during that time. It is plain data without
// methods. Bytes are those of bodies as received, without header sections. Each byte is counted once: under `prefetch`
// if a prefetch received it, else under the page that requested it.

import type { ResourceError } from '../page-load.ts';

/** What the load of one page cost in a walk, which loads several pages one after the other. */
export interface WalkedLoad {
  /** Load time of the page (`timing.completeMs`), ms; null if it did not load. */
  timeMs: number | null;
  /** The part of `timeMs` with network activity for the page, ms: 0 if everything came from the cache. */
  networkMs: number;
  /** Number of requests sent for the page. */
  requests: number;
  /** Length of the page's response bodies, bytes, without those of prefetches that the page took over in flight. */
  bytes: number;
  /** Number of resources answered from the cache without a request. */
  hits: number;
  /** Number of resources confirmed by a 304. */
  notModified: number;
  /** Number of resources that failed. */
  errors: number;
  /** Number of connections that no earlier page used. */
  connections: number;
  /** Reason why the page itself did not load; null: it did. */
  error: ResourceError | null;
}

export interface WalkedPage {
  url: string;
  /** Time when the page began to load, ms since the start of the walk. */
  startedAtMs: number;
  /** How long the visitor stayed on the page, ms; on the last page only as long as something was in flight. */
  thinkMs: number;
  load: WalkedLoad;
  prefetch: WalkedPrefetch;
  /** Resources of this page that had been prefetched; in a walk each counts once, on the first page that uses it. */
  used: { resources: number; bytes: number };
  /**
   * `prefetch.wastedBytes` divided by the bytes that this page needed, prefetched or not; null if it needed none.
   */
  addedTraffic: number | null;
}

/** What was prefetched while the visitor stayed on one page of the walk. */
interface WalkedPrefetch {
  requests: number;
  bytes: number;
  /** The part of `bytes` that no page used; final when the walk is over. */
  wastedBytes: number;
  /** Number of connections opened for prefetches. */
  connections: number;
  /** Time from the page's load until no prefetch was in flight or the next page began, ms; 0 without prefetches. */
  timeMs: number;
}

export interface WalkTotals {
  pages: number;
  /** Number of pages that did not load. */
  failed: number;
  /** Total load time of all pages that loaded, during which the visitor waited, ms. */
  timeMs: number;
  /** Total time with network activity (`networkMs`) of all pages that loaded, ms. */
  networkMs: number;
  requests: number;
  hits: number;
  notModified: number;
  errors: number;
  prefetchRequests: number;
  prefetchBytes: number;
  /** Length of the bodies that were prefetched and then used by a page, bytes. */
  usedBytes: number;
  /** Length of the bodies that were prefetched and never used, bytes. */
  wastedBytes: number;
  /** Length of all bodies received during the walk, bytes. */
  trafficBytes: number;
  /** `wastedBytes` divided by (`trafficBytes` - `wastedBytes`); 0.4 means 40 % more bytes than needed. */
  addedTraffic: number;
  /** Number of connections used during the walk, including those of prefetches. */
  connections: number;
}

export interface WalkRecord {
  /** Whether the loader followed prefetch hints. */
  prefetched: boolean;
  /** Wall clock at the start of the walk, ms since the epoch. */
  startedAtMs: number;
  pages: WalkedPage[];
  totals: WalkTotals;
  /** The limit that ended the walk before its last page; null: it reached its last page. */
  endedBy: 'maxPages' | null;
}

/** The same pages, visited once without and once with prefetching, each time beginning with an empty cache. */
export interface WalkPair {
  /** Name of the client (of an access log) whose visit is repeated; empty if the pages are not from a log. */
  name: string;
  without: WalkRecord | null;
  with: WalkRecord | null;
}
