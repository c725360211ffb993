// Reads the bytes of a log from a file, standard input, or any stream of chunks. Compression is detected by the first
// bytes, never by the name. Truncated or damaged compressed data yields everything before the damage, which
// `file.broken` then describes. A file that expands beyond reason (a bomb) is given up.

import { createReadStream } from 'node:fs';
import type { Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { fileFailure } from '../../process/file-failure.ts';
import { PrefetchdError } from '../errors.ts';
import { LineSplitter } from './line-splitter.ts';
import type { FileStatistics } from './statistics.ts';
import { magicBytes, unpackers } from './unpackers.ts';

/** A path (`-` is standard input), or chunks with a display name. */
export type LogSource = string | { name: string; chunks: AsyncIterable<Uint8Array> };

/** Largest factor by which data may expand when they are unpacked. Deflate expands at most 1,032 times, other codings
 *  some hundred times if all lines are equal. */
const mostTimes = 2000;
const alwaysAllowedBytes = 256 * 1024 * 1024;

export function nameOf(source: LogSource): string {
  return typeof source === 'string' ? source : source.name;
}

/** Returns whether the source can be reopened and has a size. */
export function isFilePath(source: LogSource): source is string {
  return typeof source === 'string' && source !== '-';
}

/** Yields the bytes of a log's text. `onRead` receives the number of bytes read from the source. @throws PrefetchdError
 *  log-unreadable */
async function* logBytes(
  source: LogSource,
  file: FileStatistics,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const chunks = chunksOf(source, onRead);
  try {
    let head = Buffer.alloc(0);
    while (head.length < magicBytes) {
      const { done, value } = await chunks.next();
      if (done) break;
      head = Buffer.concat([head, value]);
    }
    file.empty = head.length === 0;
    const magic = head.toString('latin1', 0, magicBytes);
    const [name, , create] = unpackers.find(([, start]) => magic.startsWith(start)) ?? [];
    file.compression = name ?? 'none';
    const all = startingWith(head, chunks);
    yield* create === undefined ? all : unpacked(all, create(), file);
  } finally {
    await chunks.return(undefined);
  }
}

/** Yields the lines of a log, in batches of one chunk each. @param maxLineLength Limit on a line, characters @throws
 *  PrefetchdError log-unreadable */
export async function* logLines(
  source: LogSource,
  file: FileStatistics,
  maxLineLength: number,
  onRead: (bytes: number) => void,
): AsyncGenerator<string[]> {
  const splitter = new LineSplitter(maxLineLength);
  for await (const bytes of logBytes(source, file, onRead)) yield splitter.push(bytes);
  yield splitter.end();
}

async function* chunksOf(
  source: LogSource,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterable<Uint8Array> =
    typeof source !== 'string'
      ? source.chunks
      : source === '-'
        ? process.stdin
        : createReadStream(source);
  try {
    for await (const chunk of chunks) {
      onRead(chunk.length);
      yield chunk;
    }
  } catch (cause) {
    const why = fileFailure(nameOf(source), 'read', cause);
    throw new PrefetchdError('log-unreadable', `log ${why}`, { cause });
  }
}

async function* startingWith(head: Uint8Array, rest: AsyncIterable<Uint8Array>) {
  if (head.length > 0) yield head;
  yield* rest;
}

/** Decompresses chunk by chunk, because streams that are piped lose the output just before damage. */
async function* unpacked(
  chunks: AsyncIterable<Uint8Array>,
  stream: Transform,
  file: FileStatistics,
): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  let input = 0;
  let output = 0;
  stream.on('data', (data: Uint8Array) => {
    ready.push(data);
    output += data.length;
    if (output <= alwaysAllowedBytes || output <= mostTimes * input) return;
    stream.destroy(new Error(`it expands more than ${mostTimes} times`));
  });
  const end = finished(stream).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
  let failure: NodeJS.ErrnoException | undefined;
  try {
    for await (const chunk of chunks) {
      input += chunk.length;
      const written = new Promise<undefined>((resolve) => {
        stream.write(chunk, () => resolve(undefined));
      });
      // Where data is damaged, the stream ends without calling back, so its end is awaited, too.
      failure = await Promise.race([end, written]);
      yield* ready;
      ready = [];
      if (failure !== undefined) break;
    }
    if (failure === undefined) stream.end();
    failure = await end;
    yield* ready;
    if (failure?.code === 'ENOENT') {
      const why = `it is compressed by ${file.compression}, and there is no command ${file.compression} to unpack it`;
      throw new PrefetchdError('log-unreadable', `log ${file.path} cannot be read: ${why}`);
    }
    if (failure !== undefined) file.broken = `${file.compression} data: ${failure.message}`;
  } finally {
    stream.destroy();
  }
}
