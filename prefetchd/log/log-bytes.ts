// The bytes of a log: from a file, standard input, or any stream of chunks. Compression is detected by the first
// bytes, never by the name. Truncated or damaged compressed data yields everything before the damage, which
// `file.broken` then describes. A file that expands beyond reason (a bomb) is given up.

import { createReadStream } from 'node:fs';
import type { Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import zlib from 'node:zlib'; // an import by names would fail in an old Node before needs-node.ts can report it
import { fileFailure } from '../../process/file-failure.ts';
import { PrefetchdError } from '../errors.ts';
import type { FileStatistics } from './statistics.ts';

/** A path (`-` is standard input), or chunks with a display name. */
export type LogSource = string | { name: string; chunks: AsyncIterable<Uint8Array> };

const magicBytes = 6;
const unpackers: ReadonlyArray<readonly ['gzip' | 'zstd', start: string, () => Transform]> = [
  ['gzip', '\x1f\x8b', () => zlib.createGunzip()],
  ['zstd', '\x28\xb5\x2f\xfd', () => zlib.createZstdDecompress()],
];
/** Packed in a way that Node does not unpack: with the command that does. */
const foreign: ReadonlyArray<readonly [name: string, start: string, command: string]> = [
  ['bzip2', 'BZh', 'bzip2 -dc'],
  ['xz', '\xfd7zXZ\0', 'xz -dc'],
  ['ZIP', 'PK\x03\x04', 'unzip -p'],
];

/** Deflate expands at most 1,032 times; a log that repeats one line, in other codings, some hundred times. */
const mostTimes = 2000;
const alwaysAllowedBytes = 256 * 1024 * 1024;

export function nameOf(source: LogSource): string {
  return typeof source === 'string' ? source : source.name;
}

/** True if the source can be reopened and has a size. */
export function isFile(source: LogSource): source is string {
  return typeof source === 'string' && source !== '-';
}

/** The bytes of the text. `onRead` receives the number of bytes read from the source.
 *  @throws PrefetchdError log-unreadable */
export async function* logBytes(
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
    const packed = foreign.find(([, start]) => magic.startsWith(start));
    if (packed !== undefined) {
      const [name, , command] = packed;
      const why = `it is compressed by ${name}; unpack it first: ${command} ${file.path} | prefetchd ... -`;
      throw new PrefetchdError('log-unreadable', `log ${file.path} cannot be read: ${why}`);
    }
    const [name, , create] = unpackers.find(([, start]) => magic.startsWith(start)) ?? [];
    file.compression = name ?? 'none';
    const all = startingWith(head, chunks);
    yield* create === undefined ? all : unpacked(all, create(), file);
  } finally {
    await chunks.return(undefined);
  }
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

/** Decompresses chunk by chunk: streams that are piped lose the output just before damage. */
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
    (error: Error) => error.message,
  );
  let failure: string | undefined;
  try {
    for await (const chunk of chunks) {
      input += chunk.length;
      const written = new Promise<undefined>((resolve) => {
        stream.write(chunk, () => resolve(undefined));
      });
      // Damage ends the stream without calling back.
      failure = await Promise.race([end, written]);
      yield* ready;
      ready = [];
      if (failure !== undefined) break;
    }
    if (failure === undefined) stream.end();
    failure = await end;
    yield* ready;
    if (failure !== undefined) file.broken = `${file.compression} data: ${failure}`;
  } finally {
    stream.destroy();
  }
}
