// Counters of a prefetchd: accesses learned, why others were not, and the other statistics.

import type { AccessKind } from '../access.ts';
import type { DropReason } from '../rules/eligibility.ts';
import type { StoreHealth } from './graph-sync.ts';
import type { HintCounts } from './hint-history.ts';

/** Why an access was not learned: a rule of eligibility.ts, or one of the reasons below. */
export type NotLearned =
  | DropReason
  /** The URL is invalid or too long. */
  | 'malformed'
  /** The query may contain personal data (normalise-url.ts). */
  | 'query'
  /** A browser reported that it shows a page, which is no request. If no request for that visit was seen, the report is
   *  learned as a visit, too. */
  | 'shown'
  /** The option `trial` is set for this machine alone, and the client is on another (trial.ts). */
  | 'trial'
  /** The address has reached its limit for this page, or for all accesses of a day (fair-share.ts). */
  | 'repeat'
  | 'flood'
  /** The client opened pages but fetched nothing that they embed (visitors.ts). */
  | 'unproven';

/** What visitors gained by hints, counted for pages alone. */
export interface PageCounts {
  /** Number of pages opened from another page of the site. */
  clicks: number;
  /** Number of pages that browsers fetched ahead. */
  fetched: number;
  /** Number of fetched pages that were opened: clicks that needed no request. */
  used: number;
  /** How much less visitors waited at the clicks in `used`, ms; null: beacons measured too little to tell. */
  savedMs: number | null;
}

export interface PrefetchdStats {
  learned: { document: number; object: number };
  notLearned: Partial<Record<NotLearned, number>>;
  hints: HintCounts;
  pages: PageCounts;
  nodes: number;
  arcs: number;
  store: StoreHealth;
  /** How busy the process is, 0..1. */
  load: number;
}

export class AccessCounts {
  readonly pages = { clicks: 0, fetched: 0, used: 0 };
  readonly #learned = { document: 0, object: 0 };
  readonly #notLearned: Partial<Record<NotLearned, number>> = {};

  learned(kind: AccessKind): void {
    this.#learned[kind]++;
  }

  /** Counts accesses that were not learned for a reason. @returns the reason */
  notLearned<Reason extends NotLearned>(reason: Reason, count = 1): Reason {
    this.#notLearned[reason] = (this.#notLearned[reason] ?? 0) + count;
    return reason;
  }

  /** Returns a copy of the counts of accesses. */
  sums(): Pick<PrefetchdStats, 'learned' | 'notLearned'> {
    return { learned: { ...this.#learned }, notLearned: { ...this.#notLearned } };
  }
}
