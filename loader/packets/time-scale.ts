// The time axis of a connection's picture. Idle times that are longer than half of all other time are cut short,
// because else all packets would be squeezed into a line at the edge.

import { timeTicks } from '../report/units.ts';
import type { Facts, Stall } from './facts.ts';

/** Width of an idle time that is cut short, px. If more than `mostBreaks` would be, none is. */
const breakPx = 46;
const mostBreaks = 8;
const leastTickPx = 80;

export function timeScale({ stalls, lastMs, idleMs }: Facts, left: number, right: number) {
  const isLong = ({ fromMs, toMs }: Stall) => toMs - fromMs > (lastMs - idleMs) / 2;
  const long = stalls.filter((stall) => stall.kind === 'idle' && isLong(stall));
  /** The idle times of the connection that the axis shows cut short. */
  const breaks = long.length > mostBreaks ? [] : long;
  const cutMs = breaks.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const shownPx = right - left - breaks.length * breakPx;
  const shownMs = lastMs - cutMs || 1;
  const x = (ms: number): number => {
    let [px, beforeMs] = [left, Math.max(0, ms)];
    for (const { fromMs, toMs } of breaks) {
      const share = Math.min(1, Math.max(0, ms - fromMs) / (toMs - fromMs));
      px += breakPx * share;
      beforeMs -= (toMs - fromMs) * share;
    }
    return px + (beforeMs * shownPx) / shownMs;
  };
  const stepMs = timeTicks(shownMs, shownPx / leastTickPx)[1]?.atMs ?? shownMs;
  /** Multiples of `stepMs` at which the axis has ticks; the idle times that are cut short have none. */
  const ticks = [0, ...breaks.map(({ toMs }) => toMs)].flatMap((fromMs, i) => {
    const toMs = breaks[i]?.fromMs ?? lastMs;
    const first = Math.ceil(fromMs / stepMs);
    const count = Math.floor(toMs / stepMs) - first + 1;
    return Array.from({ length: Math.max(0, count) }, (_, n) => (first + n) * stepMs);
  });
  return { breaks, x, ticks };
}
