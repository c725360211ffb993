// What is known of a run of bytes, found without making a text of it: a slot chosen by some of the bytes,
// checked by comparing all. One entry a slot, the newest: bounded whatever comes, and a collision costs no
// more than asking elsewhere again.

const slotCount = 16_384;
const sampledBytes = 16;

export class ByteSlots<T extends NonNullable<unknown>> {
  readonly #keys: Array<Uint8Array | undefined> = new Array<undefined>(slotCount).fill(undefined);
  readonly #values: Array<T | undefined> = new Array<undefined>(slotCount).fill(undefined);

  /** The slot for the bytes from `start` to `end`. */
  slotOf(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    const step = length <= sampledBytes ? 1 : Math.floor(length / sampledBytes);
    let hash = length;
    for (let at = end - 1; at >= start; at -= step)
      hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
    return (hash ^ (hash >>> 14)) & (slotCount - 1);
  }

  /** What `slot` knows, if it is of these bytes. */
  get(slot: number, bytes: Uint8Array, start: number, end: number): T | undefined {
    const key = this.#keys[slot];
    if (key === undefined || key.length !== end - start) return undefined;
    for (let at = 0; at < key.length; at++) if (key[at] !== bytes[start + at]) return undefined;
    return this.#values[slot];
  }

  set(slot: number, bytes: Uint8Array, start: number, end: number, value: T): void {
    this.#keys[slot] = Uint8Array.prototype.slice.call(bytes, start, end);
    this.#values[slot] = value;
  }
}
