// Which entries of a full table go: exactly the `quota` weakest by count, and among equal counts those
// unused longest. Two selections in linear time, no sort; it runs once for a tenth of the table, so
// an entry pays a small constant. That nearly all counts are 1 under noise is the case it is made for.

/** Entries at or below the cut go: a smaller count, or the same count and used no later than `last`. */
export interface Cut {
  count: number;
  last: number;
}

/** `counts` and `lasts` of the live entries, side by side; both arrays are used up. */
export function cutOfWeakest(counts: Float64Array, lasts: Float64Array, quota: number): Cut {
  const order = counts.slice();
  const count = nthSmallest(order, quota - 1);
  let below = 0;
  let equal = 0;
  for (let i = 0; i < counts.length; i++) {
    const value = counts[i] as number;
    if (value < count) below++;
    else if (value === count) lasts[equal++] = lasts[i] as number;
  }
  const last = nthSmallest(lasts.subarray(0, equal), quota - below - 1);
  return { count, last };
}

export function goesWith(cut: Cut, count: number, last: number): boolean {
  return count < cut.count || (count === cut.count && last <= cut.last);
}

/** The value that would stand at index `n` after sorting; reorders `values` (Hoare's selection). */
export function nthSmallest(values: Float64Array, n: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = medianOfThree(values, low, high);
    let i = low;
    let j = high;
    while (i <= j) {
      while ((values[i] as number) < pivot) i++;
      while ((values[j] as number) > pivot) j--;
      if (i <= j) {
        const kept = values[i] as number;
        values[i++] = values[j] as number;
        values[j--] = kept;
      }
    }
    if (n <= j) high = j;
    else if (n >= i) low = i;
    else break;
  }
  return values[n] as number;
}

function medianOfThree(values: Float64Array, low: number, high: number): number {
  const a = values[low] as number;
  const b = values[(low + high) >>> 1] as number;
  const c = values[high] as number;
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
