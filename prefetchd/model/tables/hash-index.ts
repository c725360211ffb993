// Finds numbers (ids, rows) by a 32-bit hash: chains in one typed array. Buckets grow one at a time (linear hashing,
// Litwin 1980): each addition splits at most one bucket, so no call rehashes the whole table.
//
// Invariant: with 2^k <= buckets < 2^(k+1), buckets below `buckets - 2^k` are already split and use one more bit of
// the hash. There are never more entries than buckets, so the average chain has one entry.

import { growArray } from './grow-array.ts';

const end = 0;

export class HashIndex {
  /** First entry of each bucket, plus one; 0 if the bucket is empty. */
  #heads = new Int32Array(32);
  /** For each entry: its hash, then the next entry of its chain, plus one. */
  #entries = new Int32Array(32);
  #size = 0;
  #buckets = 16;
  /** Always 2^k - 1. */
  #mask = 15;

  /** First entry that may have this hash; -1 for none. */
  first(hash: number): number {
    return (this.#heads[this.#bucketOf(hash)] as number) - 1;
  }

  /** The next entry of the chain; -1 for none. */
  next(entry: number): number {
    return (this.#entries[2 * entry + 1] as number) - 1;
  }

  /** Hash of an entry, 32 bits, signed. */
  hashOf(entry: number): number {
    return this.#entries[2 * entry] as number;
  }

  /** Add an entry, which must not be in a bucket yet. */
  add(entry: number, hash: number): void {
    if (2 * entry >= this.#entries.length) {
      const entries = Math.max(entry + 1, Math.ceil(this.#entries.length * 0.75));
      this.#entries = growArray(this.#entries, new Int32Array(2 * entries));
    }
    this.#entries[2 * entry] = hash;
    this.#link(entry, this.#bucketOf(hash));
    if (++this.#size > this.#buckets) this.#split();
  }

  remove(entry: number): void {
    const bucket = this.#bucketOf(this.hashOf(entry));
    const after = this.#entries[2 * entry + 1] as number;
    let at = (this.#heads[bucket] as number) - 1;
    if (at === entry) {
      this.#heads[bucket] = after;
    } else {
      while (this.next(at) !== entry) at = this.next(at);
      this.#entries[2 * at + 1] = after;
    }
    this.#size--;
  }

  get typedBytes(): number {
    return this.#heads.byteLength + this.#entries.byteLength;
  }

  #bucketOf(hash: number): number {
    const bucket = hash & (2 * this.#mask + 1);
    return bucket < this.#buckets ? bucket : bucket & this.#mask;
  }

  #link(entry: number, bucket: number): void {
    this.#entries[2 * entry + 1] = this.#heads[bucket] as number;
    this.#heads[bucket] = entry + 1;
  }

  /** Add a bucket and move its share of entries from the bucket that is split. */
  #split(): void {
    const made = this.#buckets;
    if (made === this.#heads.length) {
      this.#heads = growArray(this.#heads, new Int32Array(Math.ceil(made * 1.5)));
    }
    const from = made & this.#mask;
    let at = this.#heads[from] as number;
    this.#heads[from] = end;
    this.#heads[made] = end;
    this.#buckets++;
    while (at !== end) {
      const entry = at - 1;
      at = this.#entries[2 * entry + 1] as number;
      this.#link(entry, this.#bucketOf(this.#entries[2 * entry] as number));
    }
    if (this.#buckets === 2 * (this.#mask + 1)) this.#mask = 2 * this.#mask + 1;
  }
}
