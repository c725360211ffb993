// Maps texts (URLs, clients) to small integers. Their characters are in TextBytes, found through HashIndex. Logs are
// repetitive, so recent texts are tried first, by a sample of their characters and one comparison; only on a miss is
// the whole text hashed.
//
// Ids of deleted texts are reused. Texts are compared by UTF-16 code units, so `__proto__` and lone surrogates are
// texts like any other.

import { HashIndex } from './hash-index.ts';
import { TextBytes } from './text-bytes.ts';

const recentSlots = 16_384;
/** Characters that choose a slot: all of a short text, this many of a long one. */
const sampledCharacters = 6;

export class TextTable {
  /** Bound of the ids given out so far: all are lower. */
  top = 0;
  /** Number of texts. */
  size = 0;
  /** Characters of all texts. */
  characters = 0;
  readonly #texts = new TextBytes();
  readonly #index = new HashIndex();
  readonly #free: number[] = [];
  /** Strings created so far, by id. */
  readonly #strings: Array<string | undefined> = [];
  /** Samples of recently found texts, each followed by the id, plus one. */
  #recent = new Int32Array(2 * 64);

  /** The id of a text; -1 if absent. */
  find(text: string): number {
    const sample = sampleOf(text);
    const at = 2 * ((sample ^ (sample >>> 14)) & (this.#recent.length / 2 - 1));
    const isLikely = this.#recent[at] === sample;
    const recent = isLikely ? (this.#recent[at + 1] as number) - 1 : -1;
    if (recent >= 0 && this.#strings[recent] === text) return recent;
    const id = this.#find(text, textHash(text) | 0);
    if (id < 0) return id;
    this.#recent[at] = sample;
    this.#recent[at + 1] = id + 1;
    // The text was found twice in a row, so it is worth caching as a string.
    if (id === recent) this.#strings[id] ??= this.#texts.get(id);
    return id;
  }

  /** The id of any text with this hash (textHash); -1 if there is none. */
  findHash(hash: number): number {
    let id = this.#index.first(hash | 0);
    while (id >= 0 && this.#index.hashOf(id) !== (hash | 0)) id = this.#index.next(id);
    return id;
  }

  /** Add a text that is not in the table. @returns its id */
  add(text: string): number {
    const id = this.#free.pop() ?? this.top++;
    if (id === this.#strings.length) this.#strings.push(undefined);
    if (2 * id === this.#recent.length && id < recentSlots) this.#recent = new Int32Array(4 * id);
    this.#texts.set(id, text);
    this.#index.add(id, textHash(text) | 0);
    this.size++;
    this.characters += text.length;
    return id;
  }

  remove(id: number): void {
    if (!this.has(id)) return;
    this.#index.remove(id);
    this.characters -= this.#texts.lengthOf(id);
    this.#texts.delete(id);
    if (this.#strings[id] !== undefined) this.#strings[id] = undefined;
    this.#free.push(id);
    this.size--;
  }

  has(id: number): boolean {
    return this.#texts.has(id);
  }

  /** The text of an id; '' for a free id. */
  textOf(id: number): string {
    const known = this.#strings[id];
    if (known !== undefined) return known;
    if (!this.has(id)) return '';
    const text = this.#texts.get(id);
    this.#strings[id] = text;
    return text;
  }

  hashOf(id: number): number {
    return this.#index.hashOf(id);
  }

  get typedBytes(): number {
    return this.#texts.typedBytes + this.#index.typedBytes + this.#recent.byteLength;
  }

  #find(text: string, hash: number): number {
    let id = this.#index.first(hash);
    while (id >= 0 && (this.#index.hashOf(id) !== hash || !this.#texts.equals(id, text))) {
      id = this.#index.next(id);
    }
    return id;
  }
}

/** FNV-1a over UTF-16 code units, mixed so that every bit depends on all of them; 0..2^32-1. */
export function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function sampleOf(text: string): number {
  const { length } = text;
  const step = length <= sampledCharacters ? 1 : (length / sampledCharacters) | 0;
  let sample = length;
  for (let at = length - 1; at >= 0; at -= step) {
    sample = (Math.imul(sample, 31) + text.charCodeAt(at)) | 0;
  }
  return sample;
}
