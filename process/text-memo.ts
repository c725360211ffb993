// Caches results computed for texts. Accesses are repetitive: the same URLs, user agents and addresses occur thousands
// of times, and to judge one takes microseconds. When the cache is full, it starts anew: it is bounded, and needs no
// bookkeeping. Also hashes texts (`textHash`).

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
    if (own.length > 2048 /* characters */) return value;
    if (this.#known.size >= this.#maxEntries) this.#known.clear();
    this.#known.set(own, value);
    return value;
  }

  clear(): void {
    this.#known.clear();
  }
}

/** Returns a copy that shares no memory with other texts: V8 keeps a text alive for each slice of it, and what a text is
 *  joined from for the text. */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

/** Hashes a text by FNV-1a over UTF-16 code units, mixed so that every bit depends on all units; 0..2^32-1. */
export function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}
