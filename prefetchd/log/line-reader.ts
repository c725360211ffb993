// Turns the lines of one log into accesses and updates the statistics. The format is detected from the first lines, and
// again if lines stop fitting: lines that cannot be read wait, and once there are enough of them in a row, they are
// examined like the first lines of a file. So neither errors at the start nor a log_format that changed in the middle
// make later lines unreadable, and the result does not depend on how the bytes were split into chunks.

import type { Access } from '../access.ts';
import { PrefetchdError } from '../errors.ts';
import { AccessMaker } from './access-of-line.ts';
import { detectFormat, logFormats } from './formats/index.ts';
import type { LineParser, LogFormat, LogLine } from './log-format.ts';
import type { LogSettings } from './log-options.ts';
import {
  emptyStatistics,
  type FileStatistics,
  type LogStatistics,
  shownText,
} from './statistics.ts';

/** The format is detected from at most `mostWaiting` lines, and anew if `fewestWaiting` lines do not fit it. */
const mostWaiting = 100;
const fewestWaiting = 20;
/** After `freeAttempts` failed attempts to detect a format, `skippedLines` lines are counted as unreadable before each
 *  further one, so that garbage costs little. */
const freeAttempts = 4;
const skippedLines = 2000;
/** A file is given up if its format is not found within this many lines. */
const mostUnknown = 100_000;

/** State that all logs that are read together share, so that a client is the same in all of them. */
export interface LogRun {
  settings: LogSettings;
  statistics: LogStatistics;
  /** Makes the accesses of logs whose URLs are paths; `urls`: of logs whose URLs are absolute. */
  paths: AccessMaker;
  urls: AccessMaker;
}

export function startRun(settings: LogSettings): LogRun {
  const hosts = new Map<string, number>();
  return {
    settings,
    statistics: emptyStatistics(hosts),
    paths: new AccessMaker(settings, false, hosts),
    urls: new AccessMaker(settings, true, hosts),
  };
}

interface WaitingLine {
  text: string;
  /** Number of the unreadable line in its file, from 1. */
  number: number;
  reason: string;
}

export class LineReader {
  readonly #file: FileStatistics;
  readonly #run: LogRun;
  #format: LogFormat | undefined;
  #parser: LineParser = { parse: () => 'of no known format' };
  #maker: AccessMaker;
  /** Beginning of the first line that was counted as unreadable. */
  #firstRefused: string | undefined;
  #batch: Access[] = [];
  #waiting: WaitingLine[] = [];
  /** Number of consecutive attempts to detect a format that failed. */
  #attempts = 0;
  /** Number of lines to count as unreadable before the next attempt to detect a format. */
  #toSkip = 0;
  #lastTimeMs = Number.NEGATIVE_INFINITY;

  /** @param format Format of the file that was read before this one, whose order of fields this file probably has */
  constructor(file: FileStatistics, run: LogRun, format?: LogFormat) {
    this.#file = file;
    this.#run = run;
    this.#maker = run.paths;
    if (format !== undefined) this.#use(format);
  }

  get format(): LogFormat | undefined {
    return this.#format;
  }

  /** Takes the format, and declarations about later lines, from the first lines of a file that is read from further
   *  down; these lines are neither accesses nor counted. */
  prime(lines: readonly string[]): void {
    const found = this.#detected(lines.slice(0, mostWaiting));
    if (found !== undefined) this.#use(found);
    for (const line of lines) this.#parser.parse(line);
  }

  accessesOf(lines: readonly string[]): Access[] {
    for (const line of lines) this.#read(line);
    return this.#taken();
  }

  /** Reads the lines that wait for a format to be detected, or counts them as unreadable; called if no more lines come
   *  for now. @param fewest number of waiting lines that suffice to change a known format */
  settle(fewest = fewestWaiting): Access[] {
    this.#decide(fewest);
    return this.#taken();
  }

  /** Checks that a format was found. @throws PrefetchdError unknown-log-format, if lines came and none could be read */
  checkKnown(): void {
    const isKnown = this.#format !== undefined || this.#run.settings.format !== undefined;
    if (isKnown || this.#firstRefused === undefined) return;
    throw unknownFormat(this.#file, this.#firstRefused);
  }

  #taken(): Access[] {
    const batch = this.#batch;
    this.#batch = [];
    return batch;
  }

  #read(text: string): void {
    const { maxLineBytes } = this.#run.settings;
    this.#run.statistics.lines++;
    const number = ++this.#file.lines;
    if (text.length > maxLineBytes) {
      this.#refuse({ text, number, reason: `longer than ${maxLineBytes} bytes` });
      return;
    }
    this.#handle(text, number, true);
  }

  /** Reads a line. @param mayWait true: an unreadable line waits, because another format that fits may be detected */
  #handle(text: string, number: number, mayWait: boolean): void {
    const parsed = text === '' ? undefined : this.#parser.parse(text);
    if (parsed === undefined) this.#run.statistics.withoutAccess++;
    else if (typeof parsed !== 'string') this.#add(parsed, text);
    else if (mayWait) this.#wait({ text, number, reason: parsed });
    else this.#refuse({ text, number, reason: parsed });
  }

  #wait(line: WaitingLine): void {
    if (this.#toSkip > 0) {
      this.#toSkip--;
      this.#refuse(line);
      return;
    }
    this.#waiting.push(line);
    if (this.#waiting.length >= mostWaiting) this.#decide(fewestWaiting);
  }

  /** Detects the format of the lines that wait, and reads them in it; if none fits, counts them as unreadable. */
  #decide(fewest: number): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    const isAllowed = this.#format === undefined || waiting.length >= fewest;
    const found = isAllowed ? this.#detected(waiting.map(({ text }) => text)) : undefined;
    if (found === undefined) {
      this.#refuseWaiting();
      if (++this.#attempts > freeAttempts) this.#toSkip = skippedLines;
      if (this.#file.lines > mostUnknown) this.checkKnown();
      return;
    }
    this.#waiting = [];
    this.#use(found);
    for (const { text, number } of waiting) this.#handle(text, number, false);
  }

  #detected(lines: readonly string[]): LogFormat | undefined {
    const { format } = this.#run.settings;
    if (format === undefined) return detectFormat(lines);
    return detectFormat(lines, [format]) ?? (this.#format === undefined ? format : undefined);
  }

  #use(format: LogFormat): void {
    this.#format = format;
    this.#parser = format.createParser();
    const { settings, paths, urls } = this.#run;
    const keepsHost = format.manySites === true && settings.host === null;
    this.#maker = keepsHost ? urls : paths;
    this.#file.format = format.name;
    this.#file.layouts.push({
      format: format.name,
      fields: this.#parser.layout,
      example: undefined,
    });
  }

  #add(line: LogLine, text: string): void {
    const { statistics } = this.#run;
    this.#refuseWaiting();
    this.#attempts = 0;
    this.#toSkip = 0;
    this.#seeTime(line.timeMs);
    statistics.parsed++;
    this.#file.parsed++;
    const layout = this.#file.layouts.at(-1);
    if (layout !== undefined) layout.example ??= { text: shownText(text), line };
    const access = this.#maker.accessOf(line);
    if (typeof access === 'string') statistics.dropped[access]++;
    else {
      statistics.accesses++;
      this.#batch.push(access);
    }
  }

  #refuseWaiting(): void {
    if (this.#waiting.length === 0) return;
    for (const line of this.#waiting.splice(0)) this.#refuse(line);
  }

  #refuse({ text, number, reason }: WaitingLine): void {
    const { statistics, settings } = this.#run;
    // A file that has only directives is the log of a day without accesses.
    if (this.#format === undefined && text.startsWith('#')) {
      statistics.withoutAccess++;
      return;
    }
    this.#firstRefused ??= text.slice(0, 300);
    statistics.unparsed++;
    if (statistics.unparsedLines.length >= settings.maxShown) return;
    const { path } = this.#file;
    statistics.unparsedLines.push({ path, line: number, reason, text: shownText(text) });
  }

  #seeTime(timeMs: number): void {
    const { statistics } = this.#run;
    const backMs = this.#lastTimeMs - timeMs;
    this.#lastTimeMs = timeMs;
    if (backMs > 0) {
      statistics.clockBackwards++;
      statistics.maxBackwardsMs = Math.max(statistics.maxBackwardsMs, backMs);
    }
    statistics.firstTimeMs = Math.min(statistics.firstTimeMs ?? timeMs, timeMs);
    statistics.lastTimeMs = Math.max(statistics.lastTimeMs ?? timeMs, timeMs);
  }
}

function unknownFormat({ path, lines }: FileStatistics, first: string): PrefetchdError {
  const names = logFormats.map(({ name }) => name).join(', ');
  const why = /^(?:\ufffd\ufffd)?(?:.\0){4}/s.test(first)
    ? 'it is UTF-16 text; convert it to UTF-8'
    : first.includes('\0')
      ? 'it is binary, not text'
      : `none of ${names} reads any of its first ${lines} lines; name its fields, as --format client=ip,time=ts,url=path does. A line of it: ${shownText(first)}`;
  return new PrefetchdError('unknown-log-format', `log ${path} has no known format: ${why}`);
}
