// Marks cache entries that were prefetched and not used yet: their note is the time of the prefetch, so that other
// loaders and processes that share the cache can count the first use.

import type { CachedResponse, HttpCache } from './http-cache.ts';

/** State of a prefetched response: waiting for its first use, used, or gone (evicted or unusable). */
export type Fate = 'waits' | 'used' | 'gone';

/** Note for an entry that was just prefetched or validated. */
export function unusedNote(): number {
  return Date.now();
}

/** Whether this is the first use of a prefetched response. */
export function waitedForUse({ noted }: CachedResponse): boolean {
  return noted !== undefined;
}

/** Records that a client got these responses. */
export function countUse(cache: HttpCache, responses: readonly CachedResponse[]): void {
  const ids = responses.flatMap(({ noted }) => noted ?? []);
  if (ids.length > 0) cache.annotate(ids, null);
}

/** @param receivedAtMs Receipt of the prefetched response, ms since the epoch. @throws LoaderError `loader-closed` */
export function fateOf(cache: HttpCache, url: string, receivedAtMs: number): Fate {
  const entry = broughtEntry(cache, url, receivedAtMs);
  if (entry === undefined) return 'gone';
  if (entry.note === null) return 'used';
  return cache.isUsable(entry) ? 'waits' : 'gone';
}

/** Removes the entry if it still waits for its first use. */
export function discardUnused(cache: HttpCache, url: string, receivedAtMs: number): void {
  const entry = broughtEntry(cache, url, receivedAtMs);
  if (entry !== undefined && entry.note !== null) cache.remove([entry.id]);
}

function broughtEntry(cache: HttpCache, url: string, receivedAtMs: number) {
  return cache.stored(url).find((entry) => entry.receivedAtMs === receivedAtMs);
}
