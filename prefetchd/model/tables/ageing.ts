// Exponential ageing without a sweep (forward decay): instead of making old counts smaller, new
// accesses count more. `gain` is what an access counts now; it doubles every half life. A weight is
// a ratio of sums of gains, so it comes out aged to the moment whoever reads it. Once the gain is
// large the counts are scaled down by an exact power of two (the owner does it, see nodes.ts).
//
// Time comes with the accesses and may be wrong. A step back of up to an hour is disorder (merged
// logs, slow requests): nothing happens until time is ahead again. A longer one is a clock set back:
// time goes on from there. A step ahead counts at most one half life: a quiet month, or one line
// from the year 2999, is no evidence against what was learned.

const disorderMs = 60 * 60 * 1000;
/** Half lives between two scalings, which touch every count: far apart, and no sum of 2^53 gains overflows. */
const scaleAge = 512;

export class Ageing {
  /** What one access counts now. */
  gain = 1;
  readonly #halfLifeMs: number | null;
  #nowMs = Number.NaN;
  /** Half lives since the last scaling down. */
  #age = 0;

  constructor(halfLifeMs: number | null) {
    this.#halfLifeMs = halfLifeMs;
  }

  /** Time as an access tells it, ms. */
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

  /** The exact factor by which all counts are to be scaled now, or 1; `gain` is scaled already. */
  takeScale(): number {
    if (this.#age < scaleAge) return 1;
    this.#age -= scaleAge;
    this.gain = 2 ** this.#age;
    return 2 ** -scaleAge;
  }
}
