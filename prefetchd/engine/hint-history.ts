// What each client has, and what became of its hints. A URL that a client requested is not hinted to it again for the
// lifetime of the response, or for a while if that is not known. A URL that it prefetched is not hinted again while its
// browser would show the prefetched response: until the next page is opened, or for the lifetime of the response. A
// hint is used if its client requests the URL in time, or shows the prefetched page on a sign (`shown` in engine.ts).
// Otherwise it is wasted; but if the prefetched page may have been shown without a sign, the hint counts as unknown.

import { RecentUrls } from '../recent-urls.ts';
import type { VisitOutcome } from './watch/recent-visits.ts';

export interface HintHistoryOptions {
  maxClients: number;
  /** How long a client is assumed to have what it fetched. */
  rememberMs: number;
}

export interface HintCounts {
  /** Hints given; each URL and client counts once until it is used, wasted or fetched. */
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
  /** No sign tells when it is shown, so it counted as a part of a visit (anticipation.ts). */
  isAnticipated: boolean;
  /** It was prefetched for a page of another site. */
  isEntry?: boolean;
}

/** Values of entries: a state and flags. */
const nothing = 0;
const has = 1;
/** Hinted, not requested yet. */
const hinted = 2;
/** Prefetched, not known to be used yet. */
const ahead = 3;
const stateMask = 3;
/** Flag of `ahead`: it was prefetched after a hint to this client. */
const wasHinted = 4;
/** Flag of `ahead`: it stays when the next page is opened. */
const staysFresh = 8;
/** Flag of `ahead`: a part of its visit is counted already. */
const anticipated = 16;
/** Flag of `ahead`: it is not known whether it stays when the next page is opened. */
const mayStay = 128;
/** Without a state: it was prefetched some pages ago, so the browser may show it from its cache. */
const mayBeKept = 8;
/** Without a state: it was requested, and the response had no lifetime, so the client has it no longer. */
const notKept = 32;
/** Flag of `ahead`: it was prefetched for a page of another site. */
const forElsewhere = 32;
/** Added to `anticipated`: another page was opened from the same one. */
const passedBy = 64;
/** Added to `notKept`: the browser said that it shows the response. */
const told = 128;

const urlsPerClient = 32;
const sweepEntries = 50_000;

export class HintHistory {
  readonly counts: HintCounts = { given: 0, taken: 0, used: 0, wasted: 0, unknown: 0 };
  readonly #rememberMs: number;
  readonly #urls: RecentUrls;

  constructor({ maxClients, rememberMs }: HintHistoryOptions) {
    this.#rememberMs = rememberMs;
    this.#urls = new RecentUrls({
      maxKeys: maxClients,
      urlsPerKey: urlsPerClient,
      onLeave: (value) => this.#lost(value),
    });
  }

  /** True if the client has the URL or is fetching it. */
  has(client: string, url: number, timeMs: number): boolean {
    const state = this.#valueOf(client, url, timeMs) & stateMask;
    return state === has || state === ahead;
  }

  /** True if the URL was neither hinted to the client nor fetched by it. */
  isNew(client: string, url: number, timeMs: number): boolean {
    return (this.#valueOf(client, url, timeMs) & stateMask) === nothing;
  }

  /** True if the URL was hinted to the client, which has not requested it since. */
  isHinted(client: string, url: number, timeMs: number): boolean {
    return (this.#valueOf(client, url, timeMs) & stateMask) === hinted;
  }

  /** Records a hint unless the client has the URL. @returns true if it is a hint */
  offer(client: string, url: number, timeMs: number): boolean {
    const slot = this.#urls.touch(client);
    const entry = this.#urls.findIn(slot, url);
    const value = entry < 0 ? nothing : this.#value(entry, timeMs);
    const state = value & stateMask;
    if (state === has || state === ahead) return false;
    if (state === nothing) this.counts.given++;
    this.#urls.putIn(slot, value === nothing ? -1 : entry, url, hinted, timeMs);
    return true;
  }

  prefetched(client: string, url: number, timeMs: number, how: Prefetched): void {
    const slot = this.#urls.touch(client);
    const entry = this.#urls.findIn(slot, url);
    const value = entry < 0 ? nothing : this.#value(entry, timeMs);
    const state = value & stateMask;
    if (state === ahead || state === has) return;
    if (state === hinted) this.counts.taken++;
    const { freshMs, isAnticipated, isEntry = false } = how;
    const flags =
      (state === hinted ? wasHinted : 0) |
      (freshMs === undefined ? mayStay : freshMs > 0 ? staysFresh : 0) |
      (isAnticipated ? anticipated : 0) |
      (isEntry ? forElsewhere : 0);
    const sinceMs = this.#sinceMs(timeMs, freshMs || undefined);
    this.#urls.putIn(slot, value === nothing ? -1 : entry, url, ahead | flags, sinceMs);
  }

  /** How the history predicted a URL that the client opens now. */
  outcome(client: string, url: number, timeMs: number): VisitOutcome {
    const value = this.#valueOf(client, url, timeMs);
    const state = value & stateMask;
    if (state === hinted) return 'hinted';
    if (state !== ahead) return 'none';
    return (value & wasHinted) === 0 ? 'prefetched' : 'hit';
  }

  /** True if the client prefetched the URL and has given no sign of showing it. */
  isUnseen(client: string, url: number, timeMs: number): boolean {
    const value = this.#valueOf(client, url, timeMs);
    const state = value & stateMask;
    return state === ahead || (state === nothing && (value & mayBeKept) !== 0);
  }

  /** True if the client prefetched the URL for a page of another site. */
  isEntry(client: string, url: number, timeMs: number): boolean {
    const value = this.#valueOf(client, url, timeMs);
    return (value & stateMask) === ahead && (value & forElsewhere) !== 0;
  }

  /** True if a part of this visit was counted when the page was prefetched. */
  isAnticipated(client: string, url: number, timeMs: number): boolean {
    return (this.#valueOf(client, url, timeMs) & anticipated) !== 0;
  }

  /**
   * Records that the client requests or shows the URL.
   * @param freshMs how long its browser uses the response without revalidating it; undefined: not known
   */
  demanded(client: string, url: number, timeMs: number, freshMs?: number): void {
    const slot = this.#urls.touch(client);
    const entry = this.#urls.findIn(slot, url);
    const value = entry < 0 ? nothing : this.#value(entry, timeMs);
    if ((value & stateMask) === hinted || (value & wasHinted) !== 0) this.counts.used++;
    // If the page is shown from a prefetch, it is kept only if the prefetched response had a lifetime.
    const isUsedUp = (value & stateMask) === ahead && (value & staysFresh) === 0;
    const isKept = !isUsedUp && freshMs !== 0;
    const sinceMs = isKept ? this.#sinceMs(timeMs, freshMs) : timeMs;
    this.#urls.putIn(slot, value === nothing ? -1 : entry, url, isKept ? has : notKept, sinceMs);
  }

  /** The client's browser says that it shows the URL. @returns false if no request for what it shows is known */
  reportedShown(client: string, url: number, timeMs: number): boolean {
    if (this.has(client, url, timeMs)) return true;
    const value = this.#valueOf(client, url, timeMs);
    if ((value & notKept) === 0 || (value & told) !== 0) return false;
    const slot = this.#urls.touch(client);
    this.#urls.changeIn(slot, (other, of) => (of === url ? other | told : other));
    return true;
  }

  /** The client shows the URL without a request now. If no request is known, somebody else sent it. */
  seen(client: string, url: number, timeMs: number): void {
    const value = this.#valueOf(client, url, timeMs);
    if (value === nothing || (value & stateMask) === hinted) this.demanded(client, url, timeMs);
  }

  /** The client opens a page: its browser drops what it prefetched for the last page, unless it stays fresh.
   *  @param onUnused called with each other URL that was anticipated, until it has returned true for the URL */
  opened(client: string, page: number, onUnused: (url: number) => boolean): void {
    const slot = this.#urls.touch(client);
    this.#urls.changeIn(slot, (value, url) => {
      if ((value & stateMask) !== ahead || url === page) return value;
      const isPending = (value & (anticipated | passedBy)) === anticipated;
      const isPassed = isPending && onUnused(url);
      if ((value & mayStay) !== 0) {
        this.#lost(value);
        return mayBeKept | (value & anticipated);
      }
      if ((value & staysFresh) === 0) return nothing;
      return isPassed ? value | passedBy : value;
    });
  }

  /** The client left the page for which this was prefetched without opening it. A fresh response may be shown later. */
  unused(client: string, url: number, timeMs: number): void {
    const slot = this.#urls.touch(client);
    const entry = this.#urls.findIn(slot, url);
    const value = entry < 0 ? nothing : this.#value(entry, timeMs);
    if ((value & stateMask) !== ahead || (value & staysFresh) !== 0) return;
    // It is now known that the page was not shown.
    this.#urls.putIn(slot, entry, url, value & ~anticipated, timeMs);
    this.#urls.drop(entry);
  }

  /** Counts expired hints as wasted; visits a bounded number of entries. */
  sweep(timeMs: number): void {
    this.#urls.sweep(timeMs, this.#rememberMs, sweepEntries);
  }

  /** Forgets all clients, because pseudonyms change; open hints count as neither used nor wasted. */
  clear(): void {
    const { wasted, unknown } = this.counts;
    this.#urls.clear();
    Object.assign(this.counts, { wasted, unknown });
  }

  /** A response that is fresh for less time than entries live is recorded with an earlier time. */
  #sinceMs(timeMs: number, freshMs: number | undefined): number {
    if (freshMs === undefined || freshMs >= this.#rememberMs) return timeMs;
    return timeMs - (this.#rememberMs - freshMs);
  }

  #lost(value: number): void {
    if ((value & stateMask) === hinted) this.counts.wasted++;
    else if ((value & wasHinted) !== 0) {
      if ((value & anticipated) !== 0) this.counts.unknown++;
      else this.counts.wasted++;
    }
  }

  #valueOf(client: string, url: number, timeMs: number): number {
    const entry = this.#urls.find(client, url);
    return entry < 0 ? nothing : this.#value(entry, timeMs);
  }

  /** The value of an entry; an expired entry is dropped and has none. */
  #value(entry: number, timeMs: number): number {
    const ageMs = this.#urls.ageMs(entry, timeMs);
    // A slow response is judged by the time of its request, which may be before that of the entry.
    if (Math.abs(ageMs) <= this.#rememberMs) return this.#urls.valueAt(entry);
    this.#urls.drop(entry);
    return nothing;
  }
}
