// What is known of each visitor, under its pseudonym: the URLs that it has (hint-history.ts), what its browser sends
// (browser-signs.ts), the page that it views (own-objects.ts), and whether it is a browser. In memory and bounded: of
// too many visitors those that were silent longest are forgotten, and all are when pseudonyms change.
//
// In many logs, most visitors are robots that call themselves browsers. They read pages and nothing else; a browser
// also fetches what a page embeds. So a visitor that opens a page known to embed objects is not learned from until it
// has fetched an object, or the browser says that a person clicked (Sec-Fetch-User): until then its accesses wait here,
// in order. Pages that embed nothing of the site are learned at once. A visitor that opens many pages without an object
// is a robot, and its accesses are dropped.

import { LatestMap } from '../latest-map.ts';
import type { Observation } from '../model/predictor.ts';
import type { VisitOutcome } from './watch/watch.ts';

/** An access to learn. */
export interface Lesson {
  observation: Observation;
  /** The hash of the URL. */
  hash: number;
  outcome: VisitOutcome;
  /** The access opens a page from another page of the site, as far as is known. */
  isClick: boolean;
  /** The URL of an opened page as it was requested, if its query differs. */
  linked?: string | undefined;
}

/** A URL that a client requested or was told of. */
export interface KnownUrl {
  /**
   * `hinted`: and not requested yet. `ahead`: prefetched, not known to be used yet. `perhaps`: prefetched some pages ago,
   * so the browser may show it from its cache. `has`: requested. `had`: requested, and the response had no lifetime.
   */
  readonly state: 'hinted' | 'ahead' | 'perhaps' | 'has' | 'had';
  /** Since when, ms; earlier for a response that is fresh for less time than it is remembered. */
  readonly sinceMs: number;
  /** Of a prefetch: after a hint to this client. */
  readonly wasHinted?: boolean;
  /** Of a prefetch: whether it stays when the next page is opened; undefined: not known. */
  readonly staysFresh?: boolean | undefined;
  /** Of a prefetch: a part of its visit is counted already. */
  readonly isAnticipated?: boolean;
  /** Of a prefetch: it was for a page of another site. */
  readonly isEntry?: boolean;
  /** Of a prefetch: another page was opened from the same one. */
  readonly isPassedBy?: boolean;
  /** The browser said that it shows the response that it `had`. */
  readonly isReported?: boolean;
}

export interface Visitor {
  /** By their hashes, the first recorded first. */
  readonly urls: Map<number, KnownUrl>;
  /** Whether it is a browser, or the accesses that wait to know. */
  proof: 'unknown' | 'browser' | 'robot' | Lesson[];
  /** Its pages report by the beacon when they are shown. */
  sendsBeacons: boolean;
  /** Its browser requests the speculation rules of a page when it shows it. */
  readsRules: boolean;
  /** Its browser sent a Referer of the site, so a page without one was opened from elsewhere. */
  sendsReferers: boolean;
  /** The page that it views; `isTrial` is false if it may have all objects, like a visitor who revalidates the page. */
  view: { readonly page: string; readonly isTrial: boolean } | null;
}

const mostWaiting = 16;

export class Visitors {
  readonly #visitors: LatestMap<string, Visitor>;
  readonly #onUnproven: (count: number) => void;

  /** @param onUnproven called with the number of accesses that are never learned
   *  @param onEvicted called with the URLs of a visitor who gave way to another */
  constructor(
    max: number,
    onUnproven: (count: number) => void = () => {},
    onEvicted: (urls: Iterable<KnownUrl>) => void = () => {},
  ) {
    this.#onUnproven = onUnproven;
    this.#visitors = new LatestMap(max, ({ proof, urls }) => {
      if (typeof proof === 'object') onUnproven(proof.length);
      onEvicted(urls.values());
    });
  }

  /** A visitor, who is now the latest. */
  of(client: string): Visitor {
    const known = this.#visitors.get(client);
    if (known !== undefined) return known;
    const visitor: Visitor = {
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

  find(client: string): Readonly<Visitor> | undefined {
    return this.#visitors.peek(client);
  }

  /** The visitor that was silent longest first. */
  silent(): Iterable<Visitor> {
    return this.#visitors.values();
  }

  /** True if an access to a page must wait. */
  mustWait(client: string, embedsObjects: boolean): boolean {
    const { proof } = this.of(client);
    return proof === 'unknown' ? embedsObjects : proof !== 'browser';
  }

  /** True if accesses of the client wait. */
  waits(client: string): boolean {
    return typeof this.find(client)?.proof === 'object';
  }

  hold(client: string, access: Lesson): void {
    const visitor = this.of(client);
    if (visitor.proof === 'unknown') visitor.proof = [];
    const { proof } = visitor;
    if (typeof proof === 'object' && proof.length < mostWaiting) {
      proof.push(access);
      return;
    }
    this.#onUnproven(typeof proof === 'object' ? proof.length + 1 : 1);
    visitor.proof = 'robot';
  }

  /** The client is a browser. @returns the accesses that waited for that */
  prove(client: string): readonly Lesson[] {
    const visitor = this.of(client);
    const { proof } = visitor;
    visitor.proof = 'browser';
    return typeof proof === 'object' ? proof : [];
  }

  /** Forgets all accesses that wait. */
  dropWaiting(): void {
    for (const visitor of this.#visitors.values()) {
      if (typeof visitor.proof !== 'object') continue;
      this.#onUnproven(visitor.proof.length);
      visitor.proof = 'unknown';
    }
  }

  /** Forgets everybody, because pseudonyms change. */
  clear(): void {
    this.dropWaiting();
    this.#visitors.clear();
  }
}
