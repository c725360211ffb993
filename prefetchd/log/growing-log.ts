// What is read of one followed file: bytes as they come, accesses out, by the same code that reads whole logs.
// A line waits until it is whole. The format is that of the first lines there are, however few; a block of
// which no line can be read asks again, so that a changed log_format is understood after one block.

import type { Access } from '../access.ts';
import { BlockReader, type LogContext } from './block-reader.ts';
import { detectFormat } from './formats/index.ts';
import { type LineBlock, LineSplitter } from './line-blocks.ts';
import { firstLines } from './log-file.ts';
import type { LogFormat } from './log-format.ts';
import type { FileStatistics } from './statistics.ts';

/** Takes part while no format fits: every line is refused, and counted. */
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
  /** The next block tells whether the format is right. */
  #isInDoubt = true;
  /** The line that comes next was begun before we came. */
  #skipsLine = false;

  /** @param format that of the file before this one, if there was any */
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

  /** Reading begins further down: what the first lines say of the format is taken in. */
  startBehind(head: Buffer, isInLine: boolean): void {
    const lines = firstLines([{ bytes: head, longLine: false }]);
    this.#choose(lines);
    this.#isInDoubt = this.#format === unknownFormat;
    this.#reader.prime(lines);
    this.#skipsLine = isInLine;
  }

  /** The file begins anew. */
  restart(): void {
    this.#splitter = new LineSplitter(this.#context.settings.maxLineBytes);
    this.#reader = this.#readerOf(this.#format);
    this.#isInDoubt = true;
    this.#skipsLine = false;
  }

  /** For each block of lines that these bytes end: its accesses, perhaps none. */
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

  /** Nothing more comes: what is left is a line. */
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

  /** Stays with the format it has as long as that reads anything. */
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
