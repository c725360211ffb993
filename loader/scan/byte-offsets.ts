// Finds the byte offset of a tag in its document. The tokenizer counts characters; in every encoding of the web except
// UTF-16 and ISO-2022-JP a `<` is one byte that occurs in no other character, so the n-th `<` of the text is the n-th
// `<` byte.

const lessThan = 0x3c;

export class ByteOffsets {
  /** Length of the start in which every character is one byte. */
  #plain = 0;
  #isPlain = true;
  readonly #texts = new Sequence<string>((text, from) => text.indexOf('<', from));
  readonly #bytes = new Sequence<Uint8Array>((bytes, from) => bytes.indexOf(lessThan, from));
  /** Offset of the `<` that was asked for last, in characters and in bytes. */
  #last = { character: -1, byte: -1 };

  /** Adds the next bytes, and the text that the decoder made of them and of earlier bytes. */
  add(bytes: Uint8Array, text: string): void {
    if (this.#isPlain && bytes.length === text.length) {
      this.#plain += text.length;
      return;
    }
    if (this.#isPlain) this.#texts.start = this.#bytes.start = this.#plain;
    this.#isPlain = false;
    this.#texts.add(text);
    this.#bytes.add(bytes);
  }

  /**
   * @param offset Offset of a `<` in characters, which must not be less than at the last call.
   * @returns Its offset in bytes
   */
  at(offset: number): number {
    if (this.#isPlain || offset < this.#plain) return offset;
    let { character, byte } = this.#last;
    while (character < offset) {
      character = this.#texts.next();
      byte = this.#bytes.next();
    }
    this.#last = { character, byte };
    return byte;
  }
}

/** A sequence of pieces, read forwards; pieces that have been passed are dropped. */
class Sequence<Piece extends { readonly length: number }> {
  /** Offset of the first piece in the whole sequence. */
  start = 0;
  readonly #find: (piece: Piece, from: number) => number;
  readonly #pieces: Piece[] = [];
  /** Position in the first piece. */
  #from = 0;

  constructor(find: (piece: Piece, from: number) => number) {
    this.#find = find;
  }

  add(piece: Piece): void {
    if (piece.length > 0) this.#pieces.push(piece);
  }

  /** Offset of the next match in the whole sequence; Infinity: there is none. */
  next(): number {
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      const at = this.#find(piece, this.#from);
      if (at !== -1) {
        this.#from = at + 1;
        return this.start + at;
      }
      this.start += piece.length;
      this.#from = 0;
      this.#pieces.shift();
    }
    return Number.POSITIVE_INFINITY;
  }
}
