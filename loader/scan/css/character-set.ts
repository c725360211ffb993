// The characters of a page, which decide whether a font with a unicode-range is fetched (CSS Fonts 4, 4.5).

const codePoints = 0x110000;
/** Number of code points in the Basic Multilingual Plane; few pages have characters beyond it. */
const basicPlane = 0x10000;
const notAscii = /[^\0-\x7f]/;

export class CharacterSet {
  /** One bit per code point, set if the character has occurred; null: only ASCII has occurred so far. */
  #bits: Uint8Array | null = null;

  add(text: string): void {
    const first = text.search(notAscii);
    if (first === -1) return;
    this.#bits ??= new Uint8Array(basicPlane / 8);
    let bits = this.#bits;
    for (let at = first; at < text.length; at++) {
      const code = text.codePointAt(at) ?? 0;
      if (code >= basicPlane) {
        at++;
        bits = this.#withAllPlanes(bits);
      }
      if (code > 0x7f) (bits[code >> 3] as number) |= 1 << (code & 7);
    }
  }

  #withAllPlanes(bits: Uint8Array): Uint8Array {
    if (bits.length > basicPlane / 8) return bits;
    const all = new Uint8Array(codePoints / 8);
    all.set(bits);
    this.#bits = all;
    return all;
  }

  /** Whether a character of this range has occurred. ASCII letters are taken to be in every text. */
  has(first: number, last: number): boolean {
    if (first <= 0x7a && last >= 0x41) return true;
    if (this.#bits === null) return false;
    for (let code = Math.max(first, 0x80); code <= last && code < codePoints; code++) {
      if (((this.#bits[code >> 3] ?? 0) >> (code & 7)) & 1) return true;
    }
    return false;
  }
}
