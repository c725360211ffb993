// What a page of a walk cost, out of its record, and the sums over a walk. Pure.

import type { PageLoad, ResourceRecord } from './page-load.ts';
import type { WalkedLoad, WalkedPage, WalkTotals } from './walk-record.ts';

export function walkedLoad({ resources, totals, timing }: PageLoad): WalkedLoad {
  // The page is where its redirects led: the last row of the page itself.
  const document = resources.findLast(
    ({ initiator, purpose }) => initiator === null && purpose === 'use',
  );
  const ofPage = resources.filter(({ prefetched }) => !prefetched);
  return {
    timeMs: timing.completeMs,
    networkMs: networkMs(resources),
    requests: totals.requests,
    bytes: sum(ofPage, ({ encodedBytes }) => encodedBytes),
    hits: resources.filter(({ fromCache, attempts }) => fromCache && attempts === 0).length,
    notModified: totals.notModified,
    errors: totals.errors,
    error: document?.error ?? null,
  };
}

/** @param connections used in the walk. */
export function walkTotals(pages: readonly WalkedPage[], connections: number): WalkTotals {
  const ofLoads = (value: (load: WalkedLoad) => number) => sum(pages, ({ load }) => value(load));
  const prefetchBytes = sum(pages, ({ prefetch }) => prefetch.bytes);
  const usedBytes = sum(pages, ({ used }) => used.bytes);
  const wastedBytes = prefetchBytes - usedBytes;
  const trafficBytes = ofLoads(({ bytes }) => bytes) + prefetchBytes;
  const wantedBytes = trafficBytes - wastedBytes;
  return {
    pages: pages.length,
    failed: pages.filter(({ load }) => load.error !== null).length,
    timeMs: ofLoads(({ timeMs }) => timeMs ?? 0),
    networkMs: ofLoads(({ networkMs }) => networkMs),
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
    connections,
  };
}

/** How long at least one of them was under way: asked for, and neither there nor failed. */
function networkMs(resources: readonly ResourceRecord[]): number {
  const spans = resources
    .filter(({ purpose, attempts, prefetched, fromCache }) => {
      const isWaitedFor = purpose === 'use' || purpose === 'rest';
      return isWaitedFor && (attempts > 0 || (prefetched && !fromCache));
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
