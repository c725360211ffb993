// Where a tag begins in the bytes of its document. The tokenizer counts characters; in every encoding of the web but
// UTF-16 and ISO-2022-JP a `<` is one byte that is in no other character, so the n-th `<` of the text is the n-th one
// of the bytes.

const lessThan = 0x3c;

export class ByteOffsets {
  /** As many characters as bytes, so far. */
  #plain = 0;
  #isPlain = true;
  readonly #texts = new Sequence<string>((text, from) => text.indexOf('<', from));
  readonly #bytes = new Sequence<Uint8Array>((bytes, from) => bytes.indexOf(lessThan, from));
  /** The `<` that was asked for last, in characters and in bytes. */
  #last = { character: -1, byte: -1 };

  /** The next bytes, and the text that the decoder made of them and of earlier ones. */
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
   * @param offset Of a `<`, in characters; never less than at the last call.
   * @returns The same in bytes
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

/** Pieces one after the other; what has been passed is dropped. */
class Sequence<Piece extends { readonly length: number }> {
  /** Of the first piece, in the whole. */
  start = 0;
  readonly #find: (piece: Piece, from: number) => number;
  readonly #pieces: Piece[] = [];
  /** In the first piece. */
  #from = 0;

  constructor(find: (piece: Piece, from: number) => number) {
    this.#find = find;
  }

  add(piece: Piece): void {
    if (piece.length > 0) this.#pieces.push(piece);
  }

  /** Where the next one is, in the whole; Infinity: there is none. */
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
