// Splits chunks of bytes into blocks of whole lines. A block never cuts a line, so decoding never splits a character
// (no byte of a multi-byte UTF-8 sequence is 0x0A). Of lines above the limit, only the beginning is kept. Invariant:
// memory is at most the limit and one chunk, and the lines do not depend on how the bytes were split into chunks.

export interface LineBlock {
  /** Whole lines, each with its `\n` except possibly the last of the file; or the start of a `longLine`. May be a
   *  view of a chunk: use it before requesting the next block. */
  bytes: Buffer;
  /** The bytes are the beginning of one line above the limit. */
  longLine: boolean;
}

const newline = 0x0a;
const shownBytes = 256;

export async function* lineBlocks(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<LineBlock> {
  const splitter = new LineSplitter(maxLineBytes);
  for await (const chunk of chunks) {
    yield* splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }
  yield* splitter.end();
}

/** For callers that receive chunks rather than a stream. */
export class LineSplitter {
  readonly #maxLineBytes: number;
  /** Parts of the incomplete line. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  /** First bytes of the incomplete line, if it is too long. */
  #longStart: Buffer | undefined;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  *push(chunk: Buffer): Generator<LineBlock> {
    const firstEnd = chunk.indexOf(newline);
    if (firstEnd === -1) {
      this.#keep(chunk);
      return;
    }
    if (this.#longStart !== undefined || this.#partBytes + firstEnd > this.#maxLineBytes) {
      this.#keep(chunk.subarray(0, firstEnd));
      yield* this.end();
      chunk = chunk.subarray(firstEnd + 1);
    }
    const lastEnd = chunk.lastIndexOf(newline);
    let start = 0;
    if (this.#partBytes > 0 && lastEnd !== -1) {
      // The line begun in the previous chunk becomes a separate block, so no chunk is copied.
      start = chunk.indexOf(newline) + 1;
      yield { bytes: this.#flushParts(chunk.subarray(0, start)), longLine: false };
    }
    const lines = chunk.subarray(start, lastEnd + 1);
    if (lines.length > this.#maxLineBytes) yield* this.#oneByOne(lines);
    else if (lines.length > 0) yield { bytes: lines, longLine: false };
    this.#keep(chunk.subarray(lastEnd + 1));
  }

  /** Completes the last line. */
  *end(): Generator<LineBlock> {
    if (this.#longStart !== undefined) {
      yield { bytes: this.#longStart, longLine: true };
      this.#longStart = undefined;
    } else if (this.#partBytes > 0) yield { bytes: this.#flushParts(), longLine: false };
  }

  /** Checks each line, because one of `lines` may be too long. */
  *#oneByOne(lines: Buffer): Generator<LineBlock> {
    let start = 0;
    let at = 0;
    while (at < lines.length) {
      const end = lines.indexOf(newline, at);
      if (end - at > this.#maxLineBytes) {
        if (at > start) yield { bytes: lines.subarray(start, at), longLine: false };
        yield { bytes: lines.subarray(at, at + shownBytes), longLine: true };
        start = end + 1;
      }
      at = end + 1;
    }
    if (start < lines.length) yield { bytes: lines.subarray(start), longLine: false };
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0 || this.#longStart !== undefined) return;
    // The bytes are copied, because the chunk may be a view of memory that its owner reuses.
    this.#parts.push(Buffer.from(bytes));
    this.#partBytes += bytes.length;
    if (this.#partBytes > this.#maxLineBytes) {
      this.#longStart = Buffer.from(this.#flushParts().subarray(0, shownBytes));
    } else if (this.#parts.length > 1024) {
      // Of tiny chunks, one buffer is kept instead of a list of thousands.
      const whole = this.#flushParts();
      this.#parts = [whole];
      this.#partBytes = whole.length;
    }
  }

  /** Returns and clears what was kept. */
  #flushParts(...more: Buffer[]): Buffer {
    const whole = Buffer.concat([...this.#parts, ...more]);
    this.#parts = [];
    this.#partBytes = 0;
    return whole;
  }
}
