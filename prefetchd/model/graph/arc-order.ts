// Order of a row of arcs, `start` to `end` in a chunk: by descending count. Equal counts are unordered until the row
// is settled. A credited arc swaps places with the first of its equals; keeping equals in order too would move many
// arcs on every credit.

import type { ArcChunk } from './arc-pool.ts';

/** Make room for a larger count. @returns the new place of the arc at `at`; its clients are already moved there */
export function rise(chunk: ArcChunk, at: number, start: number, count: number): number {
  const { to, counts, lasts, clients } = chunk;
  let place = at - 1;
  while (place > start && (counts[place - 1] as number) < count) place--;
  // The first of several equals moves behind the others; otherwise all move up by one.
  const step = counts[place] === counts[at - 1] ? at - place : 1;
  for (let behind = at; behind > place; behind -= step) {
    const ahead = behind - step;
    clients.swap(ahead, behind);
    to[behind] = to[ahead] as number;
    lasts[behind] = lasts[ahead] as number;
    counts[behind] = counts[ahead] as number;
  }
  return place;
}

/** Sort the first `head` arcs and those equal to the last of them; equal arcs latest first. In-place Shell sort; arcs
 *  already in order, the usual case, are left alone. */
export function settle(chunk: ArcChunk, start: number, end: number, head: number): void {
  const { counts } = chunk;
  let sorted = start + head;
  while (sorted < end && counts[sorted] === counts[sorted - 1]) sorted++;
  let ordered = start + 1;
  while (ordered < sorted && !isBehind(chunk, ordered - 1, ordered)) ordered++;
  if (ordered >= sorted) return;
  for (const gap of [701, 301, 132, 57, 23, 10, 4, 1]) {
    for (let at = start + gap; at < sorted; at++) {
      for (let to = at; to - gap >= start && isBehind(chunk, to - gap, to); to -= gap) {
        chunk.swap(to - gap, to);
      }
    }
  }
}

/** The least recently used of the arcs with the lowest count. */
export function weakest({ counts, lasts }: ArcChunk, start: number, end: number): number {
  let at = end - 1;
  let weakest = at;
  while (at > start && counts[at - 1] === counts[weakest]) {
    if ((lasts[--at] as number) < (lasts[weakest] as number)) weakest = at;
  }
  return weakest;
}

/** True if the arc counts less than the other, or the same but was used longer ago. */
export function isBehind(chunk: ArcChunk, one: number, other: number, ofOther = chunk): boolean {
  const difference = (chunk.counts[one] as number) - (ofOther.counts[other] as number);
  if (difference !== 0) return difference < 0;
  return (chunk.lasts[one] as number) < (ofOther.lasts[other] as number);
}
