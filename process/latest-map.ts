// Defines a map of bounded size that keeps what was used last: when it is full, the entry that was used longest ago is
// evicted. It needs no memory before it has entries, so a bound may be generous.

/** When a large map is full, this share of its entries is evicted at once, because V8 finds the first entry slowly: it
 *  passes the places of all that were deleted before. */
const evictedShare = 0.005;

export interface LatestMapOptions<V> {
  /** Returns how much a value counts towards the map's limit (`most`); a value above this limit is not kept. */
  sizeOf?: (value: V) => number;
  onEvicted?: (value: V) => void;
}

export class LatestMap<K, V> {
  readonly #most: number;
  readonly #sizeOf: (value: V) => number;
  readonly #onEvicted: (value: V) => void;
  /** The entries by key, the most recently used last. */
  readonly #entries = new Map<K, V>();
  /** Sum of the sizes of all entries. */
  #total = 0;

  constructor(most: number, { sizeOf = () => 1, onEvicted = () => {} }: LatestMapOptions<V> = {}) {
    this.#most = most;
    this.#sizeOf = sizeOf;
    this.#onEvicted = onEvicted;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the value of a key, and makes this key the most recently used. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  /** Returns the value of a key; unlike `get`, it does not make this key the most recently used. */
  peek(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.delete(key);
    const size = this.#sizeOf(value);
    if (size > this.#most) return;
    this.#entries.set(key, value);
    this.#total += size;
    if (this.#total > this.#most) this.#evict();
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#total -= this.#sizeOf(value);
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#total = 0;
  }

  /** Returns the values, the most recently used last. */
  values(): MapIterator<V> {
    return this.#entries.values();
  }

  #evict(): void {
    let least = evictedShare * this.size;
    for (const [key, value] of this.#entries) {
      if (this.#total <= this.#most && least < 1) return;
      this.delete(key);
      this.#onEvicted(value);
      least--;
    }
  }
}
