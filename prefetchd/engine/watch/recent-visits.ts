// The latest page visits for the dashboard: URL, as its hash, and time; never by whom.

/** How a visit came about: `hinted`: as a hint said; `prefetched`: shown from a prefetch that was not hinted; `hit`:
 *  from one that was. */
export type Outcome = 'none' | 'hinted' | 'prefetched' | 'hit';

export interface RecentVisit {
  /** textHash of the URL. */
  hash: number;
  timeMs: number;
  outcome: Outcome;
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
