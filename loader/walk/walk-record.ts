// The record of a walk: page after page, with the time between them, and what prefetching did meanwhile.
// Plain data, no methods. Bytes are those of bodies as they came, header sections left out; each byte is
// counted once: what a prefetch brought under `prefetch`, all else under the page that asked for it.

import type { ResourceError } from '../page-load.ts';

/** What one page of a walk cost. */
export interface WalkedLoad {
  /** `timing.completeMs`: how long the page took; null when it did not come. */
  timeMs: number | null;
  /** Of that, how long anything of it was under way on the network, ms: 0 when all came from the cache. */
  networkMs: number;
  /** Requests put on the wire for the page. */
  requests: number;
  /** Bodies they brought; without what a prefetch under way brought to the page. */
  bytes: number;
  /** Resources answered out of the cache, nothing asked. */
  hits: number;
  /** Resources found good by a 304. */
  notModified: number;
  /** Resources that failed. */
  errors: number;
  /** Connections that it used and no page before it did. */
  connections: number;
  /** Why the page itself did not load; null: it did. */
  error: ResourceError | null;
}

export interface WalkedPage {
  url: string;
  /** When it began, ms from the start of the walk. */
  startedAtMs: number;
  /** How long the visitor stayed before the next page, ms; the last page: until nothing was under way. */
  thinkMs: number;
  load: WalkedLoad;
  prefetch: WalkedPrefetch;
  /** What this page had from prefetches, each resource counted once in a walk. */
  used: { resources: number; bytes: number };
  /** `prefetch.wastedBytes` over the bytes that this page needed, prefetched or not; null where it needed none. */
  addedTraffic: number | null;
}

/** What was prefetched while the visitor stayed on a page. */
interface WalkedPrefetch {
  requests: number;
  bytes: number;
  /** Of these, what no page used; known when the walk is over. */
  wastedBytes: number;
  /** Connections opened for it. */
  connections: number;
  /** Until nothing was under way, or the next page began, ms. */
  timeMs: number;
}

export interface WalkTotals {
  pages: number;
  /** Pages that did not load. */
  failed: number;
  /** Sum of the times of all pages that loaded: what the visitor waited. */
  timeMs: number;
  /** Of pages that loaded, too. */
  networkMs: number;
  requests: number;
  hits: number;
  notModified: number;
  errors: number;
  prefetchRequests: number;
  prefetchBytes: number;
  /** Prefetched and then used by a page. */
  usedBytes: number;
  /** Prefetched in vain. */
  wastedBytes: number;
  /** All bodies that came. */
  trafficBytes: number;
  /** `wastedBytes` over the rest of `trafficBytes`; 0.4: 40 % more than was wanted. */
  addedTraffic: number;
  /** Connections used, those of prefetches included. */
  connections: number;
}

export interface WalkRecord {
  /** Hints were followed. */
  prefetched: boolean;
  /** Wall clock at the start, ms since the epoch. */
  startedAtMs: number;
  pages: WalkedPage[];
  totals: WalkTotals;
  /** Which bound ended the walk before its last page; null: none did. */
  endedBy: 'maxPages' | 'maxTimeMs' | null;
}

/** The same pages walked without prefetching and with it, each with an empty cache at the start. */
export interface WalkPair {
  /** Whose path it is; empty: there is one only. */
  name: string;
  without: WalkRecord | null;
  with: WalkRecord | null;
}
