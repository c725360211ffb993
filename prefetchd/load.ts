// How busy this process is, as its event loop tells: the share of time in which it did not wait. Read it
// as often as you like; it is measured over the last stretch of at least a quarter of a second.

import { performance } from 'node:perf_hooks';

const stretchMs = 250;

/** A function that says how busy the event loop is, 0 idle to 1 always busy. No timer runs for it. */
export function eventLoopLoad(): () => number {
  let before = performance.eventLoopUtilization();
  let measuredMs = performance.now();
  let load = 0;
  return () => {
    const nowMs = performance.now();
    if (nowMs - measuredMs < stretchMs) return load;
    const now = performance.eventLoopUtilization();
    load = performance.eventLoopUtilization(now, before).utilization;
    before = now;
    measuredMs = nowMs;
    return load;
  };
}

/** Below it all hints are given. */
export const calm = 0.7;
/** From here on only what is certain is hinted. */
const full = 0.95;
/** From here on prefetches are refused, and less is learned and hinted (server/work-share.ts). */
export const overload = 0.8;

/** p under load: as asked while calm, then rising to 1, when nothing is probable enough. */
export function thresholdUnderLoad(threshold: number, load: number): number {
  const pressure = Math.min(1, Math.max(0, (load - calm) / (full - calm)));
  return Math.max(threshold, threshold + (1 - threshold) * pressure);
}
