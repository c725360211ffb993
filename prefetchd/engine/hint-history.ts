// What each client has, and what became of its hints. A URL a client asked for or prefetched is not hinted
// to it again for a while; a hint is used when its client asks for the URL in time, and wasted when it
// does not. A page shown from a prefetch asks the server for nothing more than the prefetch itself, so a
// prefetch that was hinted counts as taken, and as used only when there is a sign of it (`shown`). Then it is a
// visit like any other, which is learned (`isUnseen`): otherwise each prefetch that came true would make its
// own hint less probable, until it is given no more.

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

const nothing = 0;
const has = 1;
/** Hinted, nothing followed yet. */
const hinted = 2;
/** Hinted and prefetched, not seen in use yet. */
const taken = 3;
/** Prefetched without a hint to this client, not seen in use yet. */
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

  /** The client has it already, or has it on the way. */
  has(client: string, url: number, timeMs: number): boolean {
    const entry = this.#urls.find(client, url);
    const state = entry < 0 ? nothing : this.#state(entry, timeMs);
    return state === has || state === taken || state === ahead;
  }

  /** Notes a hint, unless the client has the URL; whether it is one. */
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

  /** The client prefetched it, and there was no sign yet that it shows it. */
  isUnseen(client: string, url: number, timeMs: number): boolean {
    const entry = this.#urls.find(client, url);
    const state = entry < 0 ? nothing : this.#state(entry, timeMs);
    return state === taken || state === ahead;
  }

  /** The client asked for it, or shows it. @returns the place of the client, which others get after it */
  demanded(client: string, url: number, timeMs: number): number {
    const slot = this.#urls.touch(client);
    const entry = this.#urls.findIn(slot, url);
    const state = entry < 0 ? nothing : this.#state(entry, timeMs);
    if (state === hinted || state === taken) this.counts.used++;
    this.#urls.putIn(slot, state === nothing ? -1 : entry, url, has, timeMs);
    return slot;
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

  /** What an entry says; when its time is over it leaves, and says nothing. */
  #state(entry: number, timeMs: number): number {
    const ageMs = this.#urls.ageMs(entry, timeMs);
    if (ageMs >= 0 && ageMs <= this.#rememberMs) return this.#urls.valueAt(entry);
    this.#urls.drop(entry);
    return nothing;
  }
}
