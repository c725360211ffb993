// What each client has, and what became of its hints. A URL a client asked for or prefetched is not hinted
// to it again for a while; a hint is used when its client asks for the URL in time, and wasted when it
// does not. A page shown from a prefetch asks the server for nothing more than the prefetch itself, so a
// prefetch that was hinted counts as taken, and as used only when there is a sign of it (`shown`).

import { RecentUrls } from './recent-urls.ts';

export interface HintHistoryOptions {
  maxClients: number;
  /** For so long a client is taken to have what it fetched. */
  rememberMs: number;
}

export interface HintCounts {
  /** Hints given, each URL and client once until it was used, wasted or fetched. */
  given: number;
  /** Hints that a prefetch followed. */
  taken: number;
  used: number;
  wasted: number;
}

const has = 1;
/** Hinted, nothing followed yet. */
const hinted = 2;
/** Hinted and prefetched, not seen in use yet. */
const taken = 3;

const urlsPerClient = 32;
const sweepEntries = 50_000;

export class HintHistory {
  readonly counts: HintCounts = { given: 0, taken: 0, used: 0, wasted: 0 };
  readonly #rememberMs: number;
  readonly #urls: RecentUrls;

  constructor({ maxClients, rememberMs }: HintHistoryOptions) {
    this.#rememberMs = rememberMs;
    const onLeave = (value: number) => {
      if (value !== has) this.counts.wasted++;
    };
    this.#urls = new RecentUrls({ maxKeys: maxClients, urlsPerKey: urlsPerClient, onLeave });
  }

  /** The client has it already, or has it on the way. */
  has(client: string, url: number, timeMs: number): boolean {
    const state = this.#state(client, url, timeMs);
    return state === has || state === taken;
  }

  hinted(client: string, url: number, timeMs: number): void {
    if (this.#state(client, url, timeMs) !== hinted) this.counts.given++;
    this.#urls.put(client, url, hinted, timeMs);
  }

  prefetched(client: string, url: number, timeMs: number): void {
    const state = this.#state(client, url, timeMs);
    if (state === taken) return;
    if (state === hinted) this.counts.taken++;
    this.#urls.put(client, url, state === hinted ? taken : has, timeMs);
  }

  /** The client asked for it, or shows it. */
  demanded(client: string, url: number, timeMs: number): void {
    const state = this.#state(client, url, timeMs);
    if (state === hinted || state === taken) this.counts.used++;
    this.#urls.put(client, url, has, timeMs);
  }

  /** Hints whose time is over become wasted; a bounded number of entries is looked at. */
  sweep(timeMs: number): void {
    this.#urls.sweep(timeMs, this.#rememberMs, sweepEntries);
  }

  /** Forget everybody, as when pseudonyms change: what was open is neither used nor wasted. */
  clear(): void {
    const { wasted } = this.counts;
    this.#urls.clear();
    this.counts.wasted = wasted;
  }

  #state(client: string, url: number, timeMs: number): number {
    const entry = this.#urls.find(client, url);
    if (entry < 0) return 0;
    const ageMs = this.#urls.ageMs(entry, timeMs);
    if (ageMs >= 0 && ageMs <= this.#rememberMs) return this.#urls.valueAt(entry);
    this.#urls.drop(entry);
    return 0;
  }
}
