// Keeps what is known of each visitor, under its pseudonym: the URLs that it has (hint-history.ts), what its browser
// sends (browser-signs.ts), the page that it views (own-objects.ts), and whether it is a browser. Of too many visitors
// those that were silent longest are forgotten, and all are when pseudonyms change.
//
// In many logs, most visitors are robots that call themselves browsers. They read pages and nothing else; a browser
// also fetches what a page embeds. So a visitor that opens a page known to embed objects is not learned from until it
// has fetched an object, or the browser says that a person clicked (Sec-Fetch-User): until then its accesses wait here,
// in order. Pages that embed nothing of the site are learned at once. A visitor that opens many pages without an object
// is a robot, and its accesses are dropped.

import { visitorAddress } from '../../http/visitor-address.ts';
import { LatestMap } from '../../process/latest-map.ts';
import { ownText } from '../../process/text-memo.ts';
import { fingerprintOf } from '../model/graph/client-sets.ts';
import type { Observation } from '../model/predictor.ts';
import { pseudonymiser, type Salt } from '../model/salt.ts';
import type { VisitOutcome } from './watch/watch.ts';

/** An access to be learned by the predictor, at once or when its client is known to be a browser, not a robot. */
export interface Lesson {
  observation: Observation;
  /** The hash of the access's URL. */
  hash: number;
  outcome: VisitOutcome;
  /** True if the access is known to open a page from another page of the site. */
  isClick: boolean;
  /** The URL of a page opened by a click, with the query that was requested; undefined: no click, or a query that may
   *  not be hinted. */
  linked?: string | undefined;
}

/** A URL that a client requested, or that was hinted to it. */
export interface KnownUrl {
  /**
   * `hinted`: not requested yet. `ahead`: prefetched, not known to be used yet. `perhaps`: prefetched some pages ago,
   * so the browser may show it from its cache. `has`: requested. `had`: requested, and the response had no lifetime.
   */
  readonly state: 'hinted' | 'ahead' | 'perhaps' | 'has' | 'had';
  /** When the state began, ms since the epoch; earlier if the response is fresh for less time than URLs are kept. */
  readonly sinceMs: number;
  /** True if the URL was prefetched after a hint to this client. */
  readonly wasHinted?: boolean;
  /** Whether the browser keeps the prefetched response when the next page is opened; undefined: not known. */
  readonly staysFresh?: boolean | undefined;
  /** True if the prefetch of the URL was counted as a fraction of a visit (hint-history.ts). */
  readonly isAnticipated?: boolean;
  /** True if a page of another site (such as a search engine) caused the prefetch. */
  readonly isEntry?: boolean;
  /** True if the client went from the page that caused the prefetch to another page than the prefetched one. */
  readonly isPassedBy?: boolean;
  /** In the state `had`: true if the browser reported that it shows the response. */
  readonly isReported?: boolean;
}

export interface KnownVisitor {
  /** The visitor's URLs by hash, the first recorded first. */
  readonly urls: Map<number, KnownUrl>;
  /** Whether the visitor is a browser. `unknown`: no access waits until this is known; a list: not known either, and
   *  these accesses are learned once the visitor proves to be a browser. */
  proof: 'unknown' | 'browser' | 'robot' | Lesson[];
  /** True if pages that the visitor opened sent a beacon, a report that they are shown. */
  sendsBeacons: boolean;
  /** True if the visitor's browser requests a page's speculation rules when it shows the page. */
  readsRules: boolean;
  /** True if the visitor's browser sent a Referer of the site, so a page without one was opened from elsewhere. */
  sendsReferers: boolean;
  /** The page that the visitor views; null: none is known. `isTrial`: whether the objects that the visitor fetches now
   *  show what the page embeds; false if it may have them all already, as when it revalidates the page. */
  view: { readonly page: string; readonly isTrial: boolean } | null;
}

const mostWaiting = 16;

export class Visitors {
  readonly #visitors: LatestMap<string, KnownVisitor>;
  readonly #onUnproven: (count: number) => void;

  /** @param onUnproven called with the number of waiting accesses that are dropped and so never learned
   *  @param onEvicted called with the URLs of a visitor who is forgotten to make room for another */
  constructor(
    max: number,
    onUnproven: (count: number) => void = () => {},
    onEvicted: (urls: Iterable<KnownUrl>) => void = () => {},
  ) {
    this.#onUnproven = onUnproven;
    this.#visitors = new LatestMap(max, {
      onEvicted: ({ proof, urls }) => {
        if (typeof proof === 'object') onUnproven(proof.length);
        onEvicted(urls.values());
      },
    });
  }

  /** Returns the visitor with this pseudonym, known or new, and makes it the one that was active last. */
  visitorOf(client: string): KnownVisitor {
    const known = this.#visitors.get(client);
    if (known !== undefined) return known;
    const visitor: KnownVisitor = {
      urls: new Map(),
      proof: 'unknown',
      sendsBeacons: false,
      readsRules: false,
      sendsReferers: false,
      view: null,
    };
    this.#visitors.set(client, visitor);
    return visitor;
  }

  find(client: string): Readonly<KnownVisitor> | undefined {
    return this.#visitors.peek(client);
  }

  /** Returns all visitors, those that were silent longest first. */
  silent(): Iterable<KnownVisitor> {
    return this.#visitors.values();
  }

  /** Returns whether the client's access to a page must wait until the client is known to be a browser. */
  mustWait(client: string, embedsObjects: boolean): boolean {
    const { proof } = this.visitorOf(client);
    return proof === 'unknown' ? embedsObjects : proof !== 'browser';
  }

  /** Returns whether any accesses of the client wait until the client is known to be a browser. */
  waits(client: string): boolean {
    return typeof this.find(client)?.proof === 'object';
  }

  keepForProof(client: string, access: Lesson): void {
    const visitor = this.visitorOf(client);
    if (visitor.proof === 'unknown') visitor.proof = [];
    const { proof } = visitor;
    if (typeof proof === 'object' && proof.length < mostWaiting) {
      proof.push(access);
      return;
    }
    this.#onUnproven(typeof proof === 'object' ? proof.length + 1 : 1);
    visitor.proof = 'robot';
  }

  /** Notes that the client is a browser. @returns the accesses that waited for this */
  prove(client: string): readonly Lesson[] {
    const visitor = this.visitorOf(client);
    const { proof } = visitor;
    visitor.proof = 'browser';
    return typeof proof === 'object' ? proof : [];
  }

  /** Forgets the accesses of all clients that wait until their client is known to be a browser. */
  dropWaiting(): void {
    for (const visitor of this.#visitors.values()) {
      if (typeof visitor.proof !== 'object') continue;
      this.#onUnproven(visitor.proof.length);
      visitor.proof = 'unknown';
    }
  }

  /** Forgets all visitors, because pseudonyms change. */
  clear(): void {
    this.dropWaiting();
    this.#visitors.clear();
  }
}

export interface Pseudonym {
  /** Pseudonym of the address, the first word of the client's name; limits per visitor apply to it (fair-share.ts). */
  readonly address: string;
  /** Pseudonym of the whole name: that of the address, a space, and that of the other words (user agent), if any. */
  readonly client: string;
  /** Hash of the address, 1..1023, by which distinct visitors are counted for longer than pseudonyms stay the same. */
  readonly fingerprint: number;
}

/**
 * Returns a function that maps a client to pseudonyms, made with the visitor salt, and to a fingerprint, made with the
 * fingerprint salt. It keeps neither: pseudonyms stored beside their clients would be a list of clients.
 */
export function pseudonymsOf(
  visitorSalt: Salt,
  fingerprintSalt: Salt,
): (client: string) => Pseudonym {
  const pseudonymOf = pseudonymiser(visitorSalt);
  const fingerprinted = pseudonymiser(fingerprintSalt);
  return (client) => {
    const [first = ''] = client.split(' ', 1);
    const counted = visitorAddress(first);
    const fingerprint = fingerprintOf(fingerprinted(counted));
    const address = ownText(pseudonymOf(counted));
    const rest = client.slice(first.length);
    return {
      address,
      client: rest === '' ? address : ownText(`${address} ${pseudonymOf(rest)}`),
      fingerprint,
    };
  };
}
