// Two walks over the same pages held against each other: what prefetching saved, and what it cost. Pure.

import type { WalkedPage, WalkPair, WalkRecord, WalkTotals } from '../../walk/walk-record.ts';

export interface WalkSavings {
  /** Of the time waited without prefetching, the share that prefetching saved; below 0 it lost time. */
  time: number | null;
  /** Bytes of bodies more than without prefetching, as a share; below 0 there were fewer. */
  traffic: number | null;
}

/** A shorter time is none, ms: nothing can be a share of it. */
export const leastTimeMs = 0.001;

/** null where a walk is missing, or there is nothing to compare with. */
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
  /** Pages that are in no sum of times, since they did not load in each walk there is. */
  leftOut: number;
}

/**
 * All walks of a kind as if they were one; undefined where there is none. Times are those of pages that loaded in
 * each walk of their pair: others cannot be compared.
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
