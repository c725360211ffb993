// What browsers say of themselves: whose pages say when they are shown, by the beacon or by asking for speculation rules;
// which pages have the beacon; and which image is the largest of a page. Bounded, in memory.

import { LRUCache } from 'lru-cache';
import { textHash } from '../model/tables/texts.ts';
import type { Hint } from '../wire/index.ts';
import { type LargestImage, LargestImages } from './largest-images.ts';

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
  /** Pages with the beacon. */
  readonly #telling: LRUCache<number, true>;
  readonly #largest: LargestImages;

  constructor({ maxClients, maxNodes, minClients }: BrowserSignsOptions) {
    this.#tellers = new LRUCache({ max: maxClients });
    this.#rulesReaders = new LRUCache({ max: maxClients });
    this.#telling = new LRUCache({ max: maxNodes });
    this.#largest = new LargestImages(minClients);
  }

  /** A beacon from a page. @returns true if it is the client's first */
  beacon(client: string, page: number): boolean {
    const isFirst = !this.#tellers.has(client);
    this.#tellers.set(client, true);
    this.#telling.set(page, true);
    return isFirst;
  }

  readsRules(client: string): void {
    this.#rulesReaders.set(client, true);
  }

  sendsBeacons(client: string): boolean {
    return this.#tellers.has(client);
  }

  /** True if the client will tell when it shows a page that it prefetches. */
  tells(client: string, isByRules: boolean): boolean {
    return this.#tellers.has(client) || (isByRules && this.#rulesReaders.has(client));
  }

  /** Marks the pages that have the beacon. */
  markBeacons(hints: readonly Hint[]): void {
    if (this.#telling.size === 0) return;
    for (const hint of hints) {
      if (hint.kind === 'document' && this.#telling.has(textHash(hint.url))) hint.hasBeacon = true;
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
    this.#largest.forgetClients();
  }

  /** Forget all URLs. */
  forgetUrls(): void {
    this.#telling.clear();
    this.#largest.clear();
  }
}
