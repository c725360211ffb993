// `seen` of an arc, as deltas and stores have it (delta/graph-delta.ts): the largest number of its clients in one
// earlier era, 0..6, plus `neverNext`.

/** Added to `seen`: in all that was counted, another page of the site came between. Without it, as in what earlier
 *  versions stored, the target may have been the next page. */
export const neverNext = 8;

/** `seen` of two parts of the same arc together. */
export function mergedSeen(one: number, other: number): number {
  return Math.max(one % neverNext, other % neverNext) | (one & other & neverNext);
}
