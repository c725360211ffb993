// The bytes of a log: from a file, standard input, or any stream of chunks. Compression is detected by the first
// bytes, never by the name. Truncated or damaged compressed data yields everything before the damage, and the damage
// is reported.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import zlib from 'node:zlib'; // an import by names would fail in an old Node before needs-node.ts can report it
import { Unzip, type UnzipFile, UnzipInflate } from 'fflate';
import { fileFailure } from '../../process/file-failure.ts';
import { PrefetchdError } from '../errors.ts';
import { bounded, byCommand, piecesOf, through, type Unpack } from './decompressed.ts';
import type { FileStatistics } from './statistics.ts';

/** A path (`-` is standard input), or chunks with a display name. */
export type LogSource = string | { name: string; chunks: AsyncIterable<Uint8Array> };

const readBytes = 256 * 1024;
const magicBytes = 8;

export function nameOf(source: LogSource): string {
  return typeof source === 'string' ? source : source.name;
}

/** True if the source can be reopened and has a size. */
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

/** The bytes of the text. `onRead` receives the number of file bytes whose text was yielded.
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
  const packing = packings.find(({ start }) => magic.startsWith(start));
  if (packing !== undefined) {
    file.compression = packing.name;
    yield* bounded(packing.unpack, all, file, onRead);
    return;
  }
  for await (const chunk of all) {
    yield chunk;
    onRead(chunk.length);
  }
}

interface Packing {
  name: Exclude<FileStatistics['compression'], 'none'>;
  /** First bytes of a file with this compression. */
  start: string;
  unpack: Unpack;
}

const newline = Uint8Array.of(0x0a);

/**
 * The files of a ZIP archive, one after the other, by fflate, which reads archives from their start: so standard input
 * may be an archive.
 */
const unzipped: Unpack = async function* (chunks, file, onRead) {
  let ready: Uint8Array[] = [];
  let isOpen = false;
  let failure: string | undefined;
  const unzip = new Unzip((entry: UnzipFile) => {
    // macOS adds such entries with metadata about a file.
    const isLog = !entry.name.startsWith('__MACOSX/');
    isOpen = true;
    entry.ondata = (error, data, isLast) => {
      if (error !== null) failure ??= error.message;
      else if (isLog) ready.push(data);
      if (!isLast) return;
      isOpen = false;
      if (isLog) ready.push(newline);
    };
    entry.start();
  });
  unzip.register(UnzipInflate);
  const push = (piece: Uint8Array, isLast: boolean) => {
    try {
      unzip.push(piece, isLast);
    } catch (error) {
      failure ??= (error as Error).message;
    }
  };
  for await (const piece of piecesOf(chunks)) {
    push(piece, false);
    yield* ready;
    ready = [];
    onRead(piece.length);
    if (failure !== undefined) break;
  }
  if (failure === undefined && isOpen) failure = 'unexpected end of file';
  if (failure !== undefined) file.broken = `zip data: ${failure}`;
};

const packings: readonly Packing[] = [
  { name: 'gzip', start: '\x1f\x8b', unpack: through(() => zlib.createGunzip()) },
  { name: 'zstd', start: '\x28\xb5\x2f\xfd', unpack: through(() => zlib.createZstdDecompress()) },
  { name: 'bzip2', start: 'BZh', unpack: byCommand('bzip2', ['-dc']) },
  {
    name: 'xz',
    start: '\xfd7zXZ\0',
    unpack: byCommand('xz', ['-dc', '--memlimit-decompress=256MiB']),
  },
  { name: 'zip', start: 'PK\x03\x04', unpack: unzipped },
];

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
