// Defines a map of bounded size that keeps what was used last: when it is full, the tenth that was used longest ago is
// evicted. Unlike lru-cache, it needs no memory before it has entries, so a bound may be generous.

export class LatestMap<K, V> {
  readonly #most: number;
  readonly #onEvicted: (value: V) => void;
  /** Entries, the latest last. */
  readonly #entries = new Map<K, V>();

  constructor(most: number, onEvicted: (value: V) => void = () => {}) {
    this.#most = most;
    this.#onEvicted = onEvicted;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key, which becomes the latest key. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  /** The value of a key, whose place in the order stays. */
  peek(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.size > this.#most) this.#evict();
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The values, the latest last. */
  values(): Iterable<V> {
    return this.#entries.values();
  }

  #evict(): void {
    const kept = this.#most - Math.floor(this.#most / 10);
    for (const [key, value] of this.#entries) {
      if (this.size <= kept) return;
      this.#entries.delete(key);
      this.#onEvicted(value);
    }
  }
}
