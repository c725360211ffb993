// Which prefetches are coming into a cache. Who shares it and wants one of them, a `fetch` or so, waits for it instead
// of asking the server again, and finds it in the cache: that knows for which request an answer stands.

import type { HttpCache } from '../cache/http-cache.ts';
import type { JobsInFlight } from './jobs-in-flight.ts';

const fillings = new WeakMap<HttpCache, Set<JobsInFlight>>();

/** From now on these go into that cache. @returns to be called when no more do. */
export function beginShared(cache: HttpCache, active: JobsInFlight): () => void {
  const all = fillings.get(cache) ?? new Set();
  fillings.set(cache, all.add(active));
  return () => void all.delete(active);
}

/**
 * Somebody wants what is being prefetched into the cache: all of it is asked for, and no page ends it.
 * @returns resolves when it is over, and in the cache if it may be; null: nothing is under way for this URL.
 */
export function awaitShared(cache: HttpCache, url: string): Promise<void> | null {
  for (const active of fillings.get(cache) ?? []) {
    const proven = active.awaited(url);
    if (proven !== null) return proven;
  }
  return null;
}

/** Whoever wants it asks for itself: what is under way is given up. */
export function endShared(cache: HttpCache, url: string): void {
  for (const active of fillings.get(cache) ?? []) active.overtaken(url);
}
