// Content codings taken off as the bytes come, each layer bounded: a chunk is decoded to its end
// before the next one is asked for, and what it may grow to is checked while it grows.

import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { LoaderError } from '../errors.ts';

/** Brotli before 1.2.1 has a memory-safety hole; below it `br` is neither asked for nor decoded. */
export const brotliIsSafe = atLeast(process.versions.brotli ?? '0', [1, 2, 1]);

/** What the loader can decode, best first: the value of Accept-Encoding. */
export const acceptEncoding = ['zstd', ...(brotliIsSafe ? ['br'] : []), 'gzip', 'deflate'].join(
  ', ',
);

/** A bound on what a zstd frame makes us remember: 8 MB (RFC 9659 3). */
const zstdWindowLog = 23;

function codingsOf(contentEncoding: string): string[] {
  const listed = contentEncoding.toLowerCase().split(',');
  return listed
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
}

/** @param sink gets the decoded bytes, in order, before `write` resolves. */
export class ContentDecoder {
  /** The outermost first. */
  readonly #layers: Layer[] = [];
  readonly #sink: (bytes: Buffer) => void;
  #error: unknown = null;

  /**
   * @param contentEncoding value of the Content-Encoding header, '' for none.
   * @throws LoaderError `coding-unsupported`, `too-many-codings`
   */
  constructor(contentEncoding: string, maxCodings: number, sink: (bytes: Buffer) => void) {
    this.#sink = sink;
    const codings = codingsOf(contentEncoding);
    if (codings.length > maxCodings) {
      const message = `${codings.length} content codings, at most ${maxCodings} allowed`;
      throw new LoaderError('too-many-codings', message);
    }
    // Listed in the order they were put on (RFC 9110 8.4): the last comes off first.
    let take: (bytes: Buffer) => void | Promise<void> = sink;
    for (const coding of codings) {
      if (!supported.has(coding)) {
        const message = `content coding ${JSON.stringify(coding)} was not asked for and is not decoded`;
        throw new LoaderError('coding-unsupported', message);
      }
      const layer = new Layer(coding, take);
      take = (bytes) => layer.write(bytes);
      this.#layers.unshift(layer);
    }
  }

  /** Nothing to take off: `write` hands on at once and returns nothing. */
  get identity(): boolean {
    return this.#layers.length === 0;
  }

  write(chunk: Buffer): undefined | Promise<void> {
    const [outermost] = this.#layers;
    if (outermost !== undefined) return this.#guard(() => outermost.write(chunk));
    this.#sink(chunk);
    return undefined;
  }

  /** @throws LoaderError `coding-broken` when the coded body was cut. */
  async end(): Promise<void> {
    for (const layer of this.#layers) await this.#guard(() => layer.end());
  }

  /** Give up; frees what the decoders hold. */
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

/** A whole body at once, for one that is at hand; null when it cannot be decoded within the limits. */
export function decodeWhole(
  contentEncoding: string,
  body: Buffer,
  limits: { maxCodings: number; maxResourceBytes: number },
): Buffer | null {
  const codings = codingsOf(contentEncoding);
  if (codings.length > limits.maxCodings || !codings.every((coding) => supported.has(coding))) {
    return null;
  }
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

/** One coding: a zlib stream that is fed a chunk and waited for until all it yields was taken. */
class Layer {
  readonly #coding: string;
  readonly #take: (bytes: Buffer) => void | Promise<void>;
  #stream: Decompressor | null = null;
  /** One byte of a deflate body: only two tell zlib's format from bare deflate. */
  #start: Buffer | null = null;
  /** The coded data ended; bytes behind it are no part of it. */
  #over = false;
  /** The stream has used what it was fed; what it yielded may still be on its way. */
  #used = false;
  #taking = false;
  #settle: ((error: unknown) => void) | null = null;

  constructor(coding: string, take: (bytes: Buffer) => void | Promise<void>) {
    this.#coding = coding;
    this.#take = take;
  }

  async write(chunk: Buffer): Promise<void> {
    let rest = this.#start === null ? chunk : Buffer.concat([this.#start, chunk]);
    this.#start = null;
    if (this.#stream === null && this.#coding === 'deflate' && rest.length < 2) {
      this.#start = Buffer.from(rest);
      return;
    }
    while (rest.length > 0 && !this.#over) {
      const stream = this.#stream ?? this.#open(rest);
      const before = stream.bytesWritten;
      await this.#step((done) => stream.write(rest, done));
      if (!this.#over || this.#coding !== 'zstd' || stream.destroyed) return;
      // Another frame may follow (RFC 8878 3.1); a stream of Node's reads one in a chunk.
      rest = rest.subarray(stream.bytesWritten - before);
      if (rest.length === 0) return;
      stream.destroy();
      this.#over = false;
      this.#stream = null;
    }
  }

  async end(): Promise<void> {
    if (this.#start !== null && this.#start.length > 0) {
      const stream = this.#open(this.#start);
      stream.write(this.#start);
    }
    const stream = this.#stream;
    if (stream === null || this.#over) return; // without a byte, a body is empty in any coding
    await this.#step(() => stream.end());
  }

  destroy(): void {
    this.#over = true;
    this.#stream?.destroy();
    this.#settle?.(null);
  }

  #open(start: Buffer): Decompressor {
    const stream = createDecoder(this.#coding, start);
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
    try {
      const taking = this.#take(bytes);
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

const supported = new Set(['gzip', 'x-gzip', 'deflate', 'zstd', ...(brotliIsSafe ? ['br'] : [])]);

/** One piece for what one read of the socket usually holds, so that its references share a batch. */
const chunkSize = 64 * 1024;

function createDecoder(coding: string, start: Buffer): Decompressor {
  if (coding === 'zstd') {
    const params = { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindowLog };
    return zlib.createZstdDecompress({ chunkSize, params });
  }
  if (coding === 'br') return zlib.createBrotliDecompress({ chunkSize });
  if (coding !== 'deflate') return zlib.createGunzip({ chunkSize });
  return isZlib(start) ? zlib.createInflate({ chunkSize }) : zlib.createInflateRaw({ chunkSize });
}

/** RFC 9110 8.4.1.2 means the zlib format; many servers send bare deflate. RFC 1950 2.2 tells them apart. */
function isZlib(start: Buffer): boolean {
  const [cmf = 0, flags = 0] = start;
  return (cmf & 0x0f) === 8 && ((cmf << 8) | flags) % 31 === 0;
}

function atLeast(version: string, least: number[]): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, wanted] of least.entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
