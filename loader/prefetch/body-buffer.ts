// The bytes of a body as they come: of parts that are there, and of one that is coming. Whoever takes them over gets
// them once; from then on they are counted only.

export class BodyBuffer {
  /** Bytes that came, taken ones too. */
  bytes = 0;
  #chunks: Buffer[] = [];
  /** What is of parts that are there. */
  #kept = { chunks: 0, bytes: 0 };

  get body(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** A copy: a chunk is a piece of a buffer that may hold much else. */
  add(chunk: Buffer): void {
    this.#chunks.push(Buffer.from(chunk));
  }

  /** A part is there. */
  keep(): void {
    this.#kept = { chunks: this.#chunks.length, bytes: this.bytes };
  }

  /** The part that was coming comes again. */
  dropComing(): void {
    this.#chunks.length = Math.min(this.#chunks.length, this.#kept.chunks);
    this.bytes = this.#kept.bytes;
  }

  take(): Buffer[] {
    return this.#chunks.splice(0);
  }
}
