// Facts that browsers reveal: whose pages report when they are shown, by the beacon or by requests for speculation
// rules; who sends Referers; which pages have the beacon; and the largest image of a page. In memory, bounded.

import { LRUCache } from 'lru-cache';
import type { Access } from '../access.ts';
import type { Notice } from '../notice.ts';
import { textHash } from '../text-hash.ts';
import type { Hint } from '../wire/index.ts';
import type { Pseudonym } from './pseudonyms.ts';
import { originIn } from './sites.ts';

export interface BrowserSignsOptions {
  maxClients: number;
  maxNodes: number;
  minClients: number;
}

export class BrowserSigns {
  /** Clients who sent beacons. */
  readonly #tellers: LRUCache<string, true>;
  /** Clients that request the speculation rules of a page when they show it. */
  readonly #rulesReaders: LRUCache<string, true>;
  /** Clients whose browsers sent a Referer of the site. */
  readonly #referring: LRUCache<string, true>;
  /** Pages with the beacon: the addresses that sent it, or `known` once there are k. */
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

  /** Notes a beacon from a page. @returns true if it is the client's first */
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

  /** True if the client will report when it shows a page that it prefetches. */
  reportsShown(client: string, page: number, isByRules: boolean): boolean {
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

  /** Notes that the client at an address named the largest image of a page. */
  largest(page: number, address: string, url: string): void {
    this.#largest.named(page, address, url);
  }

  largestOf(page: number): LargestImage | null {
    return this.#largest.of(page);
  }

  /** Forgets all clients, because pseudonyms change. */
  forgetClients(): void {
    this.#tellers.clear();
    this.#rulesReaders.clear();
    this.#referring.clear();
    this.#largest.forgetClients();
    for (const [page, told] of this.#telling) if (told !== 'known') this.#telling.delete(page);
  }

  /** Forgets all URLs. */
  forgetUrls(): void {
    this.#telling.clear();
    this.#largest.clear();
  }
}

/** Number of consecutive prefetches of pages without a hint after which something else must cause them. */
const enough = 20;

const foreignMessage =
  'pages are prefetched by something else than these hints (a script such as quicklink, rules of the site or of its CDN); a visit that is shown from there is learned only if the page embeds something that is not cached, or has the beacon: add <script src="/prefetch-beacon.js" async></script> to the pages, or switch the other off';

/** Notices that something else prefetches the pages of a site, so that only some visits of them are seen. */
export class ForeignPrefetches {
  readonly #onNotice: (notice: Notice) => void;
  #foreign = 0;

  constructor(onNotice: (notice: Notice) => void) {
    this.#onNotice = onNotice;
  }

  /** Notes that a page is prefetched. @param isOurs it was hinted to this client */
  prefetched(isOurs: boolean): void {
    if (this.#foreign >= enough) return;
    this.#foreign = isOurs ? 0 : this.#foreign + 1;
    if (this.#foreign === enough) this.#onNotice({ level: 'warn', message: foreignMessage });
  }
}

/** True for a report by the beacon, which names pages in full. */
const isReport = ({ shown, unused, vitals }: Access) =>
  shown === true || unused === true || vitals !== undefined;

/**
 * Tells which page a Referer names. Under a policy such as `strict-origin` it is cut to the origin (Referrer Policy
 * 8.3), whatever page is shown, and looks like the start page. So the origin alone names a page only if some Referer of
 * the site had a path.
 */
export class RefererPages {
  #havePaths = false;

  /** @returns the access, without `page` if that may stand for any page */
  of(access: Access): Access {
    const { page, ...others } = access;
    if (page === undefined || this.#havePaths || isReport(access)) return access;
    this.#havePaths = page.slice(originIn(page).length) !== '/';
    return this.#havePaths ? access : others;
  }
}

interface LargestImage {
  readonly url: string;
  /** Share of the votes, 0..1. */
  readonly share: number;
}

interface PageImages {
  /** The image that each address named, the oldest vote first. */
  readonly votes: Map<string, string>;
  largest: LargestImage | null;
}

const mostPages = 2000;
const mostVotes = 16;

/**
 * The largest image of each page (Largest Contentful Paint), as browsers report it by the beacon. Browsers find it late
 * if a style sheet or a script names it, so a preload pays. Each address has one vote for a page, its latest, and
 * only the latest votes count: so a page's new image is found soon, and one visitor has no more than one vote. The
 * table is bounded and in memory, because beacons report the images again after a restart.
 */
export class LargestImages {
  readonly #minClients: number;
  readonly #pages = new LRUCache<number, PageImages>({ max: mostPages });

  /** @param minClients k: distinct addresses that must have named an image */
  constructor(minClients: number) {
    this.#minClients = minClients;
  }

  /** @param page Hash of the page's URL */
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

  /** Forgets all addresses, because pseudonyms change. */
  forgetClients(): void {
    for (const { votes } of this.#pages.values()) votes.clear();
  }

  /** Forgets all pages. */
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
