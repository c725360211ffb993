// Which entry of a full table goes, in a few steps: a hand goes round the table in long strides, and of the
// next eight entries it meets the weakest goes. So redis chooses what it forgets (its approximated LRU, with
// a sample of five); a hand in place of chance makes a run repeatable, and meets every entry once a round.
// The stride is the golden section of the table: what was learned first, and is often strongest, lies side
// by side, and eight neighbours may all be strong.
//
// Guarantee: an entry that is stronger than any of the seven met with it stays. Under noise, where nearly all
// are equally weak, what goes was unused for a long time, if not the longest of all. One entry in eight is
// asked whether it still means anything, so what does not is found out sooner or later.

const sampled = 8;
/** Places looked at for them, where most are empty. */
const longestSearch = 256;

export interface Ranked {
  /** False for a place that is empty. */
  has(at: number): boolean;
  isWeaker(at: number, than: number): boolean;
  /** True for an entry that means nothing any more. */
  isGone?(at: number): boolean;
}

export class Hand {
  #at = 0;
  #length = 0;
  #stride = 1;

  /** The weakest of the next few entries among `length` places; -1: all are empty. */
  weakest(table: Ranked, length: number): number {
    if (length !== this.#length) {
      this.#length = length;
      this.#stride = strideOf(length);
      this.#at %= Math.max(1, length);
    }
    let weakest = -1;
    let latest = -1;
    let seen = 0;
    for (let steps = 0; steps < length && seen < sampled; steps++) {
      if (steps >= longestSearch && weakest >= 0) break;
      const at = this.#at;
      this.#at = (at + this.#stride) % length;
      if (!table.has(at)) continue;
      seen++;
      latest = at;
      if (weakest < 0 || table.isWeaker(at, weakest)) weakest = at;
    }
    return latest >= 0 && table.isGone?.(latest) ? latest : weakest;
  }
}

/** About 0.618 of the length, and without a common divisor: so every place is met before any is met again. */
function strideOf(length: number): number {
  let stride = Math.max(1, Math.round(length * 0.618));
  while (divisor(stride, length) > 1) stride++;
  return stride;
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}
