// Which entries of a cache a prefetch brought and nobody has used yet: their note is the time at which it did. So
// whoever shares the cache, another loader or another process, counts the first use.

import type { CachedResponse, HttpCache } from '../cache/http-cache.ts';

/** What became of a prefetched response: it waits for its first use, was used, or is gone from the cache or of no use. */
export type Fate = 'waits' | 'used' | 'gone';

/** The note of what a prefetch brings, or has just validated. */
export function unusedNote(): number {
  return Date.now();
}

/** A prefetch brought it, and this is its first use. */
export function waitedForUse({ noted }: CachedResponse): boolean {
  return noted !== undefined;
}

/** A client got these. */
export function countUse(cache: HttpCache, responses: readonly CachedResponse[]): void {
  const ids = responses.flatMap(({ noted }) => noted ?? []);
  if (ids.length > 0) cache.annotate(ids, null);
}

/** @param receivedAtMs of the response that the prefetch got. @throws LoaderError `loader-closed` */
export function fateOf(cache: HttpCache, url: string, receivedAtMs: number): Fate {
  const entry = broughtEntry(cache, url, receivedAtMs);
  if (entry === undefined) return 'gone';
  if (entry.note === null) return 'used';
  return cache.isUsable(entry) ? 'waits' : 'gone';
}

/** Removes it, if it still waits for its first use. */
export function discardUnused(cache: HttpCache, url: string, receivedAtMs: number): void {
  const entry = broughtEntry(cache, url, receivedAtMs);
  if (entry !== undefined && entry.note !== null) cache.remove([entry.id]);
}

function broughtEntry(cache: HttpCache, url: string, receivedAtMs: number) {
  return cache.stored(url).find((entry) => entry.receivedAtMs === receivedAtMs);
}
