// The characters of a page, which decide about fonts with a unicode-range (CSS Fonts 4, 4.5).

const codePoints = 0x110000;

export class CharacterSet {
  /** A bit for each code point; null: all are ASCII so far. */
  #bits: Uint8Array | null = null;

  add(text: string): void {
    if (!/[^\0-\x7f]/.test(text)) return;
    this.#bits ??= new Uint8Array(codePoints / 8);
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      if (code > 0x7f) (this.#bits[code >> 3] as number) |= 1 << (code & 7);
    }
  }

  /** Whether one of this range is there. ASCII letters are taken to be in every text. */
  has(first: number, last: number): boolean {
    if (first <= 0x7a && last >= 0x41) return true;
    if (this.#bits === null) return false;
    for (let code = Math.max(first, 0x80); code <= last && code < codePoints; code++) {
      if (((this.#bits[code >> 3] ?? 0) >> (code & 7)) & 1) return true;
    }
    return false;
  }
}
