// Two walks over the same pages held against each other: what prefetching saved, and what it cost. Pure.

import type { WalkPair, WalkRecord, WalkTotals } from '../walk-record.ts';

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
}

/** All walks of a kind as if they were one; undefined where there is none. */
export function pairTotals(pairs: readonly WalkPair[]): PairTotals {
  return {
    without: added(pairs.flatMap(({ without }) => without ?? [])),
    with: added(pairs.flatMap((pair) => pair.with ?? [])),
  };
}

function added(records: readonly WalkRecord[]): WalkTotals | undefined {
  const [first, ...others] = records;
  if (first === undefined) return undefined;
  const totals = { ...first.totals };
  for (const record of others) {
    for (const key of Object.keys(totals) as Array<keyof WalkTotals>) {
      totals[key] += record.totals[key];
    }
  }
  const wanted = totals.trafficBytes - totals.wastedBytes;
  return { ...totals, addedTraffic: wanted === 0 ? 0 : totals.wastedBytes / wanted };
}
