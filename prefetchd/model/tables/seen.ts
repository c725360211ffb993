// The value `seen` of an arc in deltas and stores (delta/graph-delta.ts): the largest number of its clients in one
// earlier era, 0..6, plus `neverNext`.

/** Added to `seen` if in all counted cases another page of the site came between. Without it, as in data stored by
 *  earlier versions, the target may have been the next page. */
export const neverNext = 8;

/** The value `seen` of two parts of the same arc together. */
export function mergedSeen(one: number, other: number): number {
  return Math.max(one % neverNext, other % neverNext) | (one & other & neverNext);
}
