// How busy this process is: of the processor time it could have had, the share that its own work took. Read it as often
// as you like: it is measured in stretches of at least a quarter of a second.
//
//   load = ran / (ran + idled)
//
// `ran` is processor time of this thread, `idled` the time for which its event loop waited with nothing to do. What is
// left of a stretch is delay: the thread had work, and was not let run, because other processes or virtual machines had
// the processor, or because a quota of the container was used up. Delay counts neither as work nor as time to spare:
//   a machine that is busy with others   the loop is late, and still idles once its work is done: calm
//   half a core by quota, a third used   late at the end of each period, idle before: calm
//   its own work fills what it is let use, a whole core, half of one or a fifth: it never idles, so 1
// The share of the loop's time alone (event loop utilization) counts delay as work; then a machine that was busy with
// others stopped hints in a process that used a tenth of a core. Processor time alone never says that a quota is full.

import { performance } from 'node:perf_hooks';

const stretchMs = 250;
/** So much of a stretch this thread ran or idled; where others have the processor, that takes longer, ms. */
const leastOwnMs = 100;
/** Of load that lasts: a second of it. */
const lastingStretches = 4;

/** Where a stretch began; each is a sum since the start, ms. */
export interface LoadSample {
  /** Monotonic. */
  readonly nowMs: number;
  /** Processor time of the thread. */
  readonly ranMs: number;
  /** Time for which its event loop waited for something to do. */
  readonly idledMs: number;
}

/** How busy it was from one sample to the next, 0 idle to 1: all it may use. */
export function loadBetween(before: LoadSample, after: LoadSample): number {
  const tookMs = after.nowMs - before.nowMs;
  const idledMs = Math.max(0, after.idledMs - before.idledMs);
  // Of a process with more threads than one it may be more than the loop took (see ranMs).
  const ranMs = Math.min(Math.max(0, after.ranMs - before.ranMs), Math.max(0, tookMs - idledMs));
  return ranMs === 0 ? 0 : ranMs / (ranMs + idledMs);
}

/** A function that says how busy this thread was in the last stretch, 0 idle to 1 all it may use. No timer runs for it. */
export function threadLoad(): () => number {
  return leastLoad(1);
}

/**
 * The same of load that lasts: the least of the last four stretches, the time before it was made counting as idle. What
 * passes is no load then: a process compiles all that it has when it starts.
 *
 * @param sample, monotonicMs for tests
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

/** Before Node 23.9 there is that of the process alone, garbage collection and compression of other threads included. */
function ranMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1000;
}

/** Below it all hints are given. */
export const calm = 0.7;
/** From here on only what is certain is hinted. */
const full = 0.95;
/** From here on prefetches are refused, and less is learned and hinted (server/hints/load-shedding.ts). */
export const overload = 0.8;

/** p under load: as asked while calm, then rising to 1, when nothing is probable enough. */
export function thresholdUnderLoad(threshold: number, load: number): number {
  const pressure = Math.min(1, Math.max(0, (load - calm) / (full - calm)));
  return Math.max(threshold, threshold + (1 - threshold) * pressure);
}
