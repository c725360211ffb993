// Counts of about the last hour for small charts, as growth per interval. A row of numbers is recorded every ten
// seconds, whether or not anyone is watching.

const sampleMs = 10_000;
const mostSamples = 360;
/** A small chart shows no more points than this. */
const mostPoints = 60;

const names = ['clicks', 'used'] as const;

export type CountName = (typeof names)[number];

/** Totals since the process started. */
export interface CountTotals {
  pages: Record<CountName, number>;
}

export interface Series extends Record<CountName, number[]> {
  /** Length of each interval, ms. */
  intervalMs: number;
  /** End of the last interval, ms since the epoch. */
  toMs: number;
}

export class CountSeries {
  /** Growth per interval of ten seconds, oldest first; two numbers each. */
  readonly #samples = new Uint32Array(mostSamples * names.length);
  #taken = 0;
  #lastMs: number;
  #last: readonly number[];

  constructor(nowMs: number) {
    this.#lastMs = nowMs;
    this.#last = names.map(() => 0);
  }

  /** Call this often; it reads the counts when an interval has ended. */
  tick(nowMs: number, read: () => CountTotals): void {
    if (nowMs - this.#lastMs < sampleMs && nowMs >= this.#lastMs) return;
    const counts = countsOf(read());
    const at = (this.#taken++ % mostSamples) * names.length;
    for (const [index, count] of counts.entries()) {
      this.#samples[at + index] = Math.max(0, count - (this.#last[index] as number));
    }
    // After a long pause (busy or suspended), one long interval replaces several.
    this.#lastMs = nowMs;
    this.#last = counts;
  }

  /** At most 60 intervals of equal length; the last may be incomplete. */
  series(): Series {
    const held = Math.min(this.#taken, mostSamples);
    const perPoint = Math.max(1, Math.ceil(held / mostPoints));
    const points = Math.ceil(held / perPoint);
    const series: Series = {
      intervalMs: perPoint * sampleMs,
      toMs: this.#lastMs,
      clicks: [],
      used: [],
    };
    for (const [index, name] of names.entries()) {
      const sums = new Array<number>(points).fill(0);
      for (let back = 0; back < held; back++) {
        const at = ((this.#taken - 1 - back) % mostSamples) * names.length;
        const point = points - 1 - Math.floor(back / perPoint);
        sums[point] = (sums[point] as number) + (this.#samples[at + index] as number);
      }
      series[name] = sums;
    }
    return series;
  }
}

function countsOf({ pages }: CountTotals): number[] {
  return names.map((name) => pages[name]);
}
