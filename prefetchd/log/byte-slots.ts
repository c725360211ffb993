// What is known of a run of bytes, found without making a text of it: a slot chosen by some of the bytes,
// checked by comparing all. One entry a slot, the newest: a collision costs no more than asking elsewhere
// again. Keys lie side by side in one array made at the start, so nothing is left to the garbage collector.

const sampledBytes = 16;

export class ByteSlots<T extends NonNullable<unknown>> {
  readonly #slotMask: number;
  readonly #maxKeyBytes: number;
  readonly #keys: Uint8Array;
  readonly #keyBytes: Int32Array;
  readonly #values: Array<T | undefined>;

  /** @param slotBits 2 to the power of it slots @param maxKeyBytes longer keys are never kept */
  constructor(slotBits: number, maxKeyBytes: number) {
    const slots = 2 ** slotBits;
    this.#slotMask = slots - 1;
    this.#maxKeyBytes = maxKeyBytes;
    this.#keys = new Uint8Array(slots * maxKeyBytes);
    this.#keyBytes = new Int32Array(slots).fill(-1);
    this.#values = new Array<undefined>(slots).fill(undefined);
  }

  /** The slot for the bytes from `start` to `end`; `seed` sets apart what goes with equal bytes. */
  slotOf(bytes: Uint8Array, start: number, end: number, seed: number): number {
    const length = end - start;
    const step = length <= sampledBytes ? 1 : Math.floor(length / sampledBytes);
    let hash = length + Math.imul(seed, 0x9e3779b1);
    for (let at = end - 1; at >= start; at -= step) {
      hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
    }
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    return (hash ^ (hash >>> 13)) & this.#slotMask;
  }

  /** What `slot` knows, if it is of these bytes. */
  get(slot: number, bytes: Uint8Array, start: number, end: number): T | undefined {
    const keys = this.#keys;
    if (this.#keyBytes[slot] !== end - start) return undefined;
    let key = slot * this.#maxKeyBytes;
    for (let at = start; at < end; at++, key++) if (keys[key] !== bytes[at]) return undefined;
    return this.#values[slot];
  }

  set(slot: number, bytes: Uint8Array, start: number, end: number, value: T): void {
    if (end - start > this.#maxKeyBytes) return;
    let key = slot * this.#maxKeyBytes;
    for (let at = start; at < end; at++, key++) this.#keys[key] = bytes[at] as number;
    this.#keyBytes[slot] = end - start;
    this.#values[slot] = value;
  }
}
