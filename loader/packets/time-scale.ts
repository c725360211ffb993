// The time axis of a connection's picture. Idle times that are longer than half of all other time are cut short,
// because else all packets would be squeezed into a line at the edge.

import { timeTicks } from '../report/units.ts';
import type { Facts, Stall } from './facts.ts';

const breakPx = 46;
const mostBreaks = 8;
const leastTickPx = 80;

export class TimeScale {
  /** The idle times that are cut short. */
  readonly breaks: readonly Stall[];
  readonly #lastMs: number;
  readonly #left: number;
  readonly #pxPerMs: number;
  readonly #stepMs: number;

  constructor({ stalls, lastMs, idleMs }: Facts, left: number, right: number) {
    const isLong = ({ fromMs, toMs }: Stall) => toMs - fromMs > (lastMs - idleMs) / 2;
    const long = stalls.filter((stall) => stall.kind === 'idle' && isLong(stall));
    this.breaks = long.length > mostBreaks ? [] : long;
    const cutMs = this.breaks.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    const shownPx = right - left - this.breaks.length * breakPx;
    const shownMs = lastMs - cutMs || 1;
    this.#lastMs = lastMs;
    this.#left = left;
    this.#pxPerMs = shownPx / shownMs;
    this.#stepMs = timeTicks(shownMs, shownPx / leastTickPx)[1]?.atMs ?? shownMs;
  }

  x(ms: number): number {
    let [x, shownMs] = [this.#left, Math.max(0, ms)];
    for (const { fromMs, toMs } of this.breaks) {
      if (ms <= fromMs) break;
      const share = Math.min(1, (ms - fromMs) / (toMs - fromMs));
      x += breakPx * share;
      shownMs -= (toMs - fromMs) * share;
    }
    return x + shownMs * this.#pxPerMs;
  }

  /** Returns the round times, outside the idle times that are cut short, at which the axis has ticks. */
  ticks(): number[] {
    const edges = [0, ...this.breaks.flatMap(({ fromMs, toMs }) => [fromMs, toMs]), this.#lastMs];
    return edges.flatMap((fromMs, i) => {
      if (i % 2 === 1) return [];
      const first = Math.ceil(fromMs / this.#stepMs);
      const last = Math.floor((edges[i + 1] as number) / this.#stepMs);
      const count = Math.max(0, last - first + 1);
      return Array.from({ length: count }, (_, n) => (first + n) * this.#stepMs);
    });
  }
}
