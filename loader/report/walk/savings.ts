// Compares two walks over the same pages: what prefetching saved and what it cost. The functions have no side effects.

import type { WalkedPage, WalkPair, WalkRecord, WalkTotals } from '../../walk/walk-record.ts';

export interface WalkSavings {
  /** Fraction of the waiting time without prefetching that prefetching saved; negative if time was lost. */
  time: number | null;
  /** Additional body bytes as a fraction of the body bytes without prefetching; negative if there were fewer. */
  traffic: number | null;
}

/** Times below this count as 0, ms, because no fraction of them is meaningful. */
export const leastTimeMs = 0.001;

/** Compares two walks. Values are null if a walk is missing or if there is nothing to compare with. */
export function walkSavings(
  without: WalkTotals | undefined,
  with_: WalkTotals | undefined,
): WalkSavings {
  if (without === undefined || with_ === undefined) return { time: null, traffic: null };
  return {
    time: without.timeMs < leastTimeMs ? null : 1 - with_.timeMs / without.timeMs,
    traffic: without.trafficBytes === 0 ? null : with_.trafficBytes / without.trafficBytes - 1,
  };
}

export interface PairTotals {
  without: WalkTotals | undefined;
  with: WalkTotals | undefined;
  /** Pages excluded from the sums of times, because they did not load in every walk. */
  leftOut: number;
}

/**
 * Sums over all walks without and with prefetching; undefined if there are none. Times include only pages that loaded
 * in each walk of their pair, since other pages cannot be compared.
 */
export function pairTotals(pairs: readonly WalkPair[]): PairTotals {
  const each = pairs.map(comparedTotals);
  return {
    without: added(each.flatMap(({ without }) => without ?? [])),
    with: added(each.flatMap((totals) => totals.with ?? [])),
    leftOut: each.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}

function comparedTotals({ without, with: with_ }: WalkPair): PairTotals {
  const walks = [without, with_].filter((record) => record !== null);
  const length = Math.max(0, ...walks.map(({ pages }) => pages.length));
  const compared = Array.from({ length }, (_, index) => index).filter((index) =>
    walks.every(({ pages }) => pages[index]?.load.error === null),
  );
  const totalsOf = (record: WalkRecord | null): WalkTotals | undefined => {
    if (record === null) return undefined;
    const totals = { ...record.totals, timeMs: 0, networkMs: 0 };
    for (const index of compared) {
      const { timeMs, networkMs } = (record.pages[index] as WalkedPage).load;
      totals.timeMs += timeMs ?? 0;
      totals.networkMs += networkMs;
    }
    return totals;
  };
  return {
    without: totalsOf(without),
    with: totalsOf(with_),
    leftOut: length - compared.length,
  };
}

function added(list: readonly WalkTotals[]): WalkTotals | undefined {
  const [first, ...others] = list;
  if (first === undefined) return undefined;
  const totals = { ...first };
  for (const other of others) {
    for (const key of Object.keys(totals) as Array<keyof WalkTotals>) totals[key] += other[key];
  }
  const wanted = totals.trafficBytes - totals.wastedBytes;
  return { ...totals, addedTraffic: wanted === 0 ? 0 : totals.wastedBytes / wanted };
}
