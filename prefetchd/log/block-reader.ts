// Turns the lines of one log into accesses and updates the statistics. The format is detected from the first lines, and
// again if lines stop fitting: lines that cannot be read wait, and once there are enough of them in a row, they are
// examined like the first lines of a file. So neither errors at the start nor a log_format that changed in the middle
// make later lines unreadable, and the result does not depend on how the bytes were split into chunks.

import type { Access } from '../access.ts';
import { PrefetchdError } from '../errors.ts';
import type { AccessMaker, DropReason } from './access-of-line.ts';
import { detectFormat, logFormats } from './formats/index.ts';
import type { LineBlock } from './line-blocks.ts';
import type { LineParser, LogFormat, LogLine } from './log-format.ts';
import type { LogSettings } from './log-options.ts';
import type { ProgressMeter } from './read-progress.ts';
import { type FileStatistics, type LogStatistics, shownText } from './statistics.ts';

const newline = 0x0a;
/** V8 treats texts above 128 KiB as large objects, which cost eight times as much per byte. */
const textBytes = 64 * 1024;

/** The format is detected from at most so many lines or characters; changing a known one takes at least so many. */
const mostWaiting = 100;
const mostCharacters = 256 * 1024;
const fewestWaiting = 20;
/** After some attempts without result, lines are skipped between them, so that garbage is cheap. */
const freeAttempts = 4;
const mostSkipped = 10_000;
/** A file without any format is given up after this many lines. */
const mostUnknown = 100_000;

export interface LogContext {
  settings: LogSettings;
  statistics: LogStatistics;
  progress: ProgressMeter;
  /** All logs share one maker for each kind of URL, so that a client is the same in all of them. */
  accessMakerFor(format: LogFormat): AccessMaker;
  /** Forgets all clients, for logs that never end. */
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

interface WaitingLine {
  text: string;
  /** Number of the line, from 1. */
  number: number;
  reason: string;
}

export class BlockReader {
  readonly #file: FileStatistics;
  readonly #context: LogContext;
  #format: LogFormat | undefined;
  #parser: LineParser | undefined;
  #maker: AccessMaker | undefined;
  /** Beginning of the first line that was refused. */
  #firstRefused: string | undefined;
  #waiting: WaitingLine[] = [];
  #waitingCharacters = 0;
  /** Number of consecutive attempts without a result. */
  #attempts = 0;
  /** Lines to refuse before the next attempt. */
  #toSkip = 0;
  // These fields are copied to the statistics once per block, because V8 stores private fields as plain doubles.
  #lastTimeMs = Number.NEGATIVE_INFINITY;
  #earliestMs = Number.POSITIVE_INFINITY;
  #latestMs = Number.NEGATIVE_INFINITY;
  #parsed = 0;

  /** @param format Format of the file before this one, whose layout this file probably has */
  constructor(file: FileStatistics, context: LogContext, format?: LogFormat) {
    this.#file = file;
    this.#context = context;
    if (format !== undefined) this.#use(format);
  }

  /** Undefined if the format is not known yet. */
  get format(): LogFormat | undefined {
    return this.#format;
  }

  /** Takes the format, and declarations about later lines, from the first lines of a file that is read from further
   *  down; these lines are neither accesses nor counted. */
  prime(lines: readonly string[]): void {
    const found = this.#detected(lines);
    if (found !== undefined) this.#use(found);
    for (const line of lines) this.#parser?.parse(line);
  }

  accessesOf({ bytes, longLine }: LineBlock): Access[] {
    const batch: Access[] = [];
    const linesBefore = this.#file.lines;
    if (longLine) {
      this.#file.lines++;
      const { maxLineBytes } = this.#context.settings;
      this.#refuse({
        text: bytes.toString('utf8'),
        number: this.#file.lines,
        reason: `longer than ${maxLineBytes} bytes`,
      });
    } else this.#readTexts(bytes, batch);
    const lines = this.#file.lines - linesBefore;
    this.#context.statistics.lines += lines;
    this.#context.progress.lines += lines;
    return this.#counted(batch);
  }

  /** Called when no more lines come, at least for now: the lines that wait are read or refused. @param fewest Number of
   *  lines that prove another format if one is known */
  settle(fewest = fewestWaiting): Access[] {
    const batch: Access[] = [];
    this.#decide(batch, fewest);
    return this.#counted(batch);
  }

  /** @throws PrefetchdError unknown-log-format, if there were lines and no format reads any of them */
  checkKnown(): void {
    const isKnown = this.#format !== undefined || this.#context.settings.format !== undefined;
    if (isKnown || this.#firstRefused === undefined) return;
    throw unknownFormat(this.#file, this.#firstRefused);
  }

  #counted(batch: Access[]): Access[] {
    const { statistics } = this.#context;
    statistics.accesses += batch.length;
    this.#file.accesses += batch.length;
    statistics.parsed += this.#parsed;
    this.#file.parsed += this.#parsed;
    this.#parsed = 0;
    this.#recordTimes(statistics);
    return batch;
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
    const parsed = line === '' ? undefined : this.#parsedLine(line);
    if (typeof parsed === 'string') {
      this.#wait({ text: line, number: this.#file.lines, reason: parsed }, batch);
      return;
    }
    if (parsed === undefined) this.#context.statistics.withoutAccess++;
    else {
      if (this.#waiting.length > 0) this.#refuseWaiting();
      this.#attempts = 0;
      this.#toSkip = 0;
      this.#addAccess(parsed, line, batch);
    }
  }

  #parsedLine(line: string): LogLine | string | undefined {
    return this.#parser === undefined ? 'of no known format' : this.#parser.parse(line);
  }

  #wait(line: WaitingLine, batch: Access[]): void {
    if (this.#toSkip > 0) {
      this.#toSkip--;
      this.#refuse(line);
      return;
    }
    this.#waiting.push(line);
    this.#waitingCharacters += line.text.length;
    if (this.#waiting.length >= mostWaiting || this.#waitingCharacters >= mostCharacters) {
      this.#decide(batch, fewestWaiting);
    }
  }

  /** Reads the lines that wait in the format that they have, or refuses them. */
  #decide(batch: Access[], fewest: number): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    const isAllowed = this.#format === undefined || waiting.length >= fewest;
    const found = isAllowed ? this.#detected(waiting.map(({ text }) => text)) : undefined;
    if (found === undefined) {
      this.#refuseWaiting();
      if (++this.#attempts > freeAttempts) {
        this.#toSkip = Math.min(mostSkipped, mostWaiting * 2 ** (this.#attempts - freeAttempts));
      }
      if (this.#format === undefined && this.#file.lines > mostUnknown) this.checkKnown();
      return;
    }
    this.#waiting = [];
    this.#waitingCharacters = 0;
    this.#use(found);
    for (const { text, number } of waiting) {
      const parsed = this.#parsedLine(text);
      if (parsed === undefined) this.#context.statistics.withoutAccess++;
      else if (typeof parsed === 'string') this.#refuse({ text, number, reason: parsed });
      else this.#addAccess(parsed, text, batch);
    }
  }

  #detected(lines: readonly string[]): LogFormat | undefined {
    const { format } = this.#context.settings;
    if (format === undefined) return detectFormat(lines);
    return detectFormat(lines, [format]) ?? (this.#format === undefined ? format : undefined);
  }

  #use(format: LogFormat): void {
    this.#format = format;
    this.#parser = format.createParser();
    this.#maker = this.#context.accessMakerFor(format);
    this.#file.format = format.name;
    this.#file.layouts.push({
      format: format.name,
      fields: this.#parser.layout,
      example: undefined,
    });
  }

  #addAccess(line: LogLine, text: string, batch: Access[]): void {
    this.#seeTime(line.timeMs);
    this.#parsed++;
    const layout = this.#file.layouts.at(-1);
    if (layout !== undefined) layout.example ??= { text: shownText(text), line };
    const access: Access | DropReason = (this.#maker as AccessMaker).accessOf(line);
    if (typeof access === 'string') this.#context.statistics.dropped[access]++;
    else batch.push(access);
  }

  #refuseWaiting(): void {
    for (const line of this.#waiting) this.#refuse(line);
    this.#waiting = [];
    this.#waitingCharacters = 0;
  }

  #refuse({ text, number, reason }: WaitingLine): void {
    const { statistics, settings } = this.#context;
    // A file with only directives is the log of a day without accesses.
    if (this.#format === undefined && text.startsWith('#')) {
      statistics.withoutAccess++;
      return;
    }
    this.#firstRefused ??= text.slice(0, 300);
    statistics.unparsed++;
    this.#file.unparsed++;
    if (statistics.unparsedLines.length >= settings.maxShown) return;
    const { path } = this.#file;
    statistics.unparsedLines.push({ path, line: number, reason, text: shownText(text) });
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

  #recordTimes(statistics: LogStatistics): void {
    if (this.#earliestMs > this.#latestMs) return;
    const { firstTimeMs = this.#earliestMs, lastTimeMs = this.#latestMs } = statistics;
    statistics.firstTimeMs = Math.min(firstTimeMs, this.#earliestMs);
    statistics.lastTimeMs = Math.max(lastTimeMs, this.#latestMs);
  }
}

function unknownFormat({ path, lines }: FileStatistics, first: string): PrefetchdError {
  const names = logFormats.map(({ name }) => name).join(', ');
  const why = /^(?:\ufffd\ufffd)?(?:.\0){4}/s.test(first)
    ? 'it is UTF-16 text; convert it to UTF-8'
    : first.includes('\0')
      ? 'it is binary, not text'
      : `none of ${names} reads any of its first ${lines} lines; name its fields, as --fields client=ip,time=ts,url=path does. A line of it: ${shownText(first)}`;
  return new PrefetchdError('unknown-log-format', `log ${path} has no known format: ${why}`);
}
