// Turns the bytes of one followed file into accesses, with the same code as whole logs. A line waits until it is
// complete. The format is detected from the first lines, however few; after a block without a readable line it is
// detected again, so a changed log_format is recognised after one block.

import type { Access } from '../access.ts';
import { BlockReader, type LogContext } from './block-reader.ts';
import { detectFormat } from './formats/index.ts';
import { type LineBlock, LineSplitter } from './line-blocks.ts';
import { firstLines } from './log-file.ts';
import type { LogFormat } from './log-format.ts';
import type { FileStatistics } from './statistics.ts';

/** Used while no format matches: every line is rejected and counted. */
const unknownFormat: LogFormat = {
  name: 'unknown',
  manySites: false,
  detect: () => 0,
  createParser: () => ({
    parse: (line) => (line === '' ? undefined : 'of no known format'),
  }),
};

export class GrowingLog {
  readonly #context: LogContext;
  readonly #file: FileStatistics;
  #splitter: LineSplitter;
  #format: LogFormat;
  #reader: BlockReader;
  /** The next block shows whether the format is right. */
  #isInDoubt = true;
  /** The next line began before following started. */
  #skipsLine = false;

  /** @param format format of the previous file, if any */
  constructor(context: LogContext, file: FileStatistics, format: LogFormat | null) {
    this.#context = context;
    this.#file = file;
    this.#splitter = new LineSplitter(context.settings.maxLineBytes);
    this.#format = context.settings.format ?? format ?? unknownFormat;
    this.#reader = this.#readerOf(this.#format);
  }

  /** Null: not known yet. */
  get format(): LogFormat | null {
    return this.#format === unknownFormat ? null : this.#format;
  }

  /** Reading starts further down: take the format from the first lines. */
  startBehind(head: Buffer, isInLine: boolean): void {
    const lines = firstLines([{ bytes: head, longLine: false }]);
    this.#choose(lines);
    this.#isInDoubt = this.#format === unknownFormat;
    this.#reader.prime(lines);
    this.#skipsLine = isInLine;
  }

  /** The file starts anew. */
  restart(): void {
    this.#splitter = new LineSplitter(this.#context.settings.maxLineBytes);
    this.#reader = this.#readerOf(this.#format);
    this.#isInDoubt = true;
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

  /** End of input: what is left is a line. */
  *end(): Generator<Access[]> {
    for (const block of this.#splitter.end()) yield this.#read(block);
  }

  #read(block: LineBlock): Access[] {
    if (this.#isInDoubt) this.#choose(firstLines([block]));
    const { parsed, unparsed } = this.#file;
    const accesses = this.#reader.accessesOf(block);
    if (this.#file.parsed > parsed) this.#isInDoubt = false;
    else if (this.#file.unparsed > unparsed) this.#isInDoubt = true;
    return accesses;
  }

  /** Keeps the current format as long as it reads anything. */
  #choose(lines: readonly string[]): void {
    if (this.#context.settings.format !== undefined || this.#format.detect(lines) > 0) return;
    const found = detectFormat(lines);
    if (found === undefined) return;
    this.#format = found;
    this.#reader = this.#readerOf(found);
  }

  #readerOf(format: LogFormat): BlockReader {
    this.#file.format = format.name;
    return new BlockReader(format, this.#file, this.#context);
  }
}
