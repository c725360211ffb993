// Collects the characters of a page, which decide whether a font with a unicode-range is fetched (CSS Fonts 4, 4.5).

const notAscii = /[^\0-\x7f]/gu;

export class CharacterSet {
  /** The code points beyond ASCII that have occurred. */
  readonly #codes = new Set<number>();

  add(text: string): void {
    for (const character of text.match(notAscii) ?? []) {
      this.#codes.add(character.codePointAt(0) ?? 0);
    }
  }

  /** Whether a character of this range has occurred. ASCII letters are taken to be in every text. */
  has(first: number, last: number): boolean {
    if (first <= 0x7a && last >= 0x41) return true;
    if (last - first > this.#codes.size) {
      return [...this.#codes].some((code) => first <= code && code <= last);
    }
    for (let code = first; code <= last; code++) if (this.#codes.has(code)) return true;
    return false;
  }
}
