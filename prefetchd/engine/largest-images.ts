// The largest image of each page (Largest Contentful Paint), as browsers name it by the beacon. They find it late where
// a style sheet or a script names it, so a preload pays. Each address has one vote for a page, its latest, and only the
// latest votes count: a page that changes its image is followed, and one visitor is no more than that.
//
// Bounded, in memory: beacons tell it again after a restart.

import { LRUCache } from 'lru-cache';

export interface LargestImage {
  readonly url: string;
  /** Of the votes, 0..1. */
  readonly share: number;
}

interface Page {
  /** By address, the oldest first. */
  readonly votes: Map<string, string>;
  largest: LargestImage | null;
}

const mostPages = 2000;
const mostVotes = 16;

export class LargestImages {
  readonly #minClients: number;
  readonly #pages = new LRUCache<number, Page>({ max: mostPages });

  /** @param minClients k: distinct addresses that must have named an image */
  constructor(minClients: number) {
    this.#minClients = minClients;
  }

  /** @param page its hash */
  of(page: number): LargestImage | null {
    return this.#pages.get(page)?.largest ?? null;
  }

  named(page: number, address: string, url: string): void {
    const known = this.#pages.get(page) ?? { votes: new Map<string, string>(), largest: null };
    const { votes } = known;
    votes.delete(address);
    votes.set(address, url);
    if (votes.size > mostVotes) votes.delete(votes.keys().next().value as string);
    known.largest = this.#winnerOf(votes) ?? known.largest;
    this.#pages.set(page, known);
  }

  /** Forget all addresses, because pseudonyms change. */
  forgetClients(): void {
    for (const { votes } of this.#pages.values()) votes.clear();
  }

  /** Forget all pages. */
  clear(): void {
    this.#pages.clear();
  }

  #winnerOf(votes: ReadonlyMap<string, string>): LargestImage | null {
    const counts = new Map<string, number>();
    for (const url of votes.values()) counts.set(url, (counts.get(url) ?? 0) + 1);
    const [first] = [...counts].sort(([, one], [, other]) => other - one);
    if (first === undefined || first[1] < this.#minClients) return null;
    return { url: first[0], share: first[1] / votes.size };
  }
}
