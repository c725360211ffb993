// A readable time axis from 0: ticks at 1, 2 or 5 times a power of ten, all in one unit, at least 0.001 ms apart,
// because closer ticks would have equal labels.

import { roundMs } from './units.ts';

export interface TimeTick {
  atMs: number;
  /** `0`, `20 ms`, `1.5 s`. */
  label: string;
}

/** Ticks from 0 to `endMs`: about `count`, at most one more. */
export function timeTicks(endMs: number, count: number): TimeTick[] {
  const rough = Math.max(0.001, endMs / Math.max(1, count));
  const power = 10 ** Math.floor(Math.log10(rough));
  const stepMs = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const inSeconds = endMs >= 1000;
  const ticks: TimeTick[] = [];
  for (let i = 0; i * stepMs <= endMs; i++) {
    const atMs = roundMs(i * stepMs);
    const label = inSeconds ? `${roundMs(atMs / 1000)} s` : `${atMs} ms`;
    ticks.push({ atMs, label: i === 0 ? '0' : label });
  }
  return ticks;
}
