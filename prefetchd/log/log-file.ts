// One log: its bytes become lines, its lines accesses, in batches of what one chunk of it gave. All that
// is told of it goes into the statistics on the way.

import type { Access } from '../access.ts';
import { PrefetchdError } from '../errors.ts';
import type { AccessMaker, DropReason } from './access-of-line.ts';
import { detectFormat, logFormats } from './formats.ts';
import { type LineBlock, lineBlocks } from './line-blocks.ts';
import { type LogSource, logBytes, nameOf } from './log-bytes.ts';
import type { LineParser, LogFormat } from './log-format.ts';
import type { LogSettings } from './options.ts';
import type { ProgressMeter } from './progress.ts';
import { type FileStatistics, type LogStatistics, shownText } from './statistics.ts';
import { UsualLine } from './usual-line.ts';

/** The format is told by so many lines from the start, or by so many bytes. */
const headLines = 100;
const headBytes = 256 * 1024;
const newline = 0x0a;
/** Texts above 128 KiB are large objects to V8: made eight times slower a byte. */
const textBytes = 64 * 1024;

export interface LogContext {
  settings: LogSettings;
  statistics: LogStatistics;
  progress: ProgressMeter;
  /** One for all logs: a client is the same in each. Per format for what it asks of URLs. */
  accessMakerFor(format: LogFormat): AccessMaker;
}

/** @throws PrefetchdError log-unreadable, unknown-log-format */
export async function* logFile(source: LogSource, context: LogContext): AsyncGenerator<Access[]> {
  const file: FileStatistics = {
    path: nameOf(source),
    format: undefined,
    compression: 'none',
    lines: 0,
    parsed: 0,
    unparsed: 0,
    accesses: 0,
    empty: false,
    broken: undefined,
  };
  context.statistics.files.push(file);
  const { progress, settings } = context;
  const bytes = logBytes(source, file, (count) => {
    progress.bytesRead += count;
  });
  let reader: BlockReader | undefined;
  let head: LineBlock[] = [];
  for await (const block of lineBlocks(bytes, settings.maxLineBytes)) {
    if (reader !== undefined) {
      yield* nonEmpty(reader.accessesOf(block));
      progress.tell(false);
      continue;
    }
    // Kept while the next chunk is read: a copy.
    head.push({ ...block, bytes: Buffer.from(block.bytes) });
    if (settings.format === undefined && !isEnough(head)) continue;
    reader = readerFor(head, file, context);
    for (const early of head) yield* nonEmpty(reader.accessesOf(early));
    head = [];
    progress.tell(false);
  }
  if (reader === undefined && head.length > 0) {
    reader = readerFor(head, file, context);
    for (const early of head) yield* nonEmpty(reader.accessesOf(early));
  }
}

function* nonEmpty(batch: Access[]): Generator<Access[]> {
  if (batch.length > 0) yield batch;
}

function isEnough(head: readonly LineBlock[]): boolean {
  let bytes = 0;
  let lines = 0;
  for (const block of head) {
    bytes += block.bytes.length;
    if (bytes >= headBytes) return true;
    for (
      let at = block.bytes.indexOf(newline);
      at !== -1;
      at = block.bytes.indexOf(newline, at + 1)
    ) {
      if (++lines >= headLines) return true;
    }
  }
  return false;
}

/** The same lines whatever the blocks are. */
function firstLines(head: readonly LineBlock[]): string[] {
  const lines: string[] = [];
  let bytes = 0;
  for (const block of head) {
    if (block.longLine) continue;
    for (let start = 0; start < block.bytes.length; ) {
      const end = lineEnd(block.bytes, start);
      bytes += end - start;
      if (lines.length >= headLines || (bytes > headBytes && lines.length > 0)) return lines;
      const bare = withoutMarks(block.bytes.toString('utf8', start, end));
      if (bare !== '') lines.push(bare);
      start = end + 1;
    }
  }
  return lines;
}

function lineEnd(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(newline, start);
  return end === -1 ? bytes.length : end;
}

function readerFor(
  head: readonly LineBlock[],
  file: FileStatistics,
  context: LogContext,
): BlockReader {
  const format = context.settings.format ?? detected(firstLines(head), file.path);
  file.format = format?.name;
  return new BlockReader(format, file, context);
}

/** Undefined: only blank lines to go by. */
function detected(lines: readonly string[], path: string): LogFormat | undefined {
  if (lines.length === 0) return undefined;
  const start = lines.join('\n').slice(0, 4096);
  if (/^(?:\ufffd\ufffd)?(?:.\0){4}/s.test(start)) {
    throw unknownFormat(path, 'it is UTF-16 text; write it as UTF-8');
  }
  const format = detectFormat(lines);
  if (format !== undefined) return format;
  if (start.includes('\0')) throw unknownFormat(path, 'it is binary, no text');
  const first = lines.find((line) => !line.startsWith('#'));
  // Directives alone: a log of a day without accesses.
  if (first === undefined) return undefined;
  const names = logFormats.map(({ name }) => name).join(', ');
  throw unknownFormat(
    path,
    `none of ${names} reads any of its first ${lines.length} lines; the first is: ${shownText(first)}`,
  );
}

function unknownFormat(path: string, why: string): PrefetchdError {
  return new PrefetchdError('unknown-log-format', `log ${path} has no known format: ${why}`);
}

/** Without a carriage return at the end, and without a byte order mark at the start. */
function withoutMarks(line: string): string {
  const start = line.charCodeAt(0) === 0xfeff ? 1 : 0;
  const end = line.charCodeAt(line.length - 1) === 0x0d ? line.length - 1 : line.length;
  return start === 0 && end === line.length ? line : line.slice(start, end);
}

class BlockReader {
  readonly #file: FileStatistics;
  readonly #context: LogContext;
  readonly #parser: LineParser | undefined;
  readonly #maker: AccessMaker | undefined;
  readonly #usual: UsualLine | undefined;
  readonly #withAgent: boolean;
  #lastTimeMs = Number.NEGATIVE_INFINITY;

  constructor(format: LogFormat | undefined, file: FileStatistics, context: LogContext) {
    this.#file = file;
    this.#context = context;
    this.#parser = format?.createParser();
    this.#maker = format && context.accessMakerFor(format);
    this.#withAgent = format?.usual === 'with-agent';
    this.#usual = format?.usual && new UsualLine(this.#withAgent);
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
    return batch;
  }

  #readBytes(bytes: Buffer, usual: UsualLine, batch: Access[]): void {
    const maker = this.#maker as AccessMaker;
    for (let start = 0; start < bytes.length; ) {
      this.#file.lines++;
      if (usual.read(bytes, start)) {
        this.#seeTime(usual.timeMs);
        this.#take(maker.accessOfUsual(bytes, usual, this.#withAgent), batch);
        start = usual.next;
      } else {
        const end = lineEnd(bytes, start);
        this.#read(withoutMarks(bytes.toString('utf8', start, end)), batch);
        start = end + 1;
      }
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
    const { statistics } = this.#context;
    statistics.parsed++;
    this.#file.parsed++;
    if (typeof access === 'string') statistics.dropped[access]++;
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
    const { statistics } = this.#context;
    const last = this.#lastTimeMs;
    this.#lastTimeMs = timeMs;
    if (timeMs < last) {
      statistics.clockBackwards++;
      if (last - timeMs > statistics.maxBackwardsMs) statistics.maxBackwardsMs = last - timeMs;
    }
    const { firstTimeMs, lastTimeMs } = statistics;
    if (firstTimeMs === undefined || timeMs < firstTimeMs) statistics.firstTimeMs = timeMs;
    if (lastTimeMs === undefined || timeMs > lastTimeMs) statistics.lastTimeMs = timeMs;
  }
}
