// Knows what each client has, and what became of its hints. A URL that a client requested is not hinted to it again for
// the lifetime of the response, or for a while if that is not known. A URL that it prefetched is not hinted again while
// its browser would show the prefetched response: until the next page is opened, or for the lifetime of the response. A
// hint is used if its client requests the URL in time, or if a report or a Referer tells that it shows the prefetched
// page (`shown` in engine.ts). Otherwise it is wasted; but if the prefetched page may have been shown without any of
// these, the hint counts as unknown, and the prefetch as a fraction of a visit (Anticipation below).
//
// URLs are known by their hashes. A false match among those of one client has a chance of one in 100 million and would
// only suppress a hint.

import { LatestMap } from '../../process/latest-map.ts';
import type { KnownUrl, Visitors } from './visitors.ts';
import type { VisitOutcome } from './watch/watch.ts';

export interface HintCounts {
  /** Number of hints given; a URL counts once for each client until it is used, wasted or fetched. */
  given: number;
  /** Number of hints that a prefetch followed. */
  taken: number;
  used: number;
  /** Number of hints that were not prefetched, or prefetched and dropped without being shown. */
  wasted: number;
  /** Number of hints whose page was prefetched, and may have been shown without any request or report of that. */
  unknown: number;
}

/** The facts about a prefetch that the engine knows when the request for it arrives. */
export interface Prefetched {
  /** How long the browser uses the response without revalidating, whatever page is open, ms; undefined: not known. */
  freshMs: number | undefined;
  /** True if no request or report will tell that the page is shown, so the prefetch itself was counted as a fraction of
   *  a visit (class Anticipation). */
  isAnticipated: boolean;
  /** True if a page of another site (such as a search engine) caused the prefetch. */
  isEntry?: boolean;
}

const urlsPerClient = 32;

export class HintHistory {
  readonly counts: HintCounts = { given: 0, taken: 0, used: 0, wasted: 0, unknown: 0 };
  readonly #visitors: Visitors;
  readonly #rememberMs: number;

  /** @param rememberMs how long a client is assumed to have what it fetched, ms */
  constructor(visitors: Visitors, rememberMs: number) {
    this.#visitors = visitors;
    this.#rememberMs = rememberMs;
  }

  /** Returns whether the client requested or prefetched the URL and can still use the response. */
  has(client: string, url: number, timeMs: number): boolean {
    const state = this.#find(client, url, timeMs)?.state;
    return state === 'has' || state === 'ahead';
  }

  /** Returns whether the client has no hint to the URL that it may still follow, and is not known to have the URL. */
  isNew(client: string, url: number, timeMs: number): boolean {
    const state = this.#find(client, url, timeMs)?.state;
    return state === undefined || state === 'perhaps' || state === 'had';
  }

  /** Returns whether the URL was hinted to the client, which has not requested it since. */
  isHinted(client: string, url: number, timeMs: number): boolean {
    return this.#find(client, url, timeMs)?.state === 'hinted';
  }

  /** Records that the URL is hinted to the client, unless that has it (`has`). @returns true if it was recorded */
  offer(client: string, url: number, timeMs: number): boolean {
    if (this.has(client, url, timeMs)) return false;
    const urls = this.#urlsOf(client, timeMs);
    if (urls.get(url)?.state !== 'hinted') this.counts.given++;
    this.#record(urls, url, { state: 'hinted', sinceMs: timeMs });
    return true;
  }

  prefetched(client: string, url: number, timeMs: number, how: Prefetched): void {
    if (this.has(client, url, timeMs)) return;
    const urls = this.#urlsOf(client, timeMs);
    const wasHinted = urls.get(url)?.state === 'hinted';
    if (wasHinted) this.counts.taken++;
    const { freshMs, isAnticipated, isEntry = false } = how;
    this.#record(urls, url, {
      state: 'ahead',
      sinceMs: this.#sinceMs(timeMs, freshMs || undefined),
      wasHinted,
      staysFresh: freshMs === undefined ? undefined : freshMs > 0,
      isAnticipated,
      isEntry,
    });
  }

  /** Returns whether a URL that the client opens now was hinted to it, prefetched by it, or both. */
  outcome(client: string, url: number, timeMs: number): VisitOutcome {
    const known = this.#find(client, url, timeMs);
    if (known?.state === 'hinted') return 'hinted';
    if (known?.state !== 'ahead') return 'none';
    return known.wasHinted ? 'hit' : 'prefetched';
  }

  /** Returns whether the client prefetched the URL, and no request or report told that it showed the page. */
  isUnseen(client: string, url: number, timeMs: number): boolean {
    const state = this.#find(client, url, timeMs)?.state;
    return state === 'ahead' || state === 'perhaps';
  }

  /** Returns whether a page of another site caused the client's prefetch of the URL. */
  isEntry(client: string, url: number, timeMs: number): boolean {
    return this.#find(client, url, timeMs)?.isEntry === true;
  }

  /** Returns whether the client's prefetch of the page was counted as a fraction of a visit, as probable as it was. */
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
    // The browser keeps a page that it shows from a prefetch only if the prefetched response had a lifetime.
    const isUsedUp = known?.state === 'ahead' && known.staysFresh !== true;
    this.#record(
      urls,
      url,
      isUsedUp || freshMs === 0
        ? { state: 'had', sinceMs: timeMs }
        : { state: 'has', sinceMs: this.#sinceMs(timeMs, freshMs) },
    );
  }

  /** Notes the browser's report that it shows the page. @returns false if the client is not known to have requested the
   *  response that it shows, so a cache must have answered */
  reportedShown(client: string, url: number, timeMs: number): boolean {
    const known = this.#find(client, url, timeMs);
    if (known?.state === 'has' || known?.state === 'ahead') return true;
    if (known?.state !== 'had' || known.isReported) return false;
    this.#urlsOf(client, timeMs).set(url, { ...known, isReported: true });
    return true;
  }

  /** Notes that the client shows the URL, for which it sends no request now. If no earlier request is known, another
   *  server, such as a cache, has answered one, so the URL counts as requested. */
  seen(client: string, url: number, timeMs: number): void {
    const known = this.#find(client, url, timeMs);
    if (known === undefined || known.state === 'hinted') this.demanded(client, url, timeMs);
  }

  /**
   * Notes that the client opens a page: its browser drops what it prefetched for the last page, unless that is fresh.
   * @param onUnused called with each other URL whose prefetch was counted as a part of a visit (`isAnticipated`); for a
   * URL that the browser still keeps, again at later pages until it returns true
   */
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

  /** Notes that the client left a page without opening the URL that was prefetched there. Nothing changes if the
   *  response is still fresh, because browsers keep it. */
  unused(client: string, url: number, timeMs: number): void {
    const urls = this.#urlsOf(client, timeMs);
    const known = urls.get(url);
    if (known?.state !== 'ahead' || known.staysFresh) return;
    // It is now known that the page was not shown, so its prefetch no longer counts as a part of a visit.
    this.#lost({ ...known, isAnticipated: false });
    urls.delete(url);
  }

  /** Counts expired hints as wasted, those of the clients that were silent longest first. */
  sweep(timeMs: number): void {
    for (const { urls } of this.#visitors.silent()) {
      if (!this.#dropExpired(urls, timeMs)) return;
    }
  }

  /** Counts the unused hints of a client that is forgotten for lack of space as wasted or unknown. */
  evicted(urls: Iterable<KnownUrl>): void {
    for (const known of urls) this.#lost(known);
  }

  /** Returns the time to record for a URL: earlier than `timeMs` if its response is fresh for less time than records
   *  are kept, so that the record expires with the response. */
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

  /** Returns whether what is known of a URL is too old. `timeMs` may be before `sinceMs`, as the time of a slow
   *  response is that of its request. */
  #isExpired({ sinceMs }: KnownUrl, timeMs: number): boolean {
    return Math.abs(timeMs - sinceMs) > this.#rememberMs;
  }

  /** Drops the expired URLs of a client that is active now. @returns its URLs that are left */
  #urlsOf(client: string, timeMs: number): Map<number, KnownUrl> {
    const { urls } = this.#visitors.visitorOf(client);
    this.#dropExpired(urls, timeMs);
    return urls;
  }

  /** Drops expired URLs. @returns false if any URLs are left that are not expired */
  #dropExpired(urls: Map<number, KnownUrl>, timeMs: number): boolean {
    for (const [url, known] of urls) {
      if (!this.#isExpired(known, timeMs)) continue;
      this.#lost(known);
      urls.delete(url);
    }
    return urls.size === 0;
  }

  /** Records a URL in place of its previous entry. If the client then has too many URLs, drops the oldest entry. */
  #record(urls: Map<number, KnownUrl>, url: number, known: KnownUrl): void {
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
  /** Number of the prefetches after which the client opened another page than the prefetched one. */
  elsewhere: number;
}

const mostPairs = 16_384;
/** Number of prefetches that are added to those counted, so that the first few do not decide (a Bayesian prior). */
const prior = 2;

/**
 * A page that is shown from a prefetch causes no request. If its browser will not report that either, the prefetch
 * counts as a fraction of a visit, as large as the probability of the visit. So a hint that is followed neither lowers
 * its own probability nor raises it.
 *
 * By this rule alone the probability would stay as it was when the hint was first given. But a client that opens
 * another page from the same one sends a request, so the fraction is at most the share of the prefetches
 * after which no other page was opened.
 */
export class Anticipation {
  readonly #pairs = new LatestMap<string, Outcomes>(mostPairs);

  /** Returns the largest fraction of a visit, 0..1, as which a prefetch may count. @param page hash of the page that
   *  caused the prefetch @param url hash of the prefetched URL */
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

  /** Counts that a client that had prefetched `url` on `page` went from there to another page. @returns false if this
   *  was counted already for every prefetch of `url` on `page` */
  elsewhere(page: number, url: number): boolean {
    const outcomes = this.#pairs.get(`${page} ${url}`);
    if (outcomes === undefined || outcomes.elsewhere >= outcomes.prefetches) return false;
    outcomes.elsewhere++;
    return true;
  }
}
