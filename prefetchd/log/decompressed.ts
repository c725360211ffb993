// Decompresses a log piece by piece, up to the first damage, which `file.broken` then describes: the text before it is
// not lost. At most the output of one piece is held, and a file that expands beyond reason (a bomb) is given up.
//
// Node decompresses gzip and zstd; bzip2 and xz, which are rare, are decompressed by the commands of these names.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PrefetchdError } from '../errors.ts';
import type { FileStatistics } from './statistics.ts';

/** Decompresses `chunks`. `onRead` counts compressed bytes once all their output was consumed, because a file is read
 *  far ahead: one percent of it can be a thousand lines. */
export type Unpack = (
  chunks: AsyncIterable<Uint8Array>,
  file: FileStatistics,
  onRead: (bytes: number) => void,
) => AsyncGenerator<Uint8Array>;

const pieceBytes = 32 * 1024;

/** Deflate expands at most 1,032 times; a log that repeats one line, in other codings, some hundred times. */
const mostTimes = 2000;
const alwaysAllowedBytes = 256 * 1024 * 1024;

/** Ends, and sets `file.broken`, if the output is larger than that of any log. */
export async function* bounded(
  unpack: Unpack,
  chunks: AsyncIterable<Uint8Array>,
  file: FileStatistics,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let input = 0;
  let output = 0;
  const counted = (async function* () {
    for await (const chunk of chunks) {
      input += chunk.length;
      yield chunk;
    }
  })();
  for await (const data of unpack(counted, file, onRead)) {
    output += data.length;
    if (output > alwaysAllowedBytes && output > mostTimes * input) {
      file.broken = `${file.compression} data: it expands more than ${mostTimes} times`;
      return;
    }
    yield data;
  }
}

/** Decompresses by a command that reads standard input. */
export function byCommand(command: string, args: readonly string[]): Unpack {
  return async function* (chunks, file, onRead) {
    const child = spawn(command, args, { env: { ...process.env, LC_ALL: 'C' } });
    let errors = '';
    child.stderr.on('data', (data) => {
      errors = (errors + data).slice(0, 200);
    });
    const ended = once(child, 'close');
    ended.catch(() => {});
    let failure: unknown;
    const fed = pipeline(countedAs(onRead, chunks), child.stdin).catch((error) => {
      // The command stops reading where the data is damaged.
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') failure = error;
    });
    try {
      yield* child.stdout;
      const [code] = await ended;
      await fed;
      if (failure !== undefined) throw failure;
      if (code !== 0) file.broken = `${file.compression} data: ${errors.trim()}`;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      const why = `it is compressed by ${file.compression}, and there is no command ${command} to unpack it`;
      throw new PrefetchdError('log-unreadable', `log ${file.path} cannot be read: ${why}`);
    } finally {
      child.kill();
    }
  };
}

async function* countedAs(
  onRead: (bytes: number) => void,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    onRead(chunk.length);
  }
}

/** The chunks in pieces that are small enough to hold the output of one. */
export async function* piecesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes);
  }
}

/** Decompresses by a stream of node:zlib. Piped streams would discard the output before damage in the input. */
export function through(createStream: () => Transform): Unpack {
  return (chunks, file, onRead) => throughStream(chunks, createStream(), file, onRead);
}

async function* throughStream(
  chunks: AsyncIterable<Uint8Array>,
  stream: Transform,
  file: FileStatistics,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  let failure: Error | undefined;
  stream.on('data', (data: Uint8Array) => ready.push(data));
  stream.on('error', (error) => {
    failure = error;
  });
  // Damaged data closes the stream without calling back the pending write.
  let wake = (): void => {};
  const closed = new Promise<void>((resolve) => {
    stream.on('close', () => {
      resolve();
      wake();
    });
  });
  try {
    for await (const piece of piecesOf(chunks)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        stream.write(piece, () => resolve());
      });
      yield* ready;
      ready = [];
      onRead(piece.length);
      if (failure !== undefined) break;
    }
    if (failure === undefined) stream.end();
    await closed;
    yield* ready;
    if (failure !== undefined) file.broken = `${file.compression} data: ${failure.message}`;
  } finally {
    stream.destroy();
  }
}
