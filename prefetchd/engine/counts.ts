// What a prefetchd counts: accesses learned, and why the others were not; what else its numbers tell.

import type { AccessKind } from '../access.ts';
import type { DropReason } from '../rules/eligibility.ts';
import type { StoreHealth } from './graph-sync.ts';
import type { HintCounts } from './hint-history.ts';

/** Why an access was not learned: a rule of eligibility.ts, or */
export type NotLearned =
  | DropReason
  /** its URL is none, or too long */
  | 'malformed'
  /** it has a query string that may hold anything about anybody (normalise-url.ts) */
  | 'query'
  /** its address has had its share (fair-share.ts) */
  | 'repeat'
  | 'flood';

export interface PrefetchdStats {
  learned: { document: number; object: number };
  notLearned: Partial<Record<NotLearned, number>>;
  hints: HintCounts;
  nodes: number;
  arcs: number;
  /** Bytes of the graph's typed arrays. */
  graphBytes: number;
  store: StoreHealth;
  /** How busy the process is, 0..1. */
  load: number;
}

export class AccessCounts {
  readonly #learned = { document: 0, object: 0 };
  readonly #notLearned: Partial<Record<NotLearned, number>> = {};

  learned(kind: AccessKind): void {
    this.#learned[kind]++;
  }

  /** @returns the reason */
  notLearned<Reason extends NotLearned>(reason: Reason): Reason {
    this.#notLearned[reason] = (this.#notLearned[reason] ?? 0) + 1;
    return reason;
  }

  /** A copy. */
  sums(): Pick<PrefetchdStats, 'learned' | 'notLearned'> {
    return { learned: { ...this.#learned }, notLearned: { ...this.#notLearned } };
  }
}
