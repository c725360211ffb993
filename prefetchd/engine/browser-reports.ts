// Takes what browsers report of pages, by the beacon: that a page is shown, how fast it was shown, which image is its
// largest, and which page was fetched ahead in vain. A report is forged as easily as a page view, and can do no more
// harm: it counts in a fair share of its own, so it takes nothing from requests, and teaches nothing about pages whose
// responses never allowed learning them.

import { LatestMap } from '../../process/latest-map.ts';
import { textHash } from '../../process/text-memo.ts';
import type { Access, PageVitals } from '../access.ts';
import type { Holdback } from '../holdback/holdback.ts';
import type { Device } from '../holdback/report.ts';
import { originOf } from '../normalise-url.ts';
import type { BrowserSigns, Votes } from './browser-signs.ts';
import type { FairShare } from './fair-share.ts';
import type { HintHistory } from './hint-history.ts';
import type { Pseudonym, Visitors } from './visitors.ts';

export interface BrowserReportsParts {
  visitors: Visitors;
  history: HintHistory;
  signs: BrowserSigns;
  /** The largest image (LCP) of each page, as the majority of browsers report it. */
  largest: Votes;
  holdback: Holdback | null;
  saved: TimeSaved;
  /** Limits how many reports of one address count in a day; for its requests there is another limit. */
  share: FairShare;
  pseudonymOf: (client: string) => Pseudonym;
  normalise: (raw: string) => string | null;
  /** Returns whether the URL was learned, which means that its responses allow learning it. */
  isKnown: (url: string) => boolean;
  /** Called for a report that a page is shown, if the page was learned but no request of the client for it is known. */
  onVisit: (access: Access) => void;
  /** Called for every other report that a page is shown, such as one of a page whose request by the client is known. */
  onShown: (client: string, url: string, timeMs: number) => void;
}

export class BrowserReports {
  readonly #parts: BrowserReportsParts;

  constructor(parts: BrowserReportsParts) {
    this.#parts = parts;
  }

  /** Processes a browser's report (`isReport`). @param url normalised URL that the report is about */
  process(access: Access, url: string): void {
    if (access.vitals !== undefined) this.#measured(access, url, access.vitals);
    else if (access.unused === true) this.#unused(access, url);
    else if (access.isLargest === true) this.#named(access, url);
    else this.#shown(access, url);
  }

  forgetClients(): void {
    this.#parts.share.clear();
  }

  /** Handles a browser's report that it fetched a page ahead but did not open it. */
  #unused({ client, timeMs }: Access, url: string): void {
    const { history, pseudonymOf } = this.#parts;
    history.unused(pseudonymOf(client).client, textHash(url), timeMs);
  }

  /** Handles a browser's report of the URL of the largest image on the page that it shows. */
  #named({ client: name, page, timeMs }: Access, url: string): void {
    const { history, largest, pseudonymOf, normalise, isKnown } = this.#parts;
    const shown = page === undefined ? null : normalise(page);
    // A page that is not in the graph has had no response that allows learning it, so nothing is kept about it.
    if (shown === null || originOf(url) !== originOf(shown) || !isKnown(shown)) return;
    const { client, address } = pseudonymOf(name);
    // A client that sees an image has fetched it; if the engine knows of no fetch, the image must not be learned.
    if (!history.has(client, textHash(url), timeMs)) return;
    if (!this.#isFair(address, `largest ${shown}`, timeMs)) return;
    largest.vote(shown, address, url);
  }

  /** Handles a browser's report that it shows a page. */
  #shown(access: Access, url: string): void {
    const { visitors, history, signs, holdback, pseudonymOf, isKnown } = this.#parts;
    const { timeMs, tellsShown = false, byRules = false } = access;
    const who = pseudonymOf(access.client);
    const { client, address } = who;
    const hash = textHash(url);
    if (byRules) visitors.visitorOf(client).readsRules = true;
    if (tellsShown && this.#isFair(address, `shown ${url}`, timeMs)) {
      if (signs.beacon(who, hash)) holdback?.arrived(client);
      holdback?.shown(client, deviceOf(access.client));
    }
    const isNoted = history.reportedShown(client, hash, timeMs);
    // If no request for the page is known, a cache answered it: the report counts as a visit if the page was learned.
    if (tellsShown && !isNoted && isKnown(url)) this.#parts.onVisit(access);
    else this.#parts.onShown(access.client, url, timeMs);
  }

  /** Handles the beacon's report of how fast a browser showed a page. */
  #measured({ client, page, timeMs }: Access, url: string, took: PageVitals): void {
    const { signs, holdback, saved, pseudonymOf, normalise } = this.#parts;
    const from = page === undefined ? null : normalise(page);
    const { client: pseudonym, address } = pseudonymOf(client);
    if (from === null || !signs.sendsBeacons(pseudonym)) return;
    if (!this.#isFair(address, `left ${url}`, timeMs)) return;
    saved.measured(pseudonym, textHash(url), took.ttfbMs);
    holdback?.measured(
      { client: pseudonym, device: deviceOf(client), from, page: url, timeMs },
      took,
    );
  }

  /** Returns whether a browser's report counts: its address sent few enough today. @param said what the report says */
  #isFair(address: string, said: string, timeMs: number): boolean {
    return this.#parts.share.judge(address, textHash(said), timeMs) === null;
  }
}

/**
 * Returns the class of device of a client, by its user agent: browsers of telephones say Mobile (MDN, "Browser
 * detection").
 */
export function deviceOf(client: string): Device {
  return /\bMobi/.test(client) ? 'mobile' : 'desktop';
}

/** Limit on pages remembered as open; the report on a page is ignored after this many others were opened. */
const mostOpen = 10_000;

/**
 * Sums up how much less visitors waited because pages had been prefetched, where the beacon reports how long each
 * waited. Only pages opened by a click count: the mean time to the first byte of pages that were not prefetched, minus
 * that of prefetched pages, times the number of prefetched pages.
 */
export class TimeSaved {
  /** For each client and page, whether the page had been prefetched when the client opened it. */
  readonly #open = new LatestMap<string, boolean>(mostOpen);
  readonly #sums = { ahead: { count: 0, ms: 0 }, other: { count: 0, ms: 0 } };

  opened(client: string, page: number, isPrefetched: boolean): void {
    this.#open.set(`${client} ${page}`, isPrefetched);
  }

  measured(client: string, page: number, ttfbMs: number | null): void {
    const isPrefetched = this.#open.get(`${client} ${page}`);
    if (isPrefetched === undefined || ttfbMs === null) return;
    this.#open.delete(`${client} ${page}`);
    const sum = isPrefetched ? this.#sums.ahead : this.#sums.other;
    sum.count++;
    sum.ms += ttfbMs;
  }

  /** Time saved, ms; null: no prefetched page was measured, or no page without a prefetch. */
  get ms(): number | null {
    const { ahead, other } = this.#sums;
    if (ahead.count === 0 || other.count === 0) return null;
    return Math.max(0, Math.round((other.ms / other.count) * ahead.count - ahead.ms));
  }

  forgetClients(): void {
    this.#open.clear();
  }
}
