// What each client has, and what became of its hints. A URL that a client requested or prefetched is not hinted to it
// again for a while. A hint is used if its client requests the URL in time, otherwise wasted. Showing a prefetched
// page causes no further request, so a hinted prefetch counts as taken, and as used only on a sign that the page is
// shown (`shown`). That page view is then learned like any visit (`isUnseen`); otherwise each successful prefetch
// would lower the probability of its own hint.

import { RecentUrls } from './recent-urls.ts';

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
  wasted: number;
}

const nothing = 0;
const has = 1;
/** Hinted, not requested yet. */
const hinted = 2;
/** Hinted and prefetched, not known to be used yet. */
const taken = 3;
/** Prefetched without a hint to this client, not known to be used yet. */
const ahead = 4;

const urlsPerClient = 32;
const sweepEntries = 50_000;

export class HintHistory {
  readonly counts: HintCounts = { given: 0, taken: 0, used: 0, wasted: 0 };
  readonly #rememberMs: number;
  readonly #urls: RecentUrls;

  constructor({ maxClients, rememberMs }: HintHistoryOptions) {
    this.#rememberMs = rememberMs;
    const onLeave = (value: number) => {
      if (value === hinted || value === taken) this.counts.wasted++;
    };
    this.#urls = new RecentUrls({ maxKeys: maxClients, urlsPerKey: urlsPerClient, onLeave });
  }

  /** True if the client has it or is fetching it. */
  has(client: string, url: number, timeMs: number): boolean {
    const entry = this.#urls.find(client, url);
    const state = entry < 0 ? nothing : this.#state(entry, timeMs);
    return state === has || state === taken || state === ahead;
  }

  /** Record a hint unless the client has the URL. @returns true if it is a hint */
  offer(client: string, url: number, timeMs: number): boolean {
    const slot = this.#urls.touch(client);
    const entry = this.#urls.findIn(slot, url);
    const state = entry < 0 ? nothing : this.#state(entry, timeMs);
    if (state === has || state === taken || state === ahead) return false;
    if (state === nothing) this.counts.given++;
    this.#urls.putIn(slot, state === nothing ? -1 : entry, url, hinted, timeMs);
    return true;
  }

  prefetched(client: string, url: number, timeMs: number): void {
    const slot = this.#urls.touch(client);
    const entry = this.#urls.findIn(slot, url);
    const state = entry < 0 ? nothing : this.#state(entry, timeMs);
    if (state === taken || state === ahead) return;
    if (state === hinted) this.counts.taken++;
    const value = state === hinted ? taken : state === has ? has : ahead;
    this.#urls.putIn(slot, state === nothing ? -1 : entry, url, value, timeMs);
  }

  /** True if the client prefetched it and has given no sign of showing it. */
  isUnseen(client: string, url: number, timeMs: number): boolean {
    const entry = this.#urls.find(client, url);
    const state = entry < 0 ? nothing : this.#state(entry, timeMs);
    return state === taken || state === ahead;
  }

  /** The client requested or shows it. @returns the client's slot, which may later be reused for another client */
  demanded(client: string, url: number, timeMs: number): number {
    const slot = this.#urls.touch(client);
    const entry = this.#urls.findIn(slot, url);
    const state = entry < 0 ? nothing : this.#state(entry, timeMs);
    if (state === hinted || state === taken) this.counts.used++;
    this.#urls.putIn(slot, state === nothing ? -1 : entry, url, has, timeMs);
    return slot;
  }

  /** Expired hints become wasted; visits a bounded number of entries. */
  sweep(timeMs: number): void {
    this.#urls.sweep(timeMs, this.#rememberMs, sweepEntries);
  }

  /** Forget all clients, because pseudonyms change; open hints count as neither used nor wasted. */
  clear(): void {
    const { wasted } = this.counts;
    this.#urls.clear();
    this.counts.wasted = wasted;
  }

  /** State of an entry; an expired one is dropped and has none. */
  #state(entry: number, timeMs: number): number {
    const ageMs = this.#urls.ageMs(entry, timeMs);
    if (ageMs >= 0 && ageMs <= this.#rememberMs) return this.#urls.valueAt(entry);
    this.#urls.drop(entry);
    return nothing;
  }
}
