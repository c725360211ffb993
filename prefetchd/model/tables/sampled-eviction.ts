// Chooses the entry a full table evicts, in a few steps: a hand goes round the table, and the weakest of the next
// eight entries is evicted. Redis's approximated LRU does the same with a random sample of five; a hand instead of
// chance makes runs repeatable and visits every place once per round. The hand looks at four adjacent places, usually
// one cache line, then jumps by the golden section of the table, because entries learned first are adjacent and often
// the strongest.
//
// Guarantee: an entry stronger than any of the seven sampled with it stays. When nearly all entries are equally weak,
// the victim has been unused for a long time, if not the longest. Of the eight entries, a different one is checked for
// staleness each time, so stale entries are found sooner or later.

const sampled = 8;
const sideBySide = 4;
/** Most places visited to find the sampled entries when most places are empty. */
const longestSearch = 256;

export interface Ranked {
  /** False for an empty place. */
  has(at: number): boolean;
  isWeaker(at: number, than: number): boolean;
  /** True for a stale entry. */
  isGone?(at: number): boolean;
}

export class SampledEviction {
  /** Position of the hand: a group of neighbours, and the next of them. */
  #group = 0;
  #offset = 0;
  #length = 0;
  #groups = 1;
  #stride = 1;
  #calls = 0;

  /** The weakest of the next few entries among `length` places; -1 if all are empty. */
  weakest(table: Ranked, length: number): number {
    if (length !== this.#length) this.#resize(length);
    // The multiple of the golden section never falls into step with rounds of any length.
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

/** About 0.618 of the groups, coprime to their number, so every group is visited before any is visited again. */
function strideOf(groups: number): number {
  let stride = Math.max(1, Math.round(groups * 0.618));
  while (divisor(stride, groups) > 1) stride++;
  return stride;
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}
