// Keeps counts of about the last hour for small charts, as growth per interval. A sample is recorded every ten seconds
// from the first watcher on (`Engine.watch`).

const sampleMs = 10_000;
const mostSamples = 360;
/** Limit on the points of one of the dashboard's small charts. */
const mostPoints = 60;

interface SecondCounts {
  clicks: number;
  used: number;
}

/** Numbers of clicks to pages, and of prefetched pages that were opened, since the process started. */
export interface CountTotals {
  pages: SecondCounts;
}

export interface Series extends Record<keyof SecondCounts, number[]> {
  /** Length of each interval for which the counts are given, ms. */
  intervalMs: number;
  /** End of the last interval for which the counts are given, ms since the epoch. */
  toMs: number;
}

export class CountSeries {
  /** How many clicks and used prefetches were counted in each ten seconds, latest first. */
  #samples: SecondCounts[] = [];
  #last: SecondCounts;
  #lastMs: number;

  /** @param counts the totals at which the first interval begins */
  constructor(nowMs: number, counts: CountTotals) {
    this.#lastMs = nowMs;
    this.#last = { ...counts.pages };
  }

  /** Records a sample of the counts if ten seconds have passed since the last one; call this often. */
  tick(nowMs: number, read: () => CountTotals): void {
    if (nowMs - this.#lastMs < sampleMs && nowMs >= this.#lastMs) return;
    const { clicks, used } = read().pages;
    const growth = { clicks: clicks - this.#last.clicks, used: used - this.#last.used };
    this.#samples = [growth, ...this.#samples.slice(0, mostSamples - 1)];
    // After a long pause (the process was busy or suspended), one long interval replaces several.
    this.#lastMs = nowMs;
    this.#last = { clicks, used };
  }

  /** Returns the growth of the counts in at most 60 intervals of equal length; the first may be incomplete. */
  series(): Series {
    const samples = this.#samples;
    const perPoint = Math.max(1, Math.ceil(samples.length / mostPoints));
    const points: SecondCounts[] = [];
    for (const [back, { clicks, used }] of samples.entries()) {
      const point = points[Math.floor(back / perPoint)];
      if (point === undefined) points.push({ clicks, used });
      else {
        point.clicks += clicks;
        point.used += used;
      }
    }
    points.reverse();
    return {
      intervalMs: perPoint * sampleMs,
      toMs: this.#lastMs,
      clicks: points.map(({ clicks }) => clicks),
      used: points.map(({ used }) => used),
    };
  }
}
