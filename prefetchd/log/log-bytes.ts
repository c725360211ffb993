// The bytes of a log: from a file, standard input, or any stream of chunks. Compression is detected by the first
// bytes, never by the name. Truncated or damaged compressed data yields everything before the damage, and the damage
// is reported.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import zlib from 'node:zlib'; // by its names an old Node would stop here, before needs-node.ts speaks
import { fileFailure } from '../../process/file-failure.ts';
import { PrefetchdError } from '../errors.ts';
import { decompressed } from './decompressed.ts';
import type { FileStatistics } from './statistics.ts';

/** A path (`-` is standard input), or chunks with a display name. */
export type LogSource = string | { name: string; chunks: AsyncIterable<Uint8Array> };

const readBytes = 256 * 1024;
const magicBytes = 8;

export function nameOf(source: LogSource): string {
  return typeof source === 'string' ? source : source.name;
}

/** True if it can be reopened and has a size. */
export function isFile(source: LogSource): source is string {
  return typeof source === 'string' && source !== '-';
}

/** @throws PrefetchdError log-unreadable */
export async function fileBytes(path: string): Promise<number> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Error('it is a directory');
    return found.size;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** The bytes of the text. `onRead` receives the number of file bytes behind what was yielded so far.
 *  @throws PrefetchdError log-unreadable */
export async function* logBytes(
  source: LogSource,
  file: FileStatistics,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const name = nameOf(source);
  const chunks = withWholeMagic(chunksOf(source, name));
  const first = await chunks.next();
  if (first.done) {
    file.empty = true;
    return;
  }
  const all = startingWith(first.value, chunks);
  const magic = Buffer.from(first.value.subarray(0, magicBytes)).toString('latin1');
  if (magic.startsWith('\x1f\x8b')) {
    file.compression = 'gzip';
    yield* decompressed(all, zlib.createGunzip(), file, onRead);
  } else if (magic.startsWith('\x28\xb5\x2f\xfd')) {
    file.compression = 'zstd';
    yield* decompressed(all, zlib.createZstdDecompress(), file, onRead);
  } else {
    const packing = packings.find(([start]) => magic.startsWith(start))?.[1];
    if (packing !== undefined) {
      await chunks.return(undefined);
      throw unreadable(name, new Error(`it is ${packing}; unpack it first`));
    }
    for await (const chunk of all) {
      yield chunk;
      onRead(chunk.length);
    }
  }
}

const packings = [
  ['BZh', 'compressed by bzip2'],
  ['\xfd7zXZ\0', 'compressed by xz'],
  ['PK\x03\x04', 'a ZIP archive'],
] as const;

async function* chunksOf(source: LogSource, name: string): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterable<Uint8Array> =
    typeof source !== 'string'
      ? source.chunks
      : source === '-'
        ? process.stdin
        : createReadStream(source, { highWaterMark: readBytes });
  try {
    yield* chunks;
  } catch (cause) {
    throw unreadable(name, cause);
  }
}

/** Makes the first chunk large enough to detect compression, unless the input is shorter. */
async function* withWholeMagic(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of chunks) {
    if (head === undefined) yield chunk;
    else {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      if (head.length < magicBytes) continue;
      yield head;
      head = undefined;
    }
  }
  if (head !== undefined && head.length > 0) yield head;
}

async function* startingWith(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

function unreadable(name: string, cause: unknown): PrefetchdError {
  return new PrefetchdError('log-unreadable', `log ${fileFailure(name, 'read', cause)}`, { cause });
}
