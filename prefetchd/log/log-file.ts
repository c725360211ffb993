// Reads one log: bytes to lines to accesses, in batches of one chunk each, and updates the statistics.

import type { Access } from '../access.ts';
import { PrefetchdError } from '../errors.ts';
import { BlockReader, type LogContext, lineEnd, withoutMarks } from './block-reader.ts';
import { detectFormat, logFormats } from './formats/index.ts';
import { type LineBlock, lineBlocks } from './line-blocks.ts';
import { type LogSource, logBytes, nameOf } from './log-bytes.ts';
import type { LogFormat } from './log-format.ts';
import type { FileStatistics } from './statistics.ts';

/** The format is detected from at most this many lines or bytes. */
const headLines = 100;
export const headBytes = 256 * 1024;
const newline = 0x0a;

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
      progress.update();
      continue;
    }
    // A copy, because it is kept while the next chunk is read.
    head.push({ ...block, bytes: Buffer.from(block.bytes) });
    if (settings.format === undefined && !isEnough(head)) continue;
    reader = readerFor(head, file, context);
    for (const early of head) yield* nonEmpty(reader.accessesOf(early));
    head = [];
    progress.update();
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

/** The lines for format detection, independent of block boundaries. */
export function firstLines(head: readonly LineBlock[]): string[] {
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

function readerFor(
  head: readonly LineBlock[],
  file: FileStatistics,
  context: LogContext,
): BlockReader {
  const format = context.settings.format ?? detected(firstLines(head), file.path);
  file.format = format?.name;
  return new BlockReader(format, file, context);
}

/** Undefined if there are only blank lines. */
function detected(lines: readonly string[], path: string): LogFormat | undefined {
  if (lines.length === 0) return undefined;
  const start = lines.join('\n').slice(0, 4096);
  if (/^(?:\ufffd\ufffd)?(?:.\0){4}/s.test(start)) {
    throw unknownFormat(path, 'it is UTF-16 text; convert it to UTF-8');
  }
  const format = detectFormat(lines);
  if (format !== undefined) return format;
  if (start.includes('\0')) throw unknownFormat(path, 'it is binary, not text');
  // Only directives: the log of a day without accesses.
  if (lines.every((line) => line.startsWith('#'))) return undefined;
  const names = logFormats.map(({ name }) => name).join(', ');
  // The message omits their content: addresses and requests.
  throw unknownFormat(path, `none of ${names} reads any of its first ${lines.length} lines`);
}

function unknownFormat(path: string, why: string): PrefetchdError {
  return new PrefetchdError('unknown-log-format', `log ${path} has no known format: ${why}`);
}
