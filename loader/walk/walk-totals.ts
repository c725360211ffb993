// Computes the cost of a page from its record, and the totals of a walk. The functions have no side effects.

import type { PageLoad, ResourceRecord } from '../page-load.ts';
import type { WalkedLoad, WalkedPage, WalkTotals } from './walk-record.ts';

/** @param connections Number of connections that no earlier page used. */
export function walkedLoad(
  { resources, totals, timing }: PageLoad,
  connections: number,
): WalkedLoad {
  // After redirects, the page is the last of its own rows.
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

/** Time during which at least one resource was in flight: requested, not complete and not failed, ms. */
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
