// Chooses the entry that a full table evicts: the weakest of eight. Redis's approximated LRU does the same with a
// random sample of five. Multiples of the golden section spread successive samples evenly over the list, without
// chance, so runs are repeatable.
//
// Guarantee: an entry that is stronger than one of the seven sampled with it stays. When nearly all entries are equally
// weak, the victim has been unused for a long time, if not the longest.

const sampled = 8;
/** Step from one sample to the next: the prime next to 2^32 divided by the golden ratio. */
const goldenStep = 0x9e3779b1;

export class SampledEviction<T> {
  readonly #isWeaker: (one: T, than: T) => boolean;
  #turn = 0;

  constructor(isWeaker: (one: T, than: T) => boolean) {
    this.#isWeaker = isWeaker;
  }

  /** Returns the weakest of eight entries sampled from a list, which must not be empty. */
  weakest(list: readonly T[]): T {
    let weakest = this.#next(list);
    for (let n = 1; n < sampled; n++) {
      const other = this.#next(list);
      if (this.#isWeaker(other, weakest)) weakest = other;
    }
    return weakest;
  }

  #next(list: readonly T[]): T {
    this.#turn = (this.#turn + goldenStep) >>> 0;
    return list[Math.floor((this.#turn / 2 ** 32) * list.length)] as T;
  }
}
