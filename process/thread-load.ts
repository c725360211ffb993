// Load of this process: its share of the processor time it could have used, measured over at least a quarter of a
// second.
//
//   load = ran / (ran + idled)
//
// `ran` is processor time of this thread, `idled` the time its event loop waited with nothing to do. The rest of the
// interval is delay: the thread had work but was not scheduled, because other processes or virtual machines used the
// processor, or a container quota was exhausted. Delay counts neither as work nor as idle time:
//   a machine busy with other processes  the loop is late, but still idles after its work: low
//   half a core by quota, a third used   late at the end of each period, idle before: low
//   its own work fills all it may use    it never idles, whether it may use a whole core or a fifth: 1
// Event loop utilization would count delay as work, and processor time alone would not show that a quota is
// exhausted.

import { performance } from 'node:perf_hooks';

const stretchMs = 250;
/** Least time the thread must have run or idled within a measured interval, ms; on a busy machine, on which it gets
 *  less, the interval is prolonged. */
const leastOwnMs = 100;
/** `lastingLoad` reports the lowest load of this many intervals, which together take a second or longer. */
const lastingStretches = 4;

/** What a thread has done since it started, ms; two samples, at the ends of an interval, give the load in between. */
export interface LoadSample {
  /** Monotonic time of the sample. */
  readonly nowMs: number;
  /** Processor time that the thread has used. */
  readonly ranMs: number;
  /** Time that the thread's event loop waited with nothing to do. */
  readonly idledMs: number;
}

/** Returns the load between two samples: 0: the thread was always idle, 1: it never was. */
export function loadBetween(before: LoadSample, after: LoadSample): number {
  const tookMs = after.nowMs - before.nowMs;
  const idledMs = Math.max(0, after.idledMs - before.idledMs);
  // Before Node 23.9, `ranMs` includes other threads, and may exceed the time for which this one was not idle.
  const ranMs = Math.min(Math.max(0, after.ranMs - before.ranMs), Math.max(0, tookMs - idledMs));
  return ranMs === 0 ? 0 : ranMs / (ranMs + idledMs);
}

/** Returns a function that reports the load of the last interval, 0 idle to 1. Calls begin and end intervals of at
 *  least a quarter of a second, so no timer is needed. */
export function threadLoad(): () => number {
  return leastLoad(1);
}

/**
 * Returns a function that reports the minimum load of the last four intervals; time before its creation counts as idle.
 * Short peaks do not count: a process compiles all its code at startup.
 * @param sample, monotonicMs given by tests only
 */
export function lastingLoad(sample?: () => LoadSample, monotonicMs?: () => number): () => number {
  return leastLoad(lastingStretches, sample, monotonicMs);
}

function leastLoad(
  stretches: number,
  sample: () => LoadSample = sampleThread,
  monotonicMs = () => performance.now(),
): () => number {
  let before = sample();
  let lookedMs = before.nowMs;
  const loads: number[] = new Array(stretches).fill(0);
  let least = 0;
  return () => {
    if (monotonicMs() - lookedMs < stretchMs) return least;
    const now = sample();
    lookedMs = now.nowMs;
    if (now.ranMs + now.idledMs - before.ranMs - before.idledMs < leastOwnMs) return least;
    loads.shift();
    loads.push(loadBetween(before, now));
    least = Math.min(...loads);
    before = now;
    return least;
  };
}

function sampleThread(): LoadSample {
  const { idle } = performance.eventLoopUtilization();
  return { nowMs: performance.now(), ranMs: ranMs(), idledMs: idle };
}

/** Returns the processor time of this thread, ms. Before Node 23.9, only the process total is available, including
 *  garbage collection and compression in other threads. */
function ranMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1000;
}

/** Load of this thread (0..1) below which all hints are given. */
export const calm = 0.7;
/** Load of this thread (0..1) from which on no hints are given. */
const full = 0.95;
/** Load from which on prefetches are refused and fewer visitors get hints (server/hints/load-shedding.ts). */
export const overload = 0.8;

/** Returns the probability above which URLs are hinted under this load: up to the load `calm` it is `threshold`, then
 *  it rises to 1, where nothing is probable enough. */
export function thresholdUnderLoad(threshold: number, load: number): number {
  const pressure = Math.min(1, Math.max(0, (load - calm) / (full - calm)));
  return Math.max(threshold, threshold + (1 - threshold) * pressure);
}
