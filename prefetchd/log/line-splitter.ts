// Splits the bytes of a log into lines. Of a line above the limit only the beginning is kept, which the reader of the
// lines counts as too long. Invariant: memory is at most the limit and two chunks, and the lines do not depend on how
// the bytes were split into chunks.

import { StringDecoder } from 'node:string_decoder';

export class LineSplitter {
  readonly #maxLineLength: number;
  readonly #decoder = new StringDecoder('utf8');
  /** The beginning of the line that is not complete. */
  #rest = '';

  /** @param maxLineLength Limit on the length of lines, in characters; of a longer one the end is lost */
  constructor(maxLineLength: number) {
    this.#maxLineLength = maxLineLength;
  }

  /** Returns the lines that these bytes complete, without their line ends. */
  push(bytes: Uint8Array): string[] {
    const [first = '', ...lines] = this.#decoder.write(bytes).split('\n');
    // Nothing is added to an incomplete line that is above the limit, because it is too long already.
    if (this.#rest.length <= this.#maxLineLength) this.#rest += first;
    const last = lines.pop();
    if (last === undefined) return [];
    const complete = [this.#rest, ...lines];
    this.#rest = last;
    return complete.map(withoutMarks);
  }

  /** Returns the last line of the input if that has no line end. */
  end(): string[] {
    const last = this.#rest + this.#decoder.end();
    this.#rest = '';
    return last === '' ? [] : [withoutMarks(last)];
  }
}

/** Removes a trailing carriage return and a leading byte order mark. */
function withoutMarks(line: string): string {
  return line.slice(line.startsWith('\ufeff') ? 1 : 0, line.endsWith('\r') ? -1 : undefined);
}
