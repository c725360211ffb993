// Reads one log: bytes to lines to accesses, in batches of one chunk each, and updates the statistics.

import type { Access } from '../access.ts';
import { BlockReader, type LogContext, lineEnd, withoutMarks } from './block-reader.ts';
import { lineBlocks } from './line-blocks.ts';
import { type LogSource, logBytes, nameOf } from './log-bytes.ts';
import { emptyFileStatistics } from './statistics.ts';

/** @throws PrefetchdError log-unreadable, unknown-log-format */
export async function* logFile(source: LogSource, context: LogContext): AsyncGenerator<Access[]> {
  const file = emptyFileStatistics(nameOf(source));
  context.statistics.files.push(file);
  const { progress, settings } = context;
  const bytes = logBytes(source, file, (count) => {
    progress.bytesRead += count;
  });
  const reader = new BlockReader(file, context);
  for await (const block of lineBlocks(bytes, settings.maxLineBytes)) {
    yield* nonEmpty(reader.accessesOf(block));
    progress.update();
  }
  yield* nonEmpty(reader.settle());
  reader.checkKnown();
}

function* nonEmpty(batch: Access[]): Generator<Access[]> {
  if (batch.length > 0) yield batch;
}

/** The first lines of a file, which show its format. */
export function firstLines(head: Buffer): string[] {
  const lines: string[] = [];
  for (let start = 0; start < head.length && lines.length < mostLines; ) {
    const end = lineEnd(head, start);
    const bare = withoutMarks(head.toString('utf8', start, end));
    if (bare !== '') lines.push(bare);
    start = end + 1;
  }
  return lines;
}

const mostLines = 100;
