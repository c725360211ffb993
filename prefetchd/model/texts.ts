// Texts (URLs, clients) as small numbers, kept outside the JavaScript heap: their characters lie one
// after the other in one byte array, found by an open hash table of typed arrays. A million texts that
// come and go then leave no garbage that a collector would let pile up, and a text taken from a log
// line does not keep the line alive. A text is made into a string again only when it is asked for.
//
// Invariants: the hash table is at most half full; at most half of the byte array, and a little, is
// of texts that went. Ids of texts that went are given out again. Equal means equal UTF-16 units, so
// `__proto__` and lone surrogates are texts like any other.

import { grown } from './grown.ts';

const none = -1;
/** Added to a length: two bytes a character. */
const wideFlag = 2 ** 30;

export class TextTable {
  /** Ids ever given out lie below it. */
  top = 0;
  /** Texts held. */
  size = 0;
  /** Characters of all of them. */
  characters = 0;
  #bytes = Buffer.alloc(1024);
  #end = 0;
  #used = 0;
  #offsets = new Int32Array(16);
  /** Characters of each, with wideFlag; -1: the id is free. */
  #lengths = new Int32Array(16);
  #hashes = new Uint32Array(16);
  /** Ids by hash, plus one; 0: empty. */
  #table = new Int32Array(32);
  readonly #free: number[] = [];
  /** Strings made so far, by id. */
  #strings: Array<string | undefined> = [];

  /** -1 when the text is not held. */
  find(text: string): number {
    const at = this.#place(text, textHash(text));
    return (this.#table[at] as number) - 1;
  }

  /** The id of a text that is not held yet. */
  add(text: string): number {
    const hash = textHash(text);
    const id = this.#free.pop() ?? this.top++;
    if (id === this.#offsets.length) this.#growIds();
    this.#write(id, text);
    this.#hashes[id] = hash;
    this.size++;
    this.characters += text.length;
    if (2 * this.size > this.#table.length) this.#rehash();
    else this.#table[this.#place(text, hash)] = id + 1;
    return id;
  }

  remove(id: number): void {
    if (!this.has(id)) return;
    this.#unplace(id);
    this.characters -= this.#lengthOf(id);
    this.#used -= this.#byteLengthOf(id);
    this.#lengths[id] = none;
    this.#strings[id] = undefined;
    this.#free.push(id);
    this.size--;
  }

  has(id: number): boolean {
    return id >= 0 && id < this.top && (this.#lengths[id] as number) !== none;
  }

  /** Empty for an id that is free. */
  textOf(id: number): string {
    const known = this.#strings[id];
    if (known !== undefined) return known;
    if (!this.has(id)) return '';
    const start = this.#offsets[id] as number;
    const coding = this.#isWide(id) ? 'utf16le' : 'latin1';
    const text = this.#bytes.toString(coding, start, start + this.#byteLengthOf(id));
    this.#strings[id] = text;
    return text;
  }

  hashOf(id: number): number {
    return this.#hashes[id] as number;
  }

  get typedBytes(): number {
    return this.#bytes.length + this.#offsets.length * 12 + this.#table.length * 4;
  }

  /** Where the text stands in the hash table, or where it would. */
  #place(text: string, hash: number): number {
    const mask = this.#table.length - 1;
    let at = hash & mask;
    for (;;) {
      const id = (this.#table[at] as number) - 1;
      if (id < 0 || (this.#hashes[id] === hash && this.#equals(id, text))) return at;
      at = (at + 1) & mask;
    }
  }

  #equals(id: number, text: string): boolean {
    const { length } = text;
    if (this.#lengthOf(id) !== length) return false;
    const start = this.#offsets[id] as number;
    const bytes = this.#bytes;
    if (this.#isWide(id)) return this.textOf(id) === text;
    for (let i = 0; i < length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  #write(id: number, text: string): void {
    let wide = false;
    for (let i = 0; i < text.length && !wide; i++) wide = text.charCodeAt(i) > 0xff;
    const byteLength = wide ? 2 * text.length : text.length;
    if (this.#end + byteLength > this.#bytes.length) this.#makeRoom(byteLength);
    this.#bytes.write(text, this.#end, wide ? 'utf16le' : 'latin1');
    this.#offsets[id] = this.#end;
    this.#lengths[id] = wide ? text.length + wideFlag : text.length;
    this.#end += byteLength;
    this.#used += byteLength;
  }

  /** Leave out what went; take a larger array only if that gives too little. */
  #makeRoom(byteLength: number): void {
    const before = this.#bytes;
    const needed = this.#used + byteLength;
    this.#bytes = Buffer.alloc(Math.max(1024, Math.ceil(needed * 1.5)));
    this.#end = 0;
    for (let id = 0; id < this.top; id++) {
      if (!this.has(id)) continue;
      const start = this.#offsets[id] as number;
      this.#offsets[id] = this.#end;
      this.#end += before.copy(this.#bytes, this.#end, start, start + this.#byteLengthOf(id));
    }
  }

  /** Take an id out of the hash table, and close the gap: no search ends early. */
  #unplace(id: number): void {
    const table = this.#table;
    const mask = table.length - 1;
    let gap = this.hashOf(id) & mask;
    while (table[gap] !== id + 1) gap = (gap + 1) & mask;
    for (let at = (gap + 1) & mask; table[at] !== 0; at = (at + 1) & mask) {
      const home = (this.#hashes[(table[at] as number) - 1] as number) & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      table[gap] = table[at] as number;
      gap = at;
    }
    table[gap] = 0;
  }

  #rehash(): void {
    const table = new Int32Array(this.#table.length * 2);
    const mask = table.length - 1;
    for (let id = 0; id < this.top; id++) {
      if (!this.has(id)) continue;
      let at = this.hashOf(id) & mask;
      while (table[at] !== 0) at = (at + 1) & mask;
      table[at] = id + 1;
    }
    this.#table = table;
  }

  #growIds(): void {
    const length = Math.ceil(this.#offsets.length * 1.5);
    const free = this.#lengths.length;
    this.#offsets = grown(this.#offsets, new Int32Array(length));
    this.#lengths = grown(this.#lengths, new Int32Array(length)).fill(none, free);
    this.#hashes = grown(this.#hashes, new Uint32Array(length));
  }

  #isWide(id: number): boolean {
    return (this.#lengths[id] as number) >= wideFlag;
  }

  #lengthOf(id: number): number {
    return (this.#lengths[id] as number) & (wideFlag - 1);
  }

  #byteLengthOf(id: number): number {
    return this.#isWide(id) ? 2 * this.#lengthOf(id) : this.#lengthOf(id);
  }
}

/** FNV-1a over UTF-16 units, mixed so that every bit depends on all of them; 0..2^32-1. */
export function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}
