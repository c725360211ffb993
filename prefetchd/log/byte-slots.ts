// A cache keyed by runs of bytes, without turning them into text: some of the bytes choose a slot, and all are
// compared. One entry per slot, the newest; a collision only costs a lookup elsewhere. Keys are in one preallocated
// array, which causes no garbage. Bytes are read four at a time through a DataView, from any offset.

/** Words that choose the slot: all of a short key, about this many of a long one. */
const sampledWords = 12;
const empty = -1;

export class ByteSlots<T extends NonNullable<unknown>> {
  readonly #slotMask: number;
  readonly #maxKeyBytes: number;
  readonly #wordsPerKey: number;
  /** The whole words of a key, then its last four bytes (or all, if fewer). */
  readonly #keys: Int32Array;
  readonly #keyBytes: Int32Array;
  readonly #values: Array<T | undefined>;

  /** @param slotBits log2 of the number of slots @param maxKeyBytes longer keys are never cached */
  constructor(slotBits: number, maxKeyBytes: number) {
    const slots = 2 ** slotBits;
    this.#slotMask = slots - 1;
    this.#maxKeyBytes = maxKeyBytes;
    this.#wordsPerKey = (maxKeyBytes >> 2) + 1;
    this.#keys = new Int32Array(slots * this.#wordsPerKey);
    this.#keyBytes = new Int32Array(slots).fill(empty);
    this.#values = new Array<undefined>(slots).fill(undefined);
  }

  /** The slot for the bytes from `start` to `end`; `seed` separates values of equal bytes. */
  slotOf(bytes: DataView, start: number, end: number, seed: number): number {
    const length = end - start;
    const step = length <= 4 * sampledWords ? 4 : (length / sampledWords) | 0;
    let hash = length + Math.imul(seed, 0x9e3779b1);
    for (let at = start; at + 4 <= end; at += step) {
      hash = Math.imul(hash ^ bytes.getInt32(at, true), 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    hash = Math.imul(hash ^ lastWord(bytes, start, end), 0xc2b2ae35);
    return (hash ^ (hash >>> 13)) & this.#slotMask;
  }

  /** The value in `slot`, if it belongs to these bytes. */
  get(slot: number, bytes: DataView, start: number, end: number): T | undefined {
    if (this.#keyBytes[slot] !== end - start) return undefined;
    const keys = this.#keys;
    let key = slot * this.#wordsPerKey;
    for (let at = start; at + 4 <= end; at += 4, key++) {
      if (keys[key] !== bytes.getInt32(at, true)) return undefined;
    }
    return keys[key] === lastWord(bytes, start, end) ? this.#values[slot] : undefined;
  }

  set(slot: number, bytes: DataView, start: number, end: number, value: T): void {
    if (end - start > this.#maxKeyBytes) return;
    let key = slot * this.#wordsPerKey;
    for (let at = start; at + 4 <= end; at += 4) this.#keys[key++] = bytes.getInt32(at, true);
    this.#keys[key] = lastWord(bytes, start, end);
    this.#keyBytes[slot] = end - start;
    this.#values[slot] = value;
  }

  clear(): void {
    this.#keyBytes.fill(empty);
    this.#values.fill(undefined);
  }
}

/** The last four bytes, or all if fewer. */
function lastWord(bytes: DataView, start: number, end: number): number {
  if (end - start >= 4) return bytes.getInt32(end - 4, true);
  let word = 0;
  for (let at = start; at < end; at++) word = (word << 8) | bytes.getUint8(at);
  return word;
}
