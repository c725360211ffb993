// The output of `browse --json`: the recorded walks, and what prefetching saved and cost. Times are ms, rounded to
// 0.001.

import type { WalkPair, WalkTotals } from '../../walk/walk-record.ts';
import { roundMs } from '../units.ts';
import { pairTotals, type WalkSavings, walkSavings } from './savings.ts';

export interface WalkJson {
  /** Savings over all walks. */
  saved: WalkSavings;
  /** Sums over all walks without and with prefetching. Times leave out the `leftOut` pages that failed in a walk. */
  totals: { without: WalkTotals | null; with: WalkTotals | null; leftOut: number };
  walks: Array<WalkPair & { saved: WalkSavings }>;
}

export function toWalkJson(pairs: readonly WalkPair[]): WalkJson {
  const { without, with: with_, leftOut } = pairTotals(pairs);
  return {
    saved: walkSavings(without, with_),
    totals: { without: rounded(without ?? null), with: rounded(with_ ?? null), leftOut },
    walks: pairs.map((pair) => {
      const totals = pairTotals([pair]);
      return {
        name: pair.name,
        saved: walkSavings(totals.without, totals.with),
        without: rounded(pair.without),
        with: rounded(pair.with),
      };
    }),
  };
}

function rounded<T>(record: T): T {
  return JSON.parse(JSON.stringify(record), (key, value) =>
    key.endsWith('Ms') && typeof value === 'number' ? roundMs(value) : value,
  );
}
