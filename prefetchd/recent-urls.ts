// The latest URLs of each client: for each key (a pseudonym) a ring of URLs with a time and a caller-defined number.
// URLs are stored as 32-bit hashes; a false match within a ring has a chance of one in 100 million and would only
// suppress a hint.
//
// The key to evict is found by second chance (Corbato 1968): a hand goes round the rings and takes the first that was
// not touched since it passed. A touch writes one byte, and keys seen once are evicted before keys that return.
//
// Invariant: at most `maxKeys` rings, all in typed arrays that grow with the number of keys, nine bytes per entry.

import { growArray } from './grow-array.ts';

/** An entry may be recorded with a time up to this long ago. */
const oldestMs = 8 * 24 * 60 * 60 * 1000;

export interface RecentUrlsOptions {
  maxKeys: number;
  urlsPerKey: number;
  /** Called when an entry is removed: its ring is full, its key is evicted, or it was swept. Not called for empty
   *  entries. */
  onLeave?: (value: number) => void;
}

export class RecentUrls {
  readonly #maxKeys: number;
  readonly #urlsPerKey: number;
  readonly #onLeave: (value: number) => void;
  readonly #slots = new Map<string, number>();
  /** Key of each slot. */
  readonly #keys: string[] = [];
  /** For each slot: 1 if touched again since its creation or the last pass of the hand. */
  #touched = new Uint8Array(0);
  #hand = 0;
  #urls = new Uint32Array(0);
  /** Time of each entry, seconds since the first entry. */
  #times = new Uint32Array(0);
  /** Value of each entry; 0 if it is empty. */
  #values = new Uint8Array(0);
  /** Next write position of each slot. */
  #heads = new Uint8Array(0);
  #baseMs = Number.NaN;
  #swept = 0;

  /** @param options `urlsPerKey` at most 255 */
  constructor({ maxKeys, urlsPerKey, onLeave = () => {} }: RecentUrlsOptions) {
    this.#maxKeys = maxKeys;
    this.#urlsPerKey = urlsPerKey;
    this.#onLeave = onLeave;
  }

  /** Number of keys. */
  get size(): number {
    return this.#slots.size;
  }

  /** The entry of a URL: an index for `valueAt` and the like, valid until the next `put`; -1 if absent. */
  find(key: string, url: number): number {
    const slot = this.#slots.get(key);
    return slot === undefined ? -1 : this.findIn(slot, url);
  }

  /** Like `find`, for the slot returned by `touch`. */
  findIn(slot: number, url: number): number {
    const start = slot * this.#urlsPerKey;
    for (let at = start; at < start + this.#urlsPerKey; at++) {
      if (this.#urls[at] === url && this.#values[at] !== 0) return at;
    }
    return -1;
  }

  valueAt(entry: number): number {
    return this.#values[entry] as number;
  }

  /** Age of the entry, ms, to the second; negative if the clock was set back. */
  ageMs(entry: number, nowMs: number): number {
    return nowMs - this.#baseMs - (this.#times[entry] as number) * 1000;
  }

  /** Record a URL for a key, replacing its previous entry or else the oldest one. */
  put(key: string, url: number, value: number, nowMs: number): void {
    const slot = this.touch(key);
    this.putIn(slot, this.findIn(slot, url), url, value, nowMs);
  }

  /** Like `put`, with a known slot and entry (-1 for none). */
  putIn(slot: number, entry: number, url: number, value: number, nowMs: number): void {
    if (!(nowMs >= this.#baseMs)) this.#rebase(nowMs);
    let at = entry;
    if (at < 0) {
      const head = this.#heads[slot] as number;
      at = slot * this.#urlsPerKey + head;
      this.#heads[slot] = (head + 1) % this.#urlsPerKey;
      this.#leave(at);
      this.#urls[at] = url;
    }
    this.#values[at] = value;
    this.#times[at] = Math.floor((nowMs - this.#baseMs) / 1000);
  }

  /** Remove the entry. */
  drop(entry: number): void {
    this.#leave(entry);
  }

  /** Change the values of a slot; 0 removes an entry. */
  changeIn(slot: number, changed: (value: number, url: number) => number): void {
    const start = slot * this.#urlsPerKey;
    for (let at = start; at < start + this.#urlsPerKey; at++) {
      const value = this.#values[at] as number;
      if (value === 0) continue;
      const next = changed(value, this.#urls[at] as number);
      if (next === 0) this.#leave(at);
      else this.#values[at] = next;
    }
  }

  /** Remove entries older than `lifeMs`; visits the next `most` entries in turn. */
  sweep(nowMs: number, lifeMs: number, most: number): void {
    const { length } = this.#values;
    for (let i = 0; i < most && i < length; i++) {
      this.#swept = (this.#swept + 1) % length;
      if (this.#values[this.#swept] !== 0 && this.ageMs(this.#swept, nowMs) > lifeMs) {
        this.#leave(this.#swept);
      }
    }
  }

  /** Remove everything. */
  clear(): void {
    for (let at = 0; at < this.#values.length; at++) this.#leave(at);
    this.#slots.clear();
    this.#keys.length = 0;
    this.#hand = 0;
  }

  #leave(at: number): void {
    const value = this.#values[at] as number;
    if (value === 0) return;
    this.#values[at] = 0;
    this.#onLeave(value);
  }

  /** The slot of a key, created if needed; valid until the next `touch`. */
  touch(key: string): number {
    const known = this.#slots.get(key);
    if (known !== undefined) {
      this.#touched[known] = 1;
      return known;
    }
    const slot = this.#slots.size < this.#maxKeys ? this.#slots.size : this.#forgetOne();
    if (slot >= this.#heads.length) this.#grow();
    this.#slots.set(key, slot);
    this.#keys[slot] = key;
    this.#touched[slot] = 0;
    this.#heads[slot] = 0;
    return slot;
  }

  #forgetOne(): number {
    while (this.#touched[this.#hand] === 1) {
      this.#touched[this.#hand] = 0;
      this.#hand = (this.#hand + 1) % this.#maxKeys;
    }
    const slot = this.#hand;
    this.#hand = (slot + 1) % this.#maxKeys;
    this.#slots.delete(this.#keys[slot] as string);
    const start = slot * this.#urlsPerKey;
    for (let at = start; at < start + this.#urlsPerKey; at++) this.#leave(at);
    return slot;
  }

  #grow(): void {
    const slots = Math.min(this.#maxKeys, Math.max(64, this.#heads.length * 2));
    const entries = slots * this.#urlsPerKey;
    this.#heads = growArray(this.#heads, new Uint8Array(slots));
    this.#touched = growArray(this.#touched, new Uint8Array(slots));
    this.#urls = growArray(this.#urls, new Uint32Array(entries));
    this.#times = growArray(this.#times, new Uint32Array(entries));
    this.#values = growArray(this.#values, new Uint8Array(entries));
  }

  /** The clock was set back to before the first entry: all entries count as recorded now. */
  #rebase(nowMs: number): void {
    this.#baseMs = nowMs - oldestMs;
    this.#times.fill(oldestMs / 1000);
  }
}
