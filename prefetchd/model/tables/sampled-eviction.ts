// Which entry of a full table goes, in a few steps: a hand goes round the table, and of the next eight
// entries it meets the weakest goes. So redis chooses what it forgets (its approximated LRU, with a sample of
// five); a hand in place of chance makes a run repeatable, and meets every place once a round. It looks at
// four places side by side, which are mostly in one line of the processor's cache, then strides on by the
// golden section of the table: what was learned first, and is often strongest, lies side by side, and eight
// neighbours may all be strong.
//
// Guarantee: an entry that is stronger than any of the seven met with it stays. Under noise, where nearly all
// are equally weak, what goes was unused for a long time, if not the longest of all. One entry in eight, by
// turns, is asked whether it still means anything, so what does not is found out sooner or later.

const sampled = 8;
const sideBySide = 4;
/** Places looked at for them, where most are empty. */
const longestSearch = 256;

export interface Ranked {
  /** False for a place that is empty. */
  has(at: number): boolean;
  isWeaker(at: number, than: number): boolean;
  /** True for an entry that means nothing any more. */
  isGone?(at: number): boolean;
}

export class SampledEviction {
  /** Where it is: a group of neighbours, and which of them is next. */
  #group = 0;
  #offset = 0;
  #length = 0;
  #groups = 1;
  #stride = 1;
  #calls = 0;

  /** The weakest of the next few entries among `length` places; -1: all are empty. */
  weakest(table: Ranked, length: number): number {
    if (length !== this.#length) this.#resize(length);
    // By a multiple of the golden section: in no step with rounds of any length.
    const turn = (Math.imul(++this.#calls, 0x9e3779b1) >>> 16) % sampled;
    let weakest = -1;
    let asked = -1;
    let seen = 0;
    for (let steps = 0; steps < length && seen < sampled; steps++) {
      if (steps >= longestSearch && weakest >= 0) break;
      const at = this.#group * sideBySide + this.#offset;
      this.#advance(at);
      if (!table.has(at)) continue;
      if (seen === turn) asked = at;
      seen++;
      if (weakest < 0 || table.isWeaker(at, weakest)) weakest = at;
    }
    return asked >= 0 && table.isGone?.(asked) ? asked : weakest;
  }

  #advance(at: number): void {
    this.#offset++;
    if (this.#offset < sideBySide && at + 1 < this.#length) return;
    this.#offset = 0;
    this.#group += this.#stride;
    if (this.#group >= this.#groups) this.#group -= this.#groups;
  }

  #resize(length: number): void {
    this.#length = length;
    this.#groups = Math.max(1, Math.ceil(length / sideBySide));
    this.#stride = strideOf(this.#groups);
    this.#group %= this.#groups;
    this.#offset = 0;
  }
}

/** About 0.618 of the groups, and without a common divisor: each is met before any is met again. */
function strideOf(groups: number): number {
  let stride = Math.max(1, Math.round(groups * 0.618));
  while (divisor(stride, groups) > 1) stride++;
  return stride;
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}
