// Turns the bytes of one followed file into accesses, with the code that also reads whole logs. A line waits until it
// is complete. The format is detected from the first lines, however few; after a block without a readable line the
// format is detected again, so a changed log_format is recognised after one block.

import type { Access } from '../access.ts';
import { BlockReader, type LogContext } from './block-reader.ts';
import { type LineBlock, LineSplitter } from './line-blocks.ts';
import type { LogFormat } from './log-format.ts';
import type { FileStatistics } from './statistics.ts';

export class GrowingLog {
  readonly #context: LogContext;
  readonly #file: FileStatistics;
  #splitter: LineSplitter;
  #reader: BlockReader;
  /** true if the next line began before the point where reading starts, so that its rest is skipped. */
  #skipsLine = false;

  /** @param format format of the previous file, if any */
  constructor(context: LogContext, file: FileStatistics, format?: LogFormat) {
    this.#context = context;
    this.#file = file;
    this.#splitter = new LineSplitter(context.settings.maxLineBytes);
    this.#reader = new BlockReader(file, context, format);
  }

  /** The format of the log; undefined if it is not known yet. */
  get format(): LogFormat | undefined {
    return this.#reader.format;
  }

  /** Called if reading starts within or at the end of a line, whose rest is skipped. @param lines the file's first */
  startBehind(lines: readonly string[]): void {
    this.#reader.prime(lines);
    this.#skipsLine = true;
  }

  /** Restarts at the beginning of the file. */
  restart(): void {
    this.#splitter = new LineSplitter(this.#context.settings.maxLineBytes);
    this.#reader = new BlockReader(this.#file, this.#context, this.format);
    this.#skipsLine = false;
  }

  /** The accesses of each block of lines completed by these bytes, possibly none. */
  *push(bytes: Buffer): Generator<Access[]> {
    let from = 0;
    if (this.#skipsLine) {
      const end = bytes.indexOf(0x0a);
      if (end === -1) return;
      from = end + 1;
      this.#skipsLine = false;
    }
    for (const block of this.#splitter.push(bytes.subarray(from))) yield this.#read(block);
  }

  /** Called at the end of the input: the remaining bytes are a line. */
  *end(): Generator<Access[]> {
    for (const block of this.#splitter.end()) yield this.#read(block);
  }

  #read(block: LineBlock): Access[] {
    const { parsed } = this.#file;
    const accesses = this.#reader.accessesOf(block);
    const isReadable = this.#file.parsed > parsed;
    return [...accesses, ...this.#reader.settle(isReadable ? undefined : 1)];
  }
}
