// What browsers say of themselves: whose pages say when they are shown, by the beacon or by asking for speculation
// rules; who sends Referers; which pages have the beacon; and which image is the largest of a page. Bounded, in memory.

import { LRUCache } from 'lru-cache';
import { textHash } from '../model/tables/texts.ts';
import type { Hint } from '../wire/index.ts';
import { type LargestImage, LargestImages } from './largest-images.ts';
import type { Pseudonym } from './pseudonyms.ts';

export interface BrowserSignsOptions {
  maxClients: number;
  maxNodes: number;
  minClients: number;
}

export class BrowserSigns {
  /** Clients who sent beacons. */
  readonly #tellers: LRUCache<string, true>;
  /** Clients that ask for the speculation rules of a page when they show it. */
  readonly #rulesReaders: LRUCache<string, true>;
  /** Clients whose browsers sent a Referer of the site. */
  readonly #referring: LRUCache<string, true>;
  /** Pages with the beacon: the addresses that said so, or `known` once there are k. */
  readonly #telling: LRUCache<number, Set<string> | 'known'>;
  readonly #largest: LargestImages;
  readonly #minClients: number;

  constructor({ maxClients, maxNodes, minClients }: BrowserSignsOptions) {
    this.#minClients = minClients;
    this.#tellers = new LRUCache({ max: maxClients });
    this.#rulesReaders = new LRUCache({ max: maxClients });
    this.#referring = new LRUCache({ max: maxClients });
    this.#telling = new LRUCache({ max: maxNodes });
    this.#largest = new LargestImages(minClients);
  }

  /** A beacon from a page. @returns true if it is the client's first */
  beacon({ client, address }: Pseudonym, page: number): boolean {
    const isFirst = !this.#tellers.has(client);
    this.#tellers.set(client, true);
    const told = this.#telling.get(page) ?? new Set();
    if (told !== 'known') {
      told.add(address);
      this.#telling.set(page, told.size >= this.#minClients ? 'known' : told);
    }
    return isFirst;
  }

  readsRules(client: string): void {
    this.#rulesReaders.set(client, true);
  }

  sentReferer(client: string): void {
    this.#referring.set(client, true);
  }

  /** True if the client's browser sends Referers to the site, so a page without one was opened from elsewhere. */
  sendsReferers(client: string): boolean {
    return this.#referring.has(client);
  }

  sendsBeacons(client: string): boolean {
    return this.#tellers.has(client);
  }

  /** True if the client will tell when it shows a page that it prefetches. */
  tells(client: string, page: number, isByRules: boolean): boolean {
    const isReader = isByRules && this.#rulesReaders.has(client);
    return isReader || (this.#tellers.has(client) && this.#hasBeacon(page));
  }

  #hasBeacon(page: number): boolean {
    return this.#telling.get(page) === 'known';
  }

  /** Marks the pages that have the beacon. */
  markBeacons(hints: readonly Hint[]): void {
    if (this.#telling.size === 0) return;
    for (const hint of hints) {
      if (hint.kind === 'document' && this.#hasBeacon(textHash(hint.url))) hint.hasBeacon = true;
    }
  }

  /** The client at an address says which image is the largest of a page. */
  largest(page: number, address: string, url: string): void {
    this.#largest.named(page, address, url);
  }

  largestOf(page: number): LargestImage | null {
    return this.#largest.of(page);
  }

  /** Forget all clients, because pseudonyms change. */
  forgetClients(): void {
    this.#tellers.clear();
    this.#rulesReaders.clear();
    this.#referring.clear();
    this.#largest.forgetClients();
    for (const [page, told] of this.#telling) if (told !== 'known') this.#telling.delete(page);
  }

  /** Forget all URLs. */
  forgetUrls(): void {
    this.#telling.clear();
    this.#largest.clear();
  }
}
