// Ages counts exponentially without a sweep (forward decay): old counts stay as they are and new accesses count more.
// `gain` is the current weight of an access and doubles every half-life. A weight is a ratio of sums of gains, so it is
// always aged to the present. When the gain becomes large, the owner (nodes.ts) scales all counts down by an exact
// power of two.
//
// Time comes with the accesses and may be wrong. A step back of up to an hour is disorder (merged logs, slow requests):
// time stands still until it is ahead again. A larger step back is a clock that was set back: time continues from
// there. A step forward counts as at most one half-life, so a quiet month or one line from the year 2999 erases
// nothing.

const disorderMs = 60 * 60 * 1000;
/** Number of half-lives after which all counts are scaled down. It is large, because scaling touches every count, but a
 *  sum of 2^53 gains of up to 2^512 must not overflow. */
const scaleAge = 512;

export class Ageing {
  /** Weight of an access that is counted now; it doubles each half-life. */
  gain = 1;
  readonly #halfLifeMs: number | null;
  #nowMs = Number.NaN;
  /** Number of half-lives since the counts were last scaled down. */
  #age = 0;

  constructor(halfLifeMs: number | null) {
    this.#halfLifeMs = halfLifeMs;
  }

  /** Advances the model's time to that of an access, ms, so that newer accesses get a larger weight (`gain`). */
  advance(timeMs: number): void {
    const halfLifeMs = this.#halfLifeMs;
    if (halfLifeMs === null || timeMs === this.#nowMs || !Number.isFinite(timeMs)) return;
    const stepMs = timeMs - this.#nowMs;
    if (stepMs < 0 && stepMs >= -disorderMs) return;
    this.#nowMs = timeMs;
    if (stepMs > 0) {
      this.#age += Math.min(1, stepMs / halfLifeMs);
      this.gain = 2 ** this.#age;
    }
  }

  /** Returns the exact factor by which all counts must be multiplied now, as `gain` was scaled down, too; 1: none. */
  takeScale(): number {
    if (this.#age < scaleAge) return 1;
    this.#age -= scaleAge;
    this.gain = 2 ** this.#age;
    return 2 ** -scaleAge;
  }
}
