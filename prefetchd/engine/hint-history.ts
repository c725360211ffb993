// Knows what each client has, and what became of its hints. A URL that a client requested is not hinted to it again for
// the lifetime of the response, or for a while if that is not known. A URL that it prefetched is not hinted again while
// its browser would show the prefetched response: until the next page is opened, or for the lifetime of the response. A
// hint is used if its client requests the URL in time, or shows the prefetched page on a sign (`shown` in engine.ts).
// Otherwise it is wasted; but if the prefetched page may have been shown without a sign, the hint counts as unknown, and
// the prefetch as a part of a visit (Anticipation below).
//
// URLs are known by their hashes. A false match among those of one client has a chance of one in 100 million and would
// only suppress a hint.

import { LatestMap } from '../../process/latest-map.ts';
import type { KnownUrl, Visitors } from './visitors.ts';
import type { VisitOutcome } from './watch/watch.ts';

export interface HintCounts {
  /** Hints given; a URL counts once for each client until it is used, wasted or fetched. */
  given: number;
  /** Hints followed by a prefetch. */
  taken: number;
  used: number;
  /** Hints not prefetched, or prefetched and dropped without being shown. */
  wasted: number;
  /** Hints prefetched, and perhaps shown without a sign. */
  unknown: number;
}

/** A prefetch that arrived. */
export interface Prefetched {
  /** How long the browser uses the response without revalidating, whatever page is open, ms; undefined: not known. */
  freshMs: number | undefined;
  /** Nothing says when it is shown: it counts as a fraction of a visit (Anticipation). */
  isAnticipated: boolean;
  /** True if it was prefetched for a page of another site. */
  isEntry?: boolean;
}

const urlsPerClient = 32;

export class HintHistory {
  readonly counts: HintCounts = { given: 0, taken: 0, used: 0, wasted: 0, unknown: 0 };
  readonly #visitors: Visitors;
  readonly #rememberMs: number;

  /** @param rememberMs how long a client is assumed to have what it fetched */
  constructor(visitors: Visitors, rememberMs: number) {
    this.#visitors = visitors;
    this.#rememberMs = rememberMs;
  }

  /** True if the client has the URL or is fetching it. */
  has(client: string, url: number, timeMs: number): boolean {
    const state = this.#find(client, url, timeMs)?.state;
    return state === 'has' || state === 'ahead';
  }

  /** True if the URL was neither hinted to the client nor fetched by it. */
  isNew(client: string, url: number, timeMs: number): boolean {
    const state = this.#find(client, url, timeMs)?.state;
    return state === undefined || state === 'perhaps' || state === 'had';
  }

  /** True if the URL was hinted to the client, which has not requested it since. */
  isHinted(client: string, url: number, timeMs: number): boolean {
    return this.#find(client, url, timeMs)?.state === 'hinted';
  }

  /** Records a hint unless the client has the URL. @returns true if it is a hint */
  offer(client: string, url: number, timeMs: number): boolean {
    if (this.has(client, url, timeMs)) return false;
    const urls = this.#urlsOf(client, timeMs);
    if (urls.get(url)?.state !== 'hinted') this.counts.given++;
    this.#put(urls, url, { state: 'hinted', sinceMs: timeMs });
    return true;
  }

  prefetched(client: string, url: number, timeMs: number, how: Prefetched): void {
    if (this.has(client, url, timeMs)) return;
    const urls = this.#urlsOf(client, timeMs);
    const wasHinted = urls.get(url)?.state === 'hinted';
    if (wasHinted) this.counts.taken++;
    const { freshMs, isAnticipated, isEntry = false } = how;
    this.#put(urls, url, {
      state: 'ahead',
      sinceMs: this.#sinceMs(timeMs, freshMs || undefined),
      wasHinted,
      staysFresh: freshMs === undefined ? undefined : freshMs > 0,
      isAnticipated,
      isEntry,
    });
  }

  /** What the history knows of a URL that the client opens now: was it hinted or prefetched? */
  outcome(client: string, url: number, timeMs: number): VisitOutcome {
    const known = this.#find(client, url, timeMs);
    if (known?.state === 'hinted') return 'hinted';
    if (known?.state !== 'ahead') return 'none';
    return known.wasHinted ? 'hit' : 'prefetched';
  }

  /** True if the client prefetched the URL and has given no sign of showing it. */
  isUnseen(client: string, url: number, timeMs: number): boolean {
    const state = this.#find(client, url, timeMs)?.state;
    return state === 'ahead' || state === 'perhaps';
  }

  /** True if the client prefetched the URL for a page of another site. */
  isEntry(client: string, url: number, timeMs: number): boolean {
    return this.#find(client, url, timeMs)?.isEntry === true;
  }

  /** True if a part of this visit was counted when the page was prefetched. */
  isAnticipated(client: string, url: number, timeMs: number): boolean {
    return this.#find(client, url, timeMs)?.isAnticipated === true;
  }

  /**
   * Records that the client requests or shows the URL.
   * @param freshMs how long its browser uses the response without revalidating it; undefined: not known
   */
  demanded(client: string, url: number, timeMs: number, freshMs?: number): void {
    const urls = this.#urlsOf(client, timeMs);
    const known = urls.get(url);
    if (known?.state === 'hinted' || known?.wasHinted) this.counts.used++;
    // If the page is shown from a prefetch, it is kept only if the prefetched response had a lifetime.
    const isUsedUp = known?.state === 'ahead' && known.staysFresh !== true;
    this.#put(
      urls,
      url,
      isUsedUp || freshMs === 0
        ? { state: 'had', sinceMs: timeMs }
        : { state: 'has', sinceMs: this.#sinceMs(timeMs, freshMs) },
    );
  }

  /** Notes that the browser says that it shows the URL. @returns false if no request for what it shows is known */
  reportedShown(client: string, url: number, timeMs: number): boolean {
    const known = this.#find(client, url, timeMs);
    if (known?.state === 'has' || known?.state === 'ahead') return true;
    if (known?.state !== 'had' || known.isReported) return false;
    this.#urlsOf(client, timeMs).set(url, { ...known, isReported: true });
    return true;
  }

  /** Notes that the client shows the URL without a request now. If no earlier one is known, somebody else sent it. */
  seen(client: string, url: number, timeMs: number): void {
    const known = this.#find(client, url, timeMs);
    if (known === undefined || known.state === 'hinted') this.demanded(client, url, timeMs);
  }

  /** Notes that the client opens a page: its browser drops what it prefetched for the last page, unless that is fresh.
   *  @param onUnused called with anticipated URLs other than `page`, each until it returns true for it */
  opened(client: string, page: number, timeMs: number, onUnused: (url: number) => boolean): void {
    const urls = this.#urlsOf(client, timeMs);
    for (const [url, known] of urls) {
      if (known.state !== 'ahead' || url === page) continue;
      const { staysFresh, sinceMs, isAnticipated = false } = known;
      const isPassedBy = known.isPassedBy || (isAnticipated && onUnused(url));
      if (staysFresh) urls.set(url, { ...known, isPassedBy });
      else {
        this.#lost(known);
        if (staysFresh === false) urls.delete(url);
        else urls.set(url, { state: 'perhaps', sinceMs, isAnticipated });
      }
    }
  }

  /** Notes that the client left a page without opening the URL prefetched for it. If fresh, it may be shown later. */
  unused(client: string, url: number, timeMs: number): void {
    const urls = this.#urlsOf(client, timeMs);
    const known = urls.get(url);
    if (known?.state !== 'ahead' || known.staysFresh) return;
    // It is now known that the page was not shown.
    this.#lost({ ...known, isAnticipated: false });
    urls.delete(url);
  }

  /** Counts expired hints as wasted, those of the clients that were silent longest first. */
  sweep(timeMs: number): void {
    for (const { urls } of this.#visitors.silent()) {
      if (!this.#dropExpired(urls, timeMs)) return;
    }
  }

  /** Takes the URLs of a client that is forgotten for lack of space. */
  evicted(urls: Iterable<KnownUrl>): void {
    for (const known of urls) this.#lost(known);
  }

  /** The time to record: an earlier one for a response that is fresh for less time than it is remembered. */
  #sinceMs(timeMs: number, freshMs: number | undefined): number {
    if (freshMs === undefined || freshMs >= this.#rememberMs) return timeMs;
    return timeMs - (this.#rememberMs - freshMs);
  }

  #lost({ state, wasHinted, isAnticipated }: KnownUrl): void {
    if (state === 'hinted' || (wasHinted && !isAnticipated)) this.counts.wasted++;
    else if (wasHinted) this.counts.unknown++;
  }

  #find(client: string, url: number, timeMs: number): KnownUrl | undefined {
    const known = this.#visitors.find(client)?.urls.get(url);
    return known === undefined || this.#isExpired(known, timeMs) ? undefined : known;
  }

  /** True if the entry is too old. A slow response has the time of its request, which may be the earlier one. */
  #isExpired({ sinceMs }: KnownUrl, timeMs: number): boolean {
    return Math.abs(timeMs - sinceMs) > this.#rememberMs;
  }

  /** The URLs of a client that has just been heard of. */
  #urlsOf(client: string, timeMs: number): Map<number, KnownUrl> {
    const { urls } = this.#visitors.of(client);
    this.#dropExpired(urls, timeMs);
    return urls;
  }

  /** Drops expired URLs. @returns false if any are left */
  #dropExpired(urls: Map<number, KnownUrl>, timeMs: number): boolean {
    for (const [url, known] of urls) {
      if (!this.#isExpired(known, timeMs)) continue;
      this.#lost(known);
      urls.delete(url);
    }
    return urls.size === 0;
  }

  /** Records a URL in place of its previous entry or, if there are many, of the oldest one. */
  #put(urls: Map<number, KnownUrl>, url: number, known: KnownUrl): void {
    urls.set(url, known);
    if (urls.size <= urlsPerClient) return;
    for (const [oldest, lost] of urls) {
      urls.delete(oldest);
      this.#lost(lost);
      return;
    }
  }
}

interface Outcomes {
  prefetches: number;
  /** Prefetches after which another page was opened from the same one. */
  elsewhere: number;
}

const mostPairs = 16_384;
/** Prefetches with unknown outcome that are assumed before the first one. */
const prior = 2;

/**
 * A page that is shown from a prefetch causes no request. If no sign of showing it can be expected either, the prefetch
 * counts as a part of a visit, as large as the probability of the visit. So a hint that is followed neither lowers its
 * own probability nor raises it.
 *
 * By this rule alone the probability would stay as it was when the hint was first given. But a client that opens
 * another page from the same one is seen, so the part is at most the share of the prefetches after which no other page
 * was opened.
 */
export class Anticipation {
  readonly #pairs = new LatestMap<string, Outcomes>(mostPairs);

  /** The largest part of a visit that a prefetch counts, 0..1. @param page, url hashes */
  most(page: number, url: number): number {
    const { prefetches = 0, elsewhere = 0 } = this.#pairs.get(`${page} ${url}`) ?? {};
    return 1 - elsewhere / (prefetches + prior);
  }

  prefetched(page: number, url: number): void {
    const key = `${page} ${url}`;
    const outcomes = this.#pairs.get(key) ?? { prefetches: 0, elsewhere: 0 };
    outcomes.prefetches++;
    this.#pairs.set(key, outcomes);
  }

  /** Counts that another page was opened from the same one. @returns false if there is no prefetch to count it for */
  elsewhere(page: number, url: number): boolean {
    const outcomes = this.#pairs.get(`${page} ${url}`);
    if (outcomes === undefined || outcomes.elsewhere >= outcomes.prefetches) return false;
    outcomes.elsewhere++;
    return true;
  }
}
