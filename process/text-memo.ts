// Caches results computed for texts. Logs are repetitive: the same URLs, user agents and addresses occur thousands of
// times. There are two levels: a slot chosen by some characters and verified by comparison (about 60 ns for a user
// agent), then a Map (about 250 ns, because it hashes each character). Keys are copied, because a slice keeps the whole
// block that it was cut from alive in V8. A full cache is emptied, which bounds it without bookkeeping.

const maxKeyLength = 2048;
/** A power of two. */
const manySlots = 16_384;
/** Characters that choose the slot: all of a short text, this many of a long one. */
const sampledCharacters = 16;

interface Known<T> {
  readonly key: string;
  readonly value: T;
}

export class TextMemo<T extends NonNullable<unknown>> {
  readonly #compute: (key: string) => T;
  readonly #maxEntries: number;
  readonly #known = new Map<string, Known<T>>();
  readonly #slots: Array<Known<T> | null>;

  constructor(compute: (key: string) => T, maxEntries: number, slots = manySlots) {
    this.#compute = compute;
    this.#maxEntries = maxEntries;
    this.#slots = new Array<Known<T> | null>(slots).fill(null);
  }

  get(key: string): T {
    const slot = slotOf(key) & (this.#slots.length - 1);
    const known = this.#slots[slot] as Known<T> | null;
    if (known !== null && known.key === key) return known.value;
    const found = this.#known.get(key);
    if (found === undefined) return this.#make(key, slot);
    this.#slots[slot] = found;
    return found.value;
  }

  clear(): void {
    this.#known.clear();
    this.#slots.fill(null);
  }

  #make(key: string, slot: number): T {
    const own = ownText(key);
    const value = this.#compute(own);
    if (own.length > maxKeyLength) return value;
    if (this.#known.size >= this.#maxEntries) this.#known.clear();
    const known = { key: own, value };
    this.#known.set(own, known);
    this.#slots[slot] = known;
    return value;
  }
}

function slotOf(key: string): number {
  const { length } = key;
  const step = length <= sampledCharacters ? 1 : Math.floor(length / sampledCharacters);
  let hash = length;
  for (let at = length - 1; at >= 0; at -= step)
    hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0;
  return hash ^ (hash >>> 14);
}

/** A copy of the text that does not share memory. */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
