// The output of `browse --json`: the recorded walks, and what prefetching saved and cost, by comparing walks over the
// same pages. Times are ms, rounded to 0.001.

import type { WalkedPage, WalkPair, WalkRecord, WalkTotals } from '../walk/walk-record.ts';
import { roundTimes } from './units.ts';

export interface WalkSavings {
  /** Fraction (1 is all) of the waiting time without prefetching that prefetching saved; negative if time was lost. */
  time: number | null;
  /** Additional body bytes as a fraction of the body bytes without prefetching; negative if there were fewer. */
  traffic: number | null;
}

export interface WalkJson {
  /** What prefetching saved, over all walks (visits of several pages in turn) together. */
  saved: WalkSavings;
  /** Sums over all walks without and with prefetching; times without the `leftOut` pages that failed in some walk. */
  totals: PairTotals;
  walks: Array<WalkPair & { saved: WalkSavings }>;
}

export function toWalkJson(pairs: readonly WalkPair[]): WalkJson {
  const totals = pairTotals(pairs);
  return {
    saved: walkSavings(totals),
    totals: roundTimes(totals),
    walks: pairs.map((pair) => ({
      name: pair.name,
      saved: walkSavings(pairTotals([pair])),
      without: roundTimes(pair.without),
      with: roundTimes(pair.with),
    })),
  };
}

/** Times below this number of ms count as 0, because no fraction of them is meaningful. */
export const leastTimeMs = 0.001;

/** Computes what prefetching saved; null where there are no totals with or without it, or the total without it is 0. */
export function walkSavings({ without, with: with_ }: PairTotals): WalkSavings {
  if (without === null || with_ === null) return { time: null, traffic: null };
  return {
    time: without.timeMs < leastTimeMs ? null : 1 - with_.timeMs / without.timeMs,
    traffic: without.trafficBytes === 0 ? null : with_.trafficBytes / without.trafficBytes - 1,
  };
}

export interface PairTotals {
  without: WalkTotals | null;
  with: WalkTotals | null;
  /** Pages excluded from the sums of times, because they failed in the walk with or without prefetching. */
  leftOut: number;
}

/**
 * Sums over all walks (visits of several pages in turn) without prefetching, and over all with it; null if there are
 * none. Times include only pages that loaded both without and with it, since other pages cannot be compared.
 */
export function pairTotals(pairs: readonly WalkPair[]): PairTotals {
  const each = pairs.map(comparedTotals);
  return {
    without: added(each.map(({ without }) => without)),
    with: added(each.map((totals) => totals.with)),
    leftOut: each.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}

function comparedTotals({ without, with: with_ }: WalkPair): PairTotals {
  const walks = [without, with_].filter((record) => record !== null);
  const length = Math.max(0, ...walks.map(({ pages }) => pages.length));
  const compared = Array.from({ length }, (_, index) => index).filter((index) =>
    walks.every(({ pages }) => pages[index]?.load.error === null),
  );
  const totalsOf = (record: WalkRecord | null): WalkTotals | null => {
    if (record === null) return null;
    const totals = { ...record.totals, timeMs: 0, networkMs: 0 };
    for (const index of compared) {
      const { timeMs, networkMs } = (record.pages[index] as WalkedPage).load;
      totals.timeMs += timeMs ?? 0;
      totals.networkMs += networkMs;
    }
    return totals;
  };
  return { without: totalsOf(without), with: totalsOf(with_), leftOut: length - compared.length };
}

function added(walks: readonly (WalkTotals | null)[]): WalkTotals | null {
  const [first, ...others] = walks.filter((totals) => totals !== null);
  if (first === undefined) return null;
  const totals = { ...first };
  for (const other of others) {
    for (const key of Object.keys(totals) as Array<keyof WalkTotals>) totals[key] += other[key];
  }
  const wanted = totals.trafficBytes - totals.wastedBytes;
  return { ...totals, addedTraffic: wanted === 0 ? 0 : totals.wastedBytes / wanted };
}
