// What `browse --json` prints: the walks as recorded, and what prefetching saved and cost. Times are ms,
// rounded to 0.001.

import type { WalkPair, WalkRecord } from '../walk-record.ts';
import { roundMs } from './units.ts';
import { pairTotals, type WalkSavings, walkSavings } from './walk-savings.ts';

export interface WalkJson {
  /** Over all walks. */
  saved: WalkSavings;
  walks: Array<WalkPair & { saved: WalkSavings }>;
}

export function toWalkJson(pairs: readonly WalkPair[]): WalkJson {
  const totals = pairTotals(pairs);
  return {
    saved: walkSavings(totals.without, totals.with),
    walks: pairs.map((pair) => ({
      name: pair.name,
      saved: walkSavings(pair.without?.totals, pair.with?.totals),
      without: pair.without && rounded(pair.without),
      with: pair.with && rounded(pair.with),
    })),
  };
}

function rounded(record: WalkRecord): WalkRecord {
  return JSON.parse(JSON.stringify(record), (key, value) =>
    key.endsWith('Ms') && typeof value === 'number' ? roundMs(value) : value,
  );
}
