// The latest page visits for the dashboard, without the visitors.

/** How a visit came about: `hinted`: it followed a hint; `prefetched`: the page was shown from a prefetch without a
 *  hint; `hit`: from a prefetch after a hint. */
export type VisitOutcome = 'none' | 'hinted' | 'prefetched' | 'hit';

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
