// The latest page visits for the dashboard, without the visitors.

import type { VisitOutcome } from '../visitors.ts';

export interface RecentVisit {
  /** It may belong to a single person (shown-urls.ts). */
  url: string;
  timeMs: number;
  outcome: VisitOutcome;
}

const mostVisits = 40;

export class RecentVisits {
  /** Oldest first. */
  #visits: RecentVisit[] = [];

  add(visit: RecentVisit): void {
    if (this.#visits.push(visit) >= 2 * mostVisits) this.#visits = this.#visits.slice(-mostVisits);
  }

  /** Latest first. */
  latest(): RecentVisit[] {
    return this.#visits.slice(-mostVisits).reverse();
  }

  clear(): void {
    this.#visits = [];
  }
}
