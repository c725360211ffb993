// Defines the statistics of a prefetchd: accesses learned, why others were not, and what became of hints.

import type { DropReason } from '../rules/eligibility.ts';
import type { StoreHealth } from './graph-sync.ts';
import type { HintCounts } from './hint-history.ts';

/** Why an access was not learned: a reason of eligibility.ts, or one that only the engine finds. */
export type NotLearned =
  | DropReason
  /** The URL is invalid or too long. */
  | 'malformed'
  /** The query may contain personal data (normalise-url.ts). */
  | 'query'
  /** A browser reported that it shows a page, which is no request. If no request for that visit was seen, the report is
   *  learned as a visit, too. */
  | 'shown'
  /** The option `trial` admits only clients on this machine, and the client is on another one (trial.ts). */
  | 'trial'
  /** The address has reached its limit of accesses to this page, or of all accesses, in a day (fair-share.ts). */
  | 'repeat'
  | 'flood'
  /** The client opened pages but fetched nothing that they embed (visitors.ts). */
  | 'unproven';

/** What visitors gained by hints to pages; hints to objects are not counted. */
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
