// A time axis from 0 that a person can read: ticks at 1, 2 or 5 times a power of ten, in one unit
// for all of them; never closer than 0.001 ms, below which two would have the same label.

import { roundMs } from './units.ts';

export interface TimeTick {
  atMs: number;
  /** `0`, `20 ms`, `1.5 s`. */
  label: string;
}

/** Ticks from 0 up to `endMs`, about `count` of them and at most one more. */
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
