// Caches results computed for texts. Accesses are repetitive: the same URLs, user agents and addresses occur thousands
// of times, and a verdict on one takes microseconds. When the cache is full, it starts anew: it is bounded, and needs
// no bookkeeping.

const maxKeyLength = 2048;

export class TextMemo<T extends NonNullable<unknown> | null> {
  readonly #compute: (key: string) => T;
  readonly #maxEntries: number;
  readonly #known = new Map<string, T>();

  constructor(compute: (key: string) => T, maxEntries = 10_000) {
    this.#compute = compute;
    this.#maxEntries = maxEntries;
  }

  get(key: string): T {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const own = ownText(key);
    const value = this.#compute(own);
    if (own.length > maxKeyLength) return value;
    if (this.#known.size >= this.#maxEntries) this.#known.clear();
    this.#known.set(own, value);
    return value;
  }

  clear(): void {
    this.#known.clear();
  }
}

/** Returns a copy of the text that does not share memory with another: V8 keeps the whole text alive for a slice of
 *  it. */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
