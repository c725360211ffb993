// The order of a row of arcs, which lies from `start` to `end` in a chunk: by count, falling. Equal counts
// stand in any order until the row is settled. An arc that is credited changes places with the first of its
// equals, whereas keeping equals in order too would move many of them each time.

import type { ArcChunk } from './arc-pool.ts';

/** Make way for a larger count: where the arc of `at` belongs then, and its clients are already. */
export function rise(chunk: ArcChunk, at: number, start: number, count: number): number {
  const { to, counts, lasts, clients } = chunk;
  let place = at - 1;
  while (place > start && (counts[place - 1] as number) < count) place--;
  // Among equals the first moves behind the others; else all move up.
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

/** Put the first `head` arcs, and those equal to the last of them, in order: among equals the latest
 *  first. Shell sort, in place, unless they are in order already, as they mostly are. */
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

/** The arc that is used longest ago of those with the least count. */
export function weakest({ counts, lasts }: ArcChunk, start: number, end: number): number {
  let at = end - 1;
  let weakest = at;
  while (at > start && counts[at - 1] === counts[weakest]) {
    if ((lasts[--at] as number) < (lasts[weakest] as number)) weakest = at;
  }
  return weakest;
}

/** An arc counts less, or as much and was used longer ago. */
export function isBehind(chunk: ArcChunk, one: number, other: number, ofOther = chunk): boolean {
  const difference = (chunk.counts[one] as number) - (ofOther.counts[other] as number);
  if (difference !== 0) return difference < 0;
  return (chunk.lasts[one] as number) < (ofOther.lasts[other] as number);
}
