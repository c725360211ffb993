// A map that forgets: what is older than asked for, and the oldest when there are too many.

export class TtlMap<V> {
  readonly #most: number;
  readonly #forMs: number;
  readonly #entries = new Map<string, { value: V; untilMs: number }>();

  /** @param forMs how long an entry is known, ms. */
  constructor(most: number, forMs: number) {
    this.#most = most;
    this.#forMs = forMs;
  }

  set(key: string, value: V, forMs = this.#forMs): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, untilMs: performance.now() + forMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#most && oldest !== undefined) this.#entries.delete(oldest);
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || performance.now() < entry.untilMs) return entry?.value;
    this.#entries.delete(key);
    return undefined;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
