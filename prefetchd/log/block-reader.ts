// Turns a block of lines into a batch of accesses and updates the statistics. Usual lines are read directly from
// bytes (usual-line.ts), all others as text through the format's parser.

import type { Access } from '../access.ts';
import type { AccessMaker, AgentFacts, DropReason } from './access-of-line.ts';
import type { LineBlock } from './line-blocks.ts';
import type { LineParser, LogFormat } from './log-format.ts';
import type { LogSettings } from './log-options.ts';
import type { ProgressMeter } from './read-progress.ts';
import { type FileStatistics, type LogStatistics, shownText } from './statistics.ts';
import { UsualLine } from './usual-line.ts';

const newline = 0x0a;
/** V8 treats texts above 128 KiB as large objects, which cost eight times as much per byte. */
const textBytes = 64 * 1024;

export interface LogContext {
  settings: LogSettings;
  statistics: LogStatistics;
  progress: ProgressMeter;
  /** One for all logs, so a client is the same in each; per format for its URL rules. */
  accessMakerFor(format: LogFormat): AccessMaker;
  /** Forget all clients, for logs that never end. */
  forgetClients(): void;
}

/** End of the line that begins at `start`. */
export function lineEnd(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(newline, start);
  return end === -1 ? bytes.length : end;
}

/** Removes a trailing carriage return and a leading byte order mark. */
export function withoutMarks(line: string): string {
  const start = line.charCodeAt(0) === 0xfeff ? 1 : 0;
  const end = line.charCodeAt(line.length - 1) === 0x0d ? line.length - 1 : line.length;
  return start === 0 && end === line.length ? line : line.slice(start, end);
}

export class BlockReader {
  readonly #file: FileStatistics;
  readonly #context: LogContext;
  readonly #parser: LineParser | undefined;
  readonly #maker: AccessMaker | undefined;
  readonly #usual: UsualLine<AgentFacts> | undefined;
  readonly #withAgent: boolean;
  // Copied to the statistics once per block: V8 stores these private fields as plain doubles.
  #lastTimeMs = Number.NEGATIVE_INFINITY;
  #earliestMs = Number.POSITIVE_INFINITY;
  #latestMs = Number.NEGATIVE_INFINITY;
  #parsed = 0;

  constructor(format: LogFormat | undefined, file: FileStatistics, context: LogContext) {
    this.#file = file;
    this.#context = context;
    this.#parser = format?.createParser();
    this.#maker = format && context.accessMakerFor(format);
    this.#withAgent = format?.usual === 'with-agent';
    // Which page is the Referer's is asked where the site is known; usual lines are read without it.
    const isForReferers = this.#withAgent && context.settings.host !== null;
    if (format?.usual && !isForReferers) this.#usual = new UsualLine(this.#withAgent, this.#maker);
  }

  /** Process the first lines of a file for what they declare about later lines; they are neither accesses nor
   *  counted. */
  prime(lines: readonly string[]): void {
    for (const line of lines) this.#parser?.parse(line);
  }

  accessesOf({ bytes, longLine }: LineBlock): Access[] {
    const batch: Access[] = [];
    const linesBefore = this.#file.lines;
    if (longLine) {
      this.#file.lines++;
      const { maxLineBytes } = this.#context.settings;
      this.#refuse(`longer than ${maxLineBytes} bytes`, bytes.toString('utf8'));
    } else if (this.#usual !== undefined) this.#readBytes(bytes, this.#usual, batch);
    else this.#readTexts(bytes, batch);
    const { statistics, progress } = this.#context;
    const lines = this.#file.lines - linesBefore;
    statistics.lines += lines;
    progress.lines += lines;
    statistics.accesses += batch.length;
    this.#file.accesses += batch.length;
    statistics.parsed += this.#parsed;
    this.#file.parsed += this.#parsed;
    this.#parsed = 0;
    this.#tellTimes(statistics);
    return batch;
  }

  #readBytes(bytes: Buffer, usual: UsualLine<AgentFacts>, batch: Access[]): void {
    const maker = this.#maker as AccessMaker;
    const block = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
    for (let start = 0; start < bytes.length; ) {
      const end = lineEnd(bytes, start);
      this.#file.lines++;
      if (end < bytes.length && usual.read(block, start, end)) {
        this.#seeTime(usual.timeMs);
        this.#take(maker.accessOfUsual(block, usual, this.#withAgent), batch);
      } else this.#read(withoutMarks(bytes.toString('utf8', start, end)), batch);
      start = end + 1;
    }
  }

  #readTexts(bytes: Buffer, batch: Access[]): void {
    for (let from = 0; from < bytes.length; ) {
      let to = bytes.length;
      if (to - from > textBytes) {
        const last = bytes.lastIndexOf(newline, from + textBytes - 1);
        to = Math.min(to, (last >= from ? last : lineEnd(bytes, from)) + 1);
      }
      const text = bytes.toString('utf8', from, to);
      for (let start = 0; start < text.length; ) {
        const found = text.indexOf('\n', start);
        const end = found === -1 ? text.length : found;
        this.#file.lines++;
        this.#read(withoutMarks(text.slice(start, end)), batch);
        start = end + 1;
      }
      from = to;
    }
  }

  #read(line: string, batch: Access[]): void {
    const { statistics } = this.#context;
    const parsed = this.#parser?.parse(line);
    if (parsed === undefined) {
      statistics.withoutAccess++;
      return;
    }
    if (typeof parsed === 'string') {
      this.#refuse(parsed, line);
      return;
    }
    this.#seeTime(parsed.timeMs);
    this.#take((this.#maker as AccessMaker).accessOf(parsed), batch);
  }

  #take(access: Access | DropReason, batch: Access[]): void {
    this.#parsed++;
    if (typeof access === 'string') this.#context.statistics.dropped[access]++;
    else batch.push(access);
  }

  #refuse(reason: string, line: string): void {
    const { statistics, settings } = this.#context;
    statistics.unparsed++;
    this.#file.unparsed++;
    if (statistics.unparsedLines.length >= settings.maxShown) return;
    const { path, lines } = this.#file;
    statistics.unparsedLines.push({ path, line: lines, reason, text: shownText(line) });
  }

  #seeTime(timeMs: number): void {
    const last = this.#lastTimeMs;
    this.#lastTimeMs = timeMs;
    if (timeMs < last) {
      const { statistics } = this.#context;
      statistics.clockBackwards++;
      if (last - timeMs > statistics.maxBackwardsMs) statistics.maxBackwardsMs = last - timeMs;
    }
    if (timeMs < this.#earliestMs) this.#earliestMs = timeMs;
    if (timeMs > this.#latestMs) this.#latestMs = timeMs;
  }

  #tellTimes(statistics: LogStatistics): void {
    if (this.#earliestMs > this.#latestMs) return;
    const { firstTimeMs = this.#earliestMs, lastTimeMs = this.#latestMs } = statistics;
    statistics.firstTimeMs = Math.min(firstTimeMs, this.#earliestMs);
    statistics.lastTimeMs = Math.max(lastTimeMs, this.#latestMs);
  }
}
