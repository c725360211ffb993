// How long lines are held, which follows the load (Hauck 1994, 4): above a threshold of held lines the time is
// decreased with each grant, below a minimum it is increased again, and when too many are held none is granted: so many
// that there is no line to close for a new one, because each was held for less than the shortest time.

export interface HoldTimeOptions {
  /** Longest time, seconds. */
  maxSeconds: number;
  /** Shortest time, seconds. */
  minSeconds: number;
  /** Held lines above which the time is decreased. */
  threshold: number;
  /** Held lines below which it is increased again. */
  minimum: number;
  /** Lines that may be held: at this number one has to be closed for a new one. */
  most: number;
}

export interface HeldNow {
  held: number;
  oldestSeconds: number;
}

/** Of the time, with each grant. */
const step = 0.1;

export class HoldTime {
  readonly #options: HoldTimeOptions;
  #seconds: number;

  constructor(options: HoldTimeOptions) {
    this.#options = options;
    this.#seconds = options.maxSeconds;
  }

  /** For a line that would be granted now, seconds. */
  get seconds(): number {
    return this.#seconds;
  }

  /**
   * @param lines That are held now, and for how long the oldest of them
   * @param wanted Seconds that the client will wait; null: it does not say
   * @returns Whole seconds; null: not granted
   */
  grant({ held, oldestSeconds }: HeldNow, wanted: number | null): number | null {
    const { maxSeconds, minSeconds, threshold, minimum, most } = this.#options;
    if (held >= most && oldestSeconds < minSeconds) return null;
    if (held > threshold) this.#seconds = Math.max(minSeconds, this.#seconds * (1 - step));
    else if (held < minimum) this.#seconds = Math.min(maxSeconds, this.#seconds * (1 + step));
    const seconds = Math.floor(Math.min(this.#seconds, wanted ?? this.#seconds));
    return seconds < 1 ? null : seconds;
  }
}
