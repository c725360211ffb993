// Where a character is next in a chunk. The answer is kept until it is passed, so that asking often reads the chunk
// once.

export class NextIndex {
  readonly #character: string;
  #index = -1;

  constructor(character: string) {
    this.#character = character;
  }

  /** A new chunk begins. */
  reset(): void {
    this.#index = -1;
  }

  /** @param at Not before the last one of this chunk. @returns Infinity: not in the rest of the chunk. */
  of(text: string, at: number): number {
    if (this.#index < at) {
      const index = text.indexOf(this.#character, at);
      this.#index = index === -1 ? Number.POSITIVE_INFINITY : index;
    }
    return this.#index;
  }
}
