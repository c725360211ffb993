// Content codings taken off as the bytes come, each layer bounded: a chunk is decoded to its end
// before the next one is asked for, and what it may grow to is checked while it grows.

import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { LoaderError } from './errors.ts';

/** Brotli before 1.2.1 has a memory-safety hole; below it `br` is neither asked for nor decoded. */
export const brotliIsSafe = atLeast(process.versions.brotli ?? '0', [1, 2, 1]);

/** What the loader can decode, best first: the value of Accept-Encoding. */
export const acceptEncoding = ['zstd', ...(brotliIsSafe ? ['br'] : []), 'gzip', 'deflate'].join(
  ', ',
);

/** @param sink gets the decoded bytes, in order, before `write` resolves. */
export class ContentDecoder {
  readonly #layers: Transform[] = [];
  readonly #codings: string[];
  readonly #sink: (bytes: Buffer) => void;
  #deflateStart: Buffer | null = null;
  #error: LoaderError | null = null;

  /**
   * @param contentEncoding value of the Content-Encoding header, '' for none.
   * @throws LoaderError `coding-unsupported`, `too-many-codings`
   */
  constructor(contentEncoding: string, maxCodings: number, sink: (bytes: Buffer) => void) {
    this.#sink = sink;
    const listed = contentEncoding
      .toLowerCase()
      .split(',')
      .map((coding) => coding.trim());
    this.#codings = listed.filter((coding) => coding !== '' && coding !== 'identity');
    if (this.#codings.length > maxCodings) {
      const message = `${this.#codings.length} content codings, at most ${maxCodings} allowed`;
      throw new LoaderError('too-many-codings', message);
    }
    for (const coding of this.#codings) {
      if (!supported.has(coding)) {
        const message = `content coding ${JSON.stringify(coding)} was not asked for and is not decoded`;
        throw new LoaderError('coding-unsupported', message);
      }
    }
  }

  /** Nothing to take off: `write` hands on at once and returns nothing. */
  get identity(): boolean {
    return this.#codings.length === 0;
  }

  write(chunk: Buffer): undefined | Promise<void> {
    if (this.identity) {
      this.#sink(chunk);
      return undefined;
    }
    return this.#feed(chunk);
  }

  /** @throws LoaderError `coding-broken` when the coded body was cut. */
  async end(): Promise<void> {
    if (this.identity) return;
    if (this.#layers.length === 0 && this.#deflateStart !== null) this.#open(this.#deflateStart);
    if (this.#layers.length === 0) return; // no byte came: an empty body is empty in any coding
    await this.#step((done) => {
      const [outermost] = this.#layers;
      this.#layers.at(-1)?.once('end', done);
      if (this.#deflateStart !== null) outermost?.write(this.#deflateStart);
      outermost?.end();
    });
  }

  /** Give up; frees what the decoders hold. */
  destroy(): void {
    for (const layer of this.#layers) layer.destroy();
  }

  async #feed(chunk: Buffer): Promise<void> {
    let bytes = chunk;
    if (this.#layers.length === 0) {
      if (this.#deflateStart !== null) bytes = Buffer.concat([this.#deflateStart, chunk]);
      if (this.#codings.at(-1) === 'deflate' && bytes.length < 2) {
        this.#deflateStart = bytes;
        return;
      }
      this.#deflateStart = null;
      this.#open(bytes);
    }
    await this.#step((done) => this.#layers[0]?.write(bytes, () => done()));
  }

  /** Codings are listed in the order they were put on (RFC 9110 8.4): the last comes off first. */
  #open(start: Buffer): void {
    for (const [index, coding] of this.#codings.toReversed().entries()) {
      const layer = createDecoder(coding, index === 0 ? start : null);
      layer.on('error', (cause) => this.#fail(cause));
      const previous = this.#layers.at(-1);
      this.#layers.push(layer);
      previous?.pipe(layer);
    }
    this.#layers.at(-1)?.on('data', (bytes: Buffer) => {
      if (this.#error !== null) return;
      try {
        this.#sink(bytes);
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  #fail(cause: unknown): void {
    const message = cause instanceof Error ? cause.message : String(cause);
    this.#error ??=
      cause instanceof LoaderError
        ? cause
        : new LoaderError('coding-broken', `${this.#codings.join(', ')}: ${message}`, { cause });
    this.destroy();
    this.#wake?.();
  }

  #wake: (() => void) | null = null;

  async #step(work: (done: () => void) => void): Promise<void> {
    if (this.#error === null) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        work(resolve);
      });
      this.#wake = null;
    }
    if (this.#error !== null) throw this.#error;
  }
}

const supported = new Set(['gzip', 'x-gzip', 'deflate', 'zstd', ...(brotliIsSafe ? ['br'] : [])]);

/** One piece for what one read of the socket usually holds, so that its references share a batch. */
const chunkSize = 64 * 1024;

function createDecoder(coding: string, start: Buffer | null): Transform {
  if (coding === 'zstd') return zlib.createZstdDecompress({ chunkSize });
  if (coding === 'br') return zlib.createBrotliDecompress({ chunkSize });
  if (coding === 'deflate') {
    return start === null || isZlib(start)
      ? zlib.createInflate({ chunkSize })
      : zlib.createInflateRaw({ chunkSize });
  }
  return zlib.createGunzip({ chunkSize });
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
