// What a prefetch got, as a cache sees it.

import type { CacheResponse } from '../cache/entry.ts';
import type { PrefetchJob } from './prefetch-job.ts';

/** @returns null: no header section came yet. */
export function cacheResponseOf({ head, batch }: PrefetchJob): CacheResponse | null {
  if (head === null) return null;
  const { status, statusText, headers, startedAt } = head;
  const requestedAtMs = wallTime(batch?.sentAt ?? startedAt);
  return { status, statusText, headers, requestedAtMs, receivedAtMs: wallTime(startedAt) };
}

/** From a monotonic time to the wall clock, ms since the epoch. */
function wallTime(at: number): number {
  return Date.now() - performance.now() + at;
}
