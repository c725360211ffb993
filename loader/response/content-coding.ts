// Decodes content codings while the body arrives. Memory is bounded in each layer: a chunk is fully decoded before the
// next is read, and the output is checked against the limit as it grows.
//
// Surplus bytes after a gzip body, or an incomplete trailer, do not make the body unusable: it was decoded to its end,
// and the resource's record names the deviation (`quirks`). A body that is truncated, or fails its checksum, is an
// error.

import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { LoaderError } from '../errors.ts';

const [major = 0, minor = 0, patch = 0] = (process.versions.brotli ?? '').split('.').map(Number);
/** Brotli before 1.2.1 has a memory-safety bug; with older versions `br` is neither requested nor decoded. */
export const brotliIsSafe = (major - 1 || minor - 2 || patch - 1) >= 0;

/** Value of Accept-Encoding: the codings that the loader decodes, best first. */
export const acceptEncoding = ['zstd', ...(brotliIsSafe ? ['br'] : []), 'gzip', 'deflate'].join(
  ', ',
);

/** Window limit of 8 MB (RFC 9659 3), which limits the decoder's memory. */
const zstdWindowLog = 23;

function codingsOf(contentEncoding: string): string[] {
  const listed = contentEncoding.toLowerCase().split(',');
  return listed
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
}

/** Receives decoded bytes; if it returns a promise, the next ones are passed on once that has settled. */
type Sink = ((bytes: Buffer) => void) | ((bytes: Buffer) => void | Promise<void>);

/** Removes the content codings of one body while it arrives. */
export class ContentDecoder {
  /** The decoders; the first one removes the outermost coding. */
  readonly #layers: CodingLayer[] = [];
  readonly #sink: Sink;
  /** Tolerated faults of the compressed body: surplus bytes after its end, an incomplete trailer. */
  readonly quirks: string[] = [];
  #error: unknown = null;

  /**
   * @param contentEncoding Value of the Content-Encoding header; '' for none.
   * @param sink Receives the decoded bytes in order, before `write` resolves.
   * @param dictionary The dictionary with which `zstd` was compressed; null: it was compressed without one.
   * @throws LoaderError `coding-unsupported`, `too-many-codings`
   */
  constructor(
    contentEncoding: string,
    maxCodings: number,
    sink: Sink,
    dictionary: Buffer | null = null,
  ) {
    this.#sink = sink;
    const codings = codingsOf(contentEncoding);
    if (codings.length > maxCodings) {
      const message = `${codings.length} content codings, at most ${maxCodings} allowed`;
      throw new LoaderError('too-many-codings', message);
    }
    // Codings are listed in the order in which they were applied (RFC 9110 8.4), so the last is removed first.
    let take: Sink = sink;
    for (const coding of codings) {
      if (!supported.has(coding)) {
        const message = `content coding ${JSON.stringify(coding)} was not requested and cannot be decoded`;
        throw new LoaderError('coding-unsupported', message);
      }
      const layer = new CodingLayer(coding, take, dictionary, this.quirks);
      take = (bytes) => layer.write(bytes);
      this.#layers.unshift(layer);
    }
  }

  /** Whether there is no coding to remove: `write` then passes bytes on synchronously and returns nothing. */
  get identity(): boolean {
    return this.#layers.length === 0;
  }

  write(chunk: Buffer): undefined | Promise<void> {
    const [outermost] = this.#layers;
    if (outermost !== undefined) return this.#guard(() => outermost.write(chunk));
    const taking = this.#sink(chunk) as unknown;
    return taking instanceof Promise ? taking : undefined;
  }

  /** Ends decoding, because the body has ended. @throws LoaderError `coding-broken` if the coded body is truncated. */
  async end(): Promise<void> {
    for (const layer of this.#layers) await this.#guard(() => layer.end());
  }

  /** Cancels decoding and frees the decoders. */
  destroy(): void {
    for (const layer of this.#layers) layer.destroy();
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    if (this.#error !== null) throw this.#error;
    try {
      await work();
    } catch (error) {
      this.#error ??= error;
      this.destroy();
      throw this.#error;
    }
  }
}

/** Whether all codings of a body can be removed. @param contentEncoding Value of its Content-Encoding; '' for none. */
export function isDecodable(contentEncoding: string): boolean {
  return codingsOf(contentEncoding).every((coding) => supported.has(coding));
}

/** Decodes a complete body at once; null if it cannot be decoded within the limits. */
export function decodeWhole(
  contentEncoding: string,
  body: Buffer,
  limits: { maxCodings: number; maxResourceBytes: number },
): Buffer | null {
  const codings = codingsOf(contentEncoding);
  if (codings.length > limits.maxCodings || !isDecodable(contentEncoding)) return null;
  const options = { maxOutputLength: limits.maxResourceBytes };
  try {
    return codings.reduceRight((bytes, coding) => {
      if (coding === 'zstd') {
        const params = { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindowLog };
        return zlib.zstdDecompressSync(bytes, { ...options, params });
      }
      if (coding === 'br') return zlib.brotliDecompressSync(bytes, options);
      if (coding !== 'deflate') return zlib.gunzipSync(bytes, options);
      return isZlib(bytes) ? zlib.inflateSync(bytes, options) : zlib.inflateRawSync(bytes, options);
    }, body);
  } catch {
    return null;
  }
}

type Decompressor = Transform & zlib.Zlib;

/** Decoder of one coding: a zlib stream that takes a chunk and waits until all of its output has been consumed. */
class CodingLayer {
  readonly #coding: string;
  readonly #take: Sink;
  readonly #dictionary: Buffer | null;
  readonly #quirks: string[];
  #stream: Decompressor | null = null;
  /** The first bytes while they are too few to distinguish zlib from raw deflate, or to skip a gzip header. */
  #start: Buffer | null = null;
  /** Trailer so far of a gzip member whose data has ended (RFC 1952 2.3.1); null: none is expected. */
  #trailer: Buffer | null = null;
  /** Number of bytes decoded so far from the current gzip member, and their CRC-32 (`#crc`). */
  #size = 0;
  #crc = 0;
  #members = 0;
  /** If true, the coded data has ended, and bytes after it are ignored. */
  #over = false;
  /** If true, the stream has consumed its input, but output may still be pending. */
  #used = false;
  #taking = false;
  #settle: ((error: unknown) => void) | null = null;

  constructor(coding: string, take: Sink, dictionary: Buffer | null, quirks: string[]) {
    this.#coding = coding === 'x-gzip' ? 'gzip' : coding;
    this.#quirks = quirks;
    this.#take = take;
    this.#dictionary = dictionary;
  }

  async write(chunk: Buffer): Promise<void> {
    let rest = this.#start === null ? chunk : Buffer.concat([this.#start, chunk]);
    this.#start = null;
    while (rest.length > 0 && !this.#over) {
      if (this.#trailer !== null) {
        rest = this.#readTrailer(this.#trailer, rest);
        continue;
      }
      if (this.#stream === null) {
        const begin = this.#beginning(rest);
        if (begin === null) {
          this.#start = Buffer.from(rest);
          return;
        }
        if (this.#over) return;
        this.#open(rest);
        rest = rest.subarray(begin);
        if (rest.length === 0) return;
      }
      const stream = this.#stream as Decompressor | null;
      if (stream === null) return;
      const before = stream.bytesWritten;
      await this.#step((done) => stream.write(rest, done));
      if (!this.#over || !inFrames.has(this.#coding) || stream.destroyed) return;
      // A Node stream decodes one frame; another that follows (RFC 8878 3.1, RFC 1952 2.2) gets a stream of its own.
      rest = rest.subarray(stream.bytesWritten - before);
      stream.destroy();
      this.#over = false;
      this.#stream = null;
      if (this.#coding === 'gzip') this.#trailer = Buffer.alloc(0);
    }
  }

  async end(): Promise<void> {
    const start = this.#start;
    if (start !== null && this.#members > 0) this.#quirks.push(behindGzip);
    else if (start !== null && this.#coding === 'gzip')
      throw this.#broken('unexpected end of file');
    else if (start !== null) this.#open(start).write(start);
    if (this.#over) return;
    const stream = this.#stream;
    const isInMember = this.#trailer !== null || stream !== null;
    if (stream !== null) await this.#step(() => stream.end());
    if (this.#coding === 'gzip' && isInMember) this.#quirks.push(withoutTrailer);
  }

  /** Finds where the compressed data begins. @returns its offset; null: more bytes are needed to tell */
  #beginning(bytes: Buffer): number | null {
    if (this.#coding === 'deflate') return bytes.length < 2 ? null : 0;
    if (this.#coding !== 'gzip') return 0;
    const length = gzipHeaderLength(bytes);
    if (length !== 0) return length;
    if (this.#members === 0) throw this.#broken('incorrect header check');
    this.#quirks.push(behindGzip);
    this.#over = true;
    return 0;
  }

  /** Reads the trailer of a gzip member and checks it once it is complete. @returns The bytes after the trailer. */
  #readTrailer(before: Buffer, bytes: Buffer): Buffer {
    const missing = trailerBytes - before.length;
    const trailer = Buffer.concat([before, bytes.subarray(0, missing)]);
    this.#trailer = trailer;
    if (trailer.length === trailerBytes) {
      if (trailer.readUInt32LE(0) !== this.#crc) throw this.#broken('incorrect data check');
      if (trailer.readUInt32LE(4) !== this.#size % 2 ** 32)
        throw this.#broken('incorrect length check');
      this.#trailer = null;
      this.#size = this.#crc = 0;
      this.#members++;
    }
    return bytes.subarray(missing);
  }

  #broken(why: string): LoaderError {
    return new LoaderError('coding-broken', `${this.#coding}: ${why}`);
  }

  destroy(): void {
    this.#over = true;
    this.#stream?.destroy();
    this.#settle?.(null);
  }

  #open(start: Buffer): Decompressor {
    const stream = createDecoder(this.#coding, start, this.#dictionary);
    this.#stream = stream;
    stream.on('error', (cause) => {
      const message = `${this.#coding}: ${cause.message}`;
      this.#settle?.(new LoaderError('coding-broken', message, { cause }));
    });
    stream.on('data', (bytes: Buffer) => this.#yielded(stream, bytes));
    stream.on('end', () => {
      this.#over = true;
      this.#useEnded();
    });
    return stream;
  }

  #yielded(stream: Decompressor, bytes: Buffer): void {
    if (this.#settle === null) return;
    if (this.#coding === 'gzip') {
      this.#crc = zlib.crc32(bytes, this.#crc);
      this.#size += bytes.length;
    }
    try {
      const taking = this.#take(bytes) as unknown;
      if (!(taking instanceof Promise)) {
        this.#check();
        return;
      }
      this.#taking = true;
      stream.pause();
      taking.then(
        () => {
          this.#taking = false;
          stream.resume();
          this.#check();
        },
        (error) => this.#settle?.(error),
      );
    } catch (error) {
      this.#settle?.(error);
    }
  }

  #step(begin: (done: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#used = false;
      this.#settle = (error) => {
        this.#settle = null;
        if (error === null) resolve();
        else reject(error);
      };
      begin(() => this.#useEnded());
    });
  }

  #useEnded(): void {
    this.#used = true;
    this.#check();
  }

  #check(): void {
    const quiet = this.#stream === null || this.#stream.readableLength === 0;
    if (this.#used && !this.#taking && quiet) this.#settle?.(null);
  }
}

const behindGzip = 'bytes behind the gzip body';
const withoutTrailer = 'a gzip body without its whole trailer';
const trailerBytes = 8;

/** Codings of one or more frames, each of which is decoded by a separate Node stream. */
const inFrames = new Set(['gzip', 'zstd']);

const supported = new Set(['gzip', 'x-gzip', 'deflate', 'zstd', ...(brotliIsSafe ? ['br'] : [])]);

/** Size of decoded chunks, bytes: so large that HTML of one socket read is mostly one chunk, scanned in one go. */
const chunkSize = 64 * 1024;

function createDecoder(coding: string, start: Buffer, dictionary: Buffer | null): Decompressor {
  if (coding === 'zstd') {
    const params = { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindowLog };
    return zlib.createZstdDecompress({ chunkSize, params, ...(dictionary && { dictionary }) });
  }
  if (coding === 'br') return zlib.createBrotliDecompress({ chunkSize });
  // The header and the trailer of gzip are read by CodingLayer, not by zlib.
  if (coding === 'gzip') return zlib.createInflateRaw({ chunkSize });
  return isZlib(start) ? zlib.createInflate({ chunkSize }) : zlib.createInflateRaw({ chunkSize });
}

/**
 * Whether `deflate` data has the zlib format, which RFC 9110 8.4.1.2 requires. Many servers send raw deflate instead;
 * the header distinguishes them (RFC 1950 2.2).
 */
function isZlib(start: Buffer): boolean {
  const [cmf = 0, flags = 0] = start;
  return (cmf & 0x0f) === 8 && ((cmf << 8) | flags) % 31 === 0;
}

const mostHeaderBytes = 128 * 1024;
const [hasCrc, hasExtra, hasName, hasComment] = [2, 4, 8, 16];

/**
 * Finds where the compressed data of a gzip member begins (RFC 1952 2.3).
 * @returns Length of the header, bytes; null: more bytes are needed; 0: this is not a gzip header.
 */
function gzipHeaderLength(bytes: Buffer): number | null {
  const isGzip = [0x1f, 0x8b, 8].every((byte, at) => at >= bytes.length || bytes[at] === byte);
  if (!isGzip || bytes.length > mostHeaderBytes) return 0;
  if (bytes.length < 12) return null;
  const flags = bytes[3] ?? 0;
  let at = 10;
  if (flags & hasExtra) at += 2 + bytes.readUInt16LE(at);
  for (const flag of [hasName, hasComment]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return null;
    at = end + 1;
  }
  if (flags & hasCrc) at += 2;
  return at <= bytes.length ? at : null;
}
